//===- K3Verify.h - Checks that the verifiers of the k3 ops share ---*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each check emits one line that says what is wrong and what was expected, and returns failure.
//
//===----------------------------------------------------------------------===//

#ifndef K3_DIALECTS_K3_K3VERIFY_H
#define K3_DIALECTS_K3_K3VERIFY_H

#include "dialects/K3/K3Utils.h"

#include <string>

namespace k3 {

/// Stands for any extent in an expected shape; a dynamic extent is matched only by `ShapedType::kDynamic`.
constexpr int64_t kAny = -1;

/// "[?, 192]"; any extent prints as "_".
std::string shapeText(llvm::ArrayRef<int64_t> shape);
/// "-5", "1e-05".
std::string numberText(const llvm::APFloat &number);
bool matchesShape(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> expected);

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) { return getLogicalShape(value.getType()); }

/// `x is [?, 64], expected [?, 128]`.
llvm::LogicalResult checkShape(mlir::Operation *op, llvm::StringRef name, mlir::Value value,
                               llvm::ArrayRef<int64_t> expected);
/// `x is [4, 5, 6], expected 2 dimensions`.
llvm::LogicalResult checkRank(mlir::Operation *op, llvm::StringRef name, mlir::Value value, size_t rank);
/// Finite and above zero.
llvm::LogicalResult checkPositive(mlir::Operation *op, llvm::StringRef name, const llvm::APFloat &number);
llvm::LogicalResult checkPositive(mlir::Operation *op, llvm::StringRef name, int64_t number);
/// A decay bound: negative and finite.
llvm::LogicalResult checkBound(mlir::Operation *op, const llvm::APFloat &bound);

/// MX values stay inside packing.
llvm::LogicalResult checkMxInPacking(mlir::Operation *op);

/// Axes exist and dims are as many as `shape`'s; with `divides`, `shape` is unsharded and every cut must be even.
llvm::LogicalResult checkShard(mlir::Operation *op, ShardAttr shard, mlir::Type type, bool divides);
/// No reader of `value`, an unreduced sum over axes larger than 1, may need the whole sum.
llvm::LogicalResult checkPartialUses(mlir::Value value, ShardAttr shard);

/// Dictionary of a layer op: exactly the roles `allowed`, every entry a symbol. `kind` is "weight" or "state".
llvm::LogicalResult checkRoles(mlir::Operation *op, mlir::DictionaryAttr given, llvm::StringRef kind,
                               llvm::ArrayRef<llvm::StringLiteral> allowed);

/// Looks symbols up for one op and words what is wrong with them.
class SymbolChecker {
public:
  SymbolChecker(mlir::Operation *op, mlir::SymbolTableCollection &tables) : op(op), tables(tables) {}

  /// The op of that name; emits when there is none.
  mlir::Operation *find(mlir::FlatSymbolRefAttr symbol);
  /// The weight or packed weight, a family or not as asked; emits when it is none.
  std::optional<WeightInfo> weight(mlir::FlatSymbolRefAttr symbol, bool family = false);
  /// The shape of a single weight; `role` is its name in the op.
  llvm::LogicalResult shape(llvm::StringRef role, mlir::FlatSymbolRefAttr symbol, llvm::ArrayRef<int64_t> expected,
                            bool family = false);
  /// The shape and kind of state that the op reads or writes. The op must be its only writer in the function.
  llvm::LogicalResult state(mlir::FlatSymbolRefAttr symbol, StateKind kind, llvm::ArrayRef<int64_t> expected);
  /// The state, of any kind; emits when there is none.
  StateOp state(mlir::FlatSymbolRefAttr symbol);

private:
  llvm::LogicalResult onlyWriter(mlir::FlatSymbolRefAttr symbol);

  mlir::Operation *op;
  mlir::SymbolTableCollection &tables;
};

} // namespace k3

#endif // K3_DIALECTS_K3_K3VERIFY_H
