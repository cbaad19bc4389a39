//===- TileDialect.h - The tile dialect: class, attributes, types, enums --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_DIALECTS_TILE_TILEDIALECT_H
#define K3_DIALECTS_TILE_TILEDIALECT_H

#include "lib/Arch/Gpu.h"
#include "lib/Layout/SharedLayout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Tile/TileDialect.h.inc"
#include "dialects/Tile/TileEnums.h.inc"

namespace k3::tile {

namespace detail {
struct LayoutAttrStorage;
struct SmemAttrStorage;
} // namespace detail

/// Which path an access takes: loads and stores of lanes, or copies and wgmma.
enum class Proxy : uint8_t { Generic, Async };

/// One access of an op. Ends: by an mbarrier, by a bulk group, by a wgmma group, by a cp.async group, or with the op.
enum class Completion : uint8_t { Op, Mbarrier, BulkGroup, WgmmaGroup, CpAsyncGroup };

struct MemoryAccess {
  mlir::Value memory; ///< A shared tile, a view or a map.
  bool write;
  Proxy proxy;
  Completion completion;
};

/// A ranked tensor with a #tile.layout.
bool isTile(mlir::Type type);

class RolesOp;
class RoleOp;

} // namespace k3::tile

#define GET_ATTRDEF_CLASSES
#include "dialects/Tile/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Tile/TileTypes.h.inc"

namespace k3::tile {

/// The layout of a tile; the type must be one.
inline LayoutAttr layoutAttr(mlir::Type type) {
  return llvm::cast<LayoutAttr>(llvm::cast<mlir::RankedTensorType>(type).getEncoding());
}
inline const layout::RegLayout &layoutOf(mlir::Type type) { return layoutAttr(type).getLayout(); }

/// The tile type of a layout's shape.
mlir::RankedTensorType tileType(const layout::RegLayout &layout, mlir::Type element);

} // namespace k3::tile

#endif // K3_DIALECTS_TILE_TILEDIALECT_H
