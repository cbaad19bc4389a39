//===- Fences.h - The parts of k3-tile-insert-fences -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_TILE_FENCES_H
#define K3_PASSES_TILE_FENCES_H

#include "dialects/Tile/TileOps.h"

namespace k3::tile {

/// Fences between what lanes write and what copies and wgmma touch. With `verifyOnly` every missing one is an
/// error and nothing changes, else each is inserted with a remark. Fails where it reported errors.
mlir::LogicalResult fenceProxies(KernelOp kernel, bool verifyOnly);

/// Fences between registers written and wgmma that takes them; operands kept until the wait that retires
/// their wgmma.
mlir::LogicalResult fenceWgmma(KernelOp kernel, bool verifyOnly);

} // namespace k3::tile

#endif // K3_PASSES_TILE_FENCES_H
