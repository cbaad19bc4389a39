//===- FunctionLowering.h - Where the values of a function lie in a program --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_EXEC_PROGRAM_FUNCTIONLOWERING_H
#define K3_PASSES_EXEC_PROGRAM_FUNCTIONLOWERING_H

#include "passes/Exec/Program/ProgramBuilder.h"

namespace k3 {

/// Lowers one function of core ops to a program, op by op in order. What every target shares: arguments and results are
/// io, what is returned is written in place, splits and reshapes are views, taps are named points. A target says what the
/// other ops become.
class FunctionLowering {
public:
  FunctionLowering(mlir::func::FuncOp function, ProgramBuilder &p) : function(function), p(p) {}
  virtual ~FunctionLowering() = default;

  mlir::LogicalResult run();

protected:
  /// Lowers an op that is not a split, a reshape, a tap or a batch.
  virtual mlir::LogicalResult lower(mlir::Operation *op) = 0;

  const Placed &at(mlir::Value value) const { return placed.find(value)->second; }
  mlir::Value view(mlir::Value value) const { return at(value).view; }
  static mlir::RankedTensorType typeOf(mlir::Value value) { return llvm::cast<mlir::RankedTensorType>(value.getType()); }
  static llvm::ArrayRef<int64_t> innerOf(mlir::Value value) { return typeOf(value).getShape().drop_front(); }

  /// Memory for a result with as many rows as `like`; what the function returns is written in place.
  const Placed &make(mlir::OpResult result, mlir::AffineExpr rows);
  const Placed &make(mlir::OpResult result, mlir::Value like) { return make(result, at(like).rows); }
  /// The value as [rows, columns].
  mlir::Value matrixOf(mlir::Value value);

  mlir::func::FuncOp function;
  ProgramBuilder &p;

private:
  mlir::AffineExpr rowsOf(mlir::BlockArgument argument);
  void placeArguments();
  void placeResults();
  mlir::AffineExpr resultRows(mlir::Value value);
  bool lowerView(mlir::Operation *op);
  mlir::LogicalResult finish();
  void tapState(mlir::DictionaryAttr tap);

  llvm::DenseMap<mlir::Value, Placed> placed;
  llvm::SmallVector<Placed> outputs;
};

} // namespace k3

#endif // K3_PASSES_EXEC_PROGRAM_FUNCTIONLOWERING_H
