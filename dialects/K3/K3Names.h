//===- K3Names.h - Names of values, for taps and messages -------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value of the model is named by the NameLoc of its op ("layer.3.attn_in"), the results of an op with several by the
// discardable attribute `k3.names`. The layer's number stands in `k3.layer`.
//
//===----------------------------------------------------------------------===//

#ifndef K3_DIALECT_K3NAMES_H
#define K3_DIALECT_K3NAMES_H

#include "mlir/IR/Operation.h"

#include <string>

namespace k3 {

constexpr llvm::StringLiteral kLayerAttr = "k3.layer";
constexpr llvm::StringLiteral kNamesAttr = "k3.names";
/// On a core op: the stream that its entries run on; 0 where absent.
constexpr llvm::StringLiteral kStreamAttr = "k3.stream";
/// On a step function: the state taps, dictionaries {name, state, first_column, columns}; columns 0 means all.
constexpr llvm::StringLiteral kStateTapsAttr = "k3.state_taps";
/// On a step function: "decode" or "ragged".
constexpr llvm::StringLiteral kVariantAttr = "k3.variant";

/// Name in the location, or an empty one.
std::string locationName(mlir::Location loc);

/// Location of a part of a named op: "layer.3.attn_out" and "q_b" give "layer.3.attn_out.q_b".
mlir::Location partLocation(mlir::Location whole, llvm::StringRef part);

/// Names the results of an op, one each.
void nameResults(mlir::Operation *op, llvm::ArrayRef<std::string> names);

/// Name of a result, or an empty string when it has none of its own.
std::string valueName(mlir::OpResult result);

} // namespace k3

#endif // K3_DIALECT_K3NAMES_H
