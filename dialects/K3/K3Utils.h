//===- K3Utils.h - Look-ups over k3 symbols, shapes and roles ---*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_DIALECTS_K3_K3UTILS_H
#define K3_DIALECTS_K3_K3UTILS_H

#include "dialects/K3/K3Ops.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace k3 {

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Logical shape of a ranked tensor or an MX tensor; empty for any other type.
llvm::ArrayRef<int64_t> getLogicalShape(mlir::Type type);

/// The type with another shape: a tensor keeps its element, an MX tensor its formats. The last dimension of an MX
/// shape must be a multiple of its block.
mlir::Type withLogicalShape(mlir::Type type, llvm::ArrayRef<int64_t> shape);

/// True when the elements are the same: equal element types of tensors, equal formats of MX tensors.
bool haveSameElements(mlir::Type left, mlir::Type right);

//===----------------------------------------------------------------------===//
// Weights and state by symbol
//===----------------------------------------------------------------------===//

/// What a `k3.weight` or `k3.packed` symbol stands for.
struct WeightInfo {
  mlir::Operation *op = nullptr;
  /// Type of one member; dimension 0 cut to `used`.
  mlir::Type type;
  /// Set for a family.
  std::optional<int64_t> members;
};

/// What `k3.get` of the weight gives: its type with dimension 0 cut to `used`.
mlir::Type getUsedType(WeightOp weight);

/// The info of a weight or packed weight op, nothing for other ops (null included).
std::optional<WeightInfo> getWeightInfo(mlir::Operation *op);

/// Looks up a weight or packed weight from the nearest symbol table; nothing when there is none of that name.
std::optional<WeightInfo> lookupWeight(mlir::Operation *from, mlir::FlatSymbolRefAttr symbol);

/// Type of one member of the named weight or packed weight (tensor or MX), null when there is none of that name.
mlir::Type getWeightType(mlir::Operation *from, mlir::FlatSymbolRefAttr symbol);

/// The state of that name, null when there is none.
StateOp lookupState(mlir::Operation *from, mlir::FlatSymbolRefAttr symbol);

/// True inside `k3.packed` and inside the functions that packing is outlined to ("pack" in the name).
bool isInPacking(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// Roles of layer ops
//===----------------------------------------------------------------------===//

/// The closed set of weight roles of a layer op, in the order of its description; empty for other ops.
llvm::ArrayRef<llvm::StringLiteral> getWeightRoles(mlir::Operation *layer);
/// The closed set of state roles; empty for ops without state.
llvm::ArrayRef<llvm::StringLiteral> getStateRoles(mlir::Operation *layer);

/// Calls `visit` for each role -> symbol of a verified dictionary, in the order of the dictionary (by name).
void forEachRole(mlir::DictionaryAttr roles, llvm::function_ref<void(llvm::StringRef, mlir::FlatSymbolRefAttr)> visit);

//===----------------------------------------------------------------------===//
// Mesh
//===----------------------------------------------------------------------===//

/// The mesh of the enclosing module; all axes 1 when it names none.
MeshAttr getMesh(mlir::Operation *from);

/// Number of ranks along the axes together; nothing when the mesh lacks one of them.
std::optional<int64_t> getAxesSize(MeshAttr mesh, mlir::ArrayAttr axes);

} // namespace k3

#endif // K3_DIALECTS_K3_K3UTILS_H
