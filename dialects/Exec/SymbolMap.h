//===- SymbolMap.h - Expressions over launch-time symbols ----------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Extents, offsets and unit counts of the exec dialect are affine maps () -> (...) with the nine symbols
// below, in this order. In text they are written by name: `dims [T, 2 * S + 1]`.
//
//===----------------------------------------------------------------------===//

#ifndef K3_DIALECTS_EXEC_SYMBOLMAP_H
#define K3_DIALECTS_EXEC_SYMBOLMAP_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

#include <array>
#include <optional>

namespace k3::exec {

/// T tokens, S sequences, R logit rows, C checkpoints, SM compute units; Member and Slot of `exec.members`; N
/// slots and M pages of a copy_state program.
enum class LaunchSymbol : unsigned { T, S, R, C, SM, Member, Slot, N, M };
inline constexpr unsigned launchSymbolCount = 9;

/// "T", ..., "member", ...
llvm::StringRef launchSymbolName(LaunchSymbol symbol);
std::optional<LaunchSymbol> parseLaunchSymbol(llvm::StringRef name);

mlir::AffineExpr symbolExpr(mlir::MLIRContext *context, LaunchSymbol symbol);

/// A map of these results; no results is a scalar shape.
mlir::AffineMap symbolMap(mlir::MLIRContext *context, llvm::ArrayRef<mlir::AffineExpr> results);
mlir::AffineMap constantMap(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> values);
/// [rows, extents...]
mlir::AffineMap rowsMap(mlir::MLIRContext *context, LaunchSymbol rows, llvm::ArrayRef<int64_t> extents);

bool isSymbolMap(mlir::Attribute attribute);

/// A value for each symbol, or nothing where it is unknown.
using SymbolAssignment = std::array<std::optional<int64_t>, launchSymbolCount>;
/// The value of an expression; nothing if it needs an unknown symbol.
std::optional<int64_t> evaluate(mlir::AffineExpr expression, const SymbolAssignment &symbols);

/// Text of one expression, as the printer writes it.
std::string exprText(mlir::AffineExpr expression);

mlir::ParseResult parseSymbolMap(mlir::OpAsmParser &parser, mlir::AffineMapAttr &map);
void printSymbolMap(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::AffineMapAttr map);
mlir::ParseResult parseOptionalSymbolMap(mlir::OpAsmParser &parser, mlir::AffineMapAttr &map);
void printOptionalSymbolMap(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::AffineMapAttr map);

} // namespace k3::exec

#endif // K3_DIALECTS_EXEC_SYMBOLMAP_H
