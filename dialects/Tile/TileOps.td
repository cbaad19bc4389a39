//===- TileOps.td - All ops of the tile dialect -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TILE_OPS
#define K3_TILE_OPS

include "dialects/Tile/TileStructureOps.td"
include "dialects/Tile/TileMemoryOps.td"
include "dialects/Tile/TileSyncOps.td"
include "dialects/Tile/TileMatrixOps.td"
include "dialects/Tile/TileTensorOps.td"

#endif // K3_TILE_OPS
