//===- LowerToExec.cpp - k3-host-lower-to-exec ----------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Host/Passes.h"

#include "dialects/K3/K3Names.h"
#include "dialects/K3/K3StepAbi.h"
#include "dialects/K3/K3Utils.h"
#include "passes/Host/ProgramBuilder.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace k3 {

#define GEN_PASS_DEF_LOWERTOEXECPASS
#include "passes/Host/Passes.h.inc"

namespace {

/// Upper ends of the launch-time symbols, from `k3.limits`.
struct Limits {
  int64_t tokens = 256, sequences = 8, logitRows = 8;

  explicit Limits(ModuleOp module) {
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
};

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

struct LowerToExecPass : impl::LowerToExecPassBase<LowerToExecPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshAttr mesh = getMesh(module);
    if (mesh.getWorld() != 1 || mesh.getEp() != 1 || mesh.getCp() != 1) {
      module.emitError() << "the host target runs one rank, the mesh has " << mesh.getWorld() << "; set every axis to 1";
      return signalPassFailure();
    }
    for (k3::StateOp state : module.getOps<k3::StateOp>())
      if (Type element = cast<RankedTensorType>(state.getType()).getElementType(); !element.isF32()) {
        state.emitError() << "state @" << state.getSymName() << " is stored in " << element
                          << ", the host target stores f32; compile with --precision=f32";
        return signalPassFailure();
      }
    llvm::StringSet<> weights;
    for (WeightOp weight : module.getOps<WeightOp>())
      weights.insert(weight.getSymName());
    Limits limits(module);
    host::KernelModule kernels(&getContext());
    for (func::FuncOp function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (failed(checkSignature(function)) || failed(checkPrecision(function)) || failed(checkPacked(function, weights)))
        return signalPassFailure();
      // The program takes the function's name, so the function goes first.
      std::string name = function.getName().str();
      function->remove();
      OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
      b.setInsertionPointToEnd(module.getBody());
      auto program = exec::ProgramOp::create(b, function.getLoc(), name, kindOf(function), variantOf(function), "host",
                                             bucketOf(function, limits), streamsOf(function));
      LogicalResult lowered = name == "pack" ? host::lowerPack(function, program, kernels, module)
                                             : host::lowerFunction(function, program, kernels, module);
      function->destroy();
      if (failed(lowered))
        return signalPassFailure();
    }
    OwningOpRef<ModuleOp> grid = kernels.take();
    grid->setName(kHostKernels);
    module.push_back(grid.release());
  }

  /// Inputs and results of a program are buffers of rows: only the number of rows is open.
  LogicalResult checkSignature(func::FuncOp function) {
    if (!function.getBody().hasOneBlock())
      return function.emitError() << "function @" << function.getSymName() << " has "
                                  << (function.isExternal() ? "no body" : "branches")
                                  << ", the host target compiles functions of one block";
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

  /// Kernels read weights as @pack lays them out; only @pack reads them as published.
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

  LogicalResult checkPrecision(func::FuncOp function) {
    WalkResult result = function.walk([&](Operation *op) {
      for (Value value : op->getResults())
        if (auto tensor = dyn_cast<RankedTensorType>(value.getType());
            tensor && tensor.getElementType().isBF16() && !isInPacking(op)) {
          op->emitOpError("computes in bf16, the host target computes in f32; compile with --precision=f32");
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
} // namespace k3
