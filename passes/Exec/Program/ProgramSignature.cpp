//===- ProgramSignature.cpp - What a function says about its program --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Exec/Program/ProgramSignature.h"

#include "dialects/K3/K3Names.h"
#include "dialects/K3/K3StepAbi.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace k3 {

Limits::Limits(ModuleOp module) {
  auto limits = module->getAttrOfType<DictionaryAttr>(K3Dialect::kLimitsAttr);
  if (!limits)
    return;
  auto integer = [&](StringRef name, int64_t otherwise) {
    auto attr = limits.getAs<IntegerAttr>(name);
    return attr ? attr.getInt() : otherwise;
  };
  tokens = integer("max_tokens", tokens);
  sequences = integer("max_seqs", sequences);
  auto all = limits.getAs<BoolAttr>("all_logits");
  logitRows = (all && all.getValue()) || limits.getAs<UnitAttr>("all_logits") ? tokens : sequences;
}

DictionaryAttr bucketOf(func::FuncOp function, const Limits &limits) {
  Builder b(function.getContext());
  SmallVector<NamedAttribute> ranges;
  auto range = [&](StringRef name, int64_t max) {
    ranges.push_back(b.getNamedAttr(name, b.getI64ArrayAttr({0, max})));
  };
  StringRef name = function.getName();
  if (name == "pack")
    return b.getDictionaryAttr({});
  if (name == "copy_state") {
    range("N", limits.sequences);
    range("M", limits.sequences);
  } else if (name == "sample") {
    range("R", limits.logitRows);
  } else {
    range("T", name == "step_decode" ? std::min(limits.sequences, limits.tokens) : limits.tokens);
    range("S", limits.sequences);
    range("R", name == "step_decode" ? limits.sequences : limits.logitRows);
    range("C", limits.sequences);
  }
  return b.getDictionaryAttr(ranges);
}

exec::ProgramKind kindOf(func::FuncOp function) {
  if (isStep(function))
    return exec::ProgramKind::Step;
  return llvm::StringSwitch<exec::ProgramKind>(function.getName())
      .Case("pack", exec::ProgramKind::Pack)
      .Case("copy_state", exec::ProgramKind::CopyState)
      .Case("sample", exec::ProgramKind::Sample)
      .Default(exec::ProgramKind::Aux);
}

exec::ProgramVariant variantOf(func::FuncOp function) {
  auto variant = function->getAttrOfType<StringAttr>(kVariantAttr);
  if (!variant)
    return exec::ProgramVariant::Any;
  return variant == "decode" ? exec::ProgramVariant::Decode : exec::ProgramVariant::Ragged;
}

int64_t streamsOf(func::FuncOp function) {
  int64_t streams = 1;
  function.walk([&](Operation *op) {
    if (auto stream = op->getAttrOfType<IntegerAttr>(kStreamAttr))
      streams = std::max(streams, stream.getInt() + 1);
  });
  return streams;
}

LogicalResult checkSignature(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError() << "function @" << function.getSymName() << " has "
                                << (function.isExternal() ? "no body" : "branches")
                                << ", expected one block";
  auto check = [&](Type type, const char *what, unsigned number) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    bool rows = tensor && tensor.getRank() > 0 && llvm::none_of(tensor.getShape().drop_front(), ShapedType::isDynamic);
    if (rows && tensor.getElementType().isIntOrFloat() && tensor.getElementTypeBitWidth() % 8 == 0)
      return success();
    return function.emitError() << "function @" << function.getSymName() << ": " << what << " " << number << " is " << type
                                << ", expected a ranked tensor like tensor<?x8xf32>: of at least one dimension, only the "
                                   "first open, elements of whole bytes";
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (failed(check(type, "argument", i)))
      return failure();
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(check(type, "result", i)))
      return failure();
  return success();
}

LogicalResult checkPacked(func::FuncOp function, const llvm::StringSet<> &weights) {
  if (function.getName() == "pack")
    return success();
  WalkResult result = function.walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute.getValue()); symbol && weights.contains(symbol.getValue())) {
        op->emitOpError() << "reads the weight " << symbol << ", expected a k3.packed; run the phase pack before";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace k3
