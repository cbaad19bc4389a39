//===- PackageViews.h - Expressions, buffers and views as records -- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_EXEC_PACKAGEVIEWS_H
#define K3_PASSES_EXEC_PACKAGEVIEWS_H

#include "dialects/Exec/ExecOps.h"
#include "lib/Package/Package_generated.h"

#include "llvm/ADT/StringMap.h"

namespace k3::exec {

/// The same sum of terms; nothing where an expression is none (a product of sums, a quotient of a sum).
std::unique_ptr<fb::ExprT> toExpr(mlir::AffineExpr expression);

/// None for a type that the schema does not have. A signless i8 is a byte of a packed format: U8.
fb::DType toDType(mlir::Type element);

/// The name in a NameLoc, outermost first; "" without one.
std::string locationName(mlir::Location loc);

/// Makes views, and buffers as views need them. Reports what cannot be expressed at the op that makes the
/// value.
class ViewWriter {
public:
  explicit ViewWriter(fb::PackageT &package);

  mlir::FailureOr<std::unique_ptr<fb::ViewT>> view(mlir::Value value);
  mlir::FailureOr<std::vector<std::unique_ptr<fb::DimT>>> dims(mlir::Operation *op, mlir::AffineMap map);
  mlir::FailureOr<std::unique_ptr<fb::ExprT>> expr(mlir::Operation *op, mlir::AffineExpr expression);

  /// Index of the buffer of an argument, a buffer op, a packed weight or a state.
  mlir::FailureOr<uint32_t> buffer(mlir::Operation *op);
  std::optional<uint32_t> weight(llvm::StringRef name) const { return find(weights, name); }

private:
  static std::optional<uint32_t> find(const llvm::StringMap<uint32_t> &in, llvm::StringRef name) {
    auto it = in.find(name);
    return it == in.end() ? std::nullopt : std::optional<uint32_t>(it->second);
  }
  uint32_t bufferOf(fb::Space space, llvm::StringRef name, std::unique_ptr<fb::ExprT> bytes);

  fb::PackageT &package;
  llvm::StringMap<uint32_t> weights, packed, states, buffers;
};

} // namespace k3::exec

#endif // K3_PASSES_EXEC_PACKAGEVIEWS_H
