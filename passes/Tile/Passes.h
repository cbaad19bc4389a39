//===- Passes.h - Passes over tile kernels -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_TILE_PASSES_H
#define K3_PASSES_TILE_PASSES_H

#include "dialects/Tile/TileOps.h"

#include "mlir/Pass/Pass.h"

namespace k3::tile {

#define GEN_PASS_DECL
#include "passes/Tile/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Tile/Passes.h.inc"

/// Appends everything between a kernel as built and one that the Emulator and Lower take, to a manager of
/// modules.
void buildTilePrepare(mlir::OpPassManager &pm, llvm::StringRef arch);

/// The passes and the pipeline `k3-tile-prepare`.
void registerTilePasses();

} // namespace k3::tile

#endif // K3_PASSES_TILE_PASSES_H
