//===- Utils.h - What several tile passes ask of a kernel -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_TILE_UTILS_H
#define K3_PASSES_TILE_UTILS_H

#include "dialects/Tile/TileOps.h"

#include <optional>
#include <string>

namespace k3::tile {

/// Diagnostics of this stage begin "kernel 'gemm': ".
mlir::InFlightDiagnostic kernelError(mlir::Operation *op);
mlir::InFlightDiagnostic kernelRemark(mlir::Operation *op);

/// "gemm.mlir:12:3"; "an unknown place" where there is none.
std::string placeText(mlir::Location loc);

/// "tile.stmatrix at gemm.mlir:12:3".
std::string opText(mlir::Operation *op);

/// The architecture an option names; null after an error at the kernel.
const arch::GpuInfo *targetOf(KernelOp kernel, llvm::StringRef name);

/// Roles in the order of the text.
llvm::SmallVector<RoleOp> rolesOf(KernelOp kernel);

/// Whether the role issues wgmma, so that its warps form whole warpgroups.
bool usesWgmma(RoleOp role);

/// The bytes of an allocation that a value of shared memory may cover; the slot of a ring may be any of them,
/// and a peer's tile is taken for one's own.
struct SharedBytes {
  AllocOp alloc;
  int64_t begin = 0, end = 0;
  bool exact = true; ///< Known at compile time.
  bool overlaps(const SharedBytes &other) const {
    return alloc && alloc == other.alloc && begin < other.end && other.begin < end;
  }
};
SharedBytes sharedBytes(mlir::Value shared);

/// The kernel argument behind a view or map: of a map, the view that it describes. None where the value is no
/// argument.
std::optional<unsigned> argumentOf(KernelOp kernel, mlir::Value memory);

/// The role of the memory behind an argument: a map without a role of its own has that of its view.
ArgRole memoryRole(KernelOp kernel, unsigned argument);

/// All accesses of an op; none where it touches no memory.
llvm::SmallVector<MemoryAccess> accessesOf(mlir::Operation *op);

} // namespace k3::tile

#endif // K3_PASSES_TILE_UTILS_H
