//===- TileOps.h - Ops of the tile dialect ----------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_DIALECTS_TILE_TILEOPS_H
#define K3_DIALECTS_TILE_TILEOPS_H

#include "dialects/Tile/TileDialect.h"
#include "lib/Layout/Access.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"

#include "dialects/Tile/TileInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/Tile/TileOps.h.inc"

namespace k3::tile {

/// The role that an op stands in; null in the prologue.
RoleOp roleOf(mlir::Operation *op);

/// Warps of the team that executes an op: those of its role.
int64_t teamWarps(mlir::Operation *op);

/// Bytes that the address of a shared tile is a multiple of, as far as allocation, stages, parts and aliases tell.
int64_t addressAlignment(mlir::Value shared);

/// How `tile.ldmatrix` and `tile.stmatrix` move a tile: as many matrices per instruction as its registers allow.
Expected<layout::MatrixAccess> matrixAccess(mlir::RankedTensorType tile, SharedType shared, bool trans);

} // namespace k3::tile

#endif // K3_DIALECTS_TILE_TILEOPS_H
