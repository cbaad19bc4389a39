//===- ProgramBuilder.h - Builds one exec program -*- C++ -*- -------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_EXEC_PROGRAM_PROGRAMBUILDER_H
#define K3_PASSES_EXEC_PROGRAM_PROGRAMBUILDER_H

#include "dialects/Exec/ExecOps.h"
#include "dialects/K3/K3Ops.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

namespace k3 {

/// A tensor of the function and where it lies: [rows, inner...], rows `rowStride` elements apart (none: dense).
struct Placed {
  mlir::Value view;
  mlir::AffineExpr rows;
  llvm::SmallVector<int64_t, 3> inner;
  mlir::Type element;
  std::optional<int64_t> rowStride;

  int64_t rowElements() const { return llvm::product_of(inner); }
};

/// Appends to one program. Symbols (weights, state) are named once a program.
class ProgramBuilder {
public:
  ProgramBuilder(exec::ProgramOp program, mlir::ModuleOp module);

  mlir::AffineExpr symbol(exec::LaunchSymbol symbol) const;
  mlir::AffineExpr constant(int64_t value) const;
  mlir::AffineMap map(llvm::ArrayRef<mlir::AffineExpr> results) const;

  /// An argument or result of the program.
  Placed io(llvm::StringRef name, mlir::AffineExpr rows, llvm::ArrayRef<int64_t> inner, mlir::Type element, bool output);
  /// An intermediate value.
  Placed tensor(llvm::StringRef name, mlir::AffineExpr rows, llvm::ArrayRef<int64_t> inner, mlir::Type element);
  /// `inner` extents from column `column` of the same rows.
  Placed columns(const Placed &of, int64_t column, llvm::ArrayRef<int64_t> inner);
  /// The same rows as a matrix [rows, product of inner].
  Placed matrix(const Placed &of) { return columns(of, 0, {of.rowElements()}); }

  /// All of a packed weight, extents as the kernels expect them: a tensor as it is (one dimension: as rows), an MX family as
  /// [members, bytes] of i8.
  mlir::Value packed(mlir::FlatSymbolRefAttr symbol);
  /// State as [slots or pages, per slot extents...]; paged: [pages, page rows, columns].
  mlir::Value state(mlir::FlatSymbolRefAttr symbol);
  /// State as [slots or pages, elements].
  mlir::Value stateRows(mlir::FlatSymbolRefAttr symbol, int64_t &elements);

  mlir::OpBuilder b;
  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  /// Where entries are said to come from, and the stream they run on: those of the op being lowered.
  mlir::Location loc;
  int64_t stream = 0;

private:
  exec::ProgramOp program;
  llvm::DenseMap<mlir::Attribute, mlir::Value> named;
};

/// Bytes of one member of an MX weight in the host layout: elements, then scales.
inline int64_t mxBytes(MxType type) { return type.getElementBytes() + type.getScaleBytes(); }

} // namespace k3

#endif // K3_PASSES_EXEC_PROGRAM_PROGRAMBUILDER_H
