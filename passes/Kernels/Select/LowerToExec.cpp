//===- LowerToExec.cpp - k3-kernels-lower-to-exec ---------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Kernels/Select/Passes.h"

#include "dialects/K3/K3Utils.h"
#include "passes/Exec/Program/ProgramSignature.h"
#include "passes/Kernels/Select/GpuKernels.h"

using namespace mlir;

namespace k3 {

#define GEN_PASS_DEF_GPULOWERTOEXECPASS
#include "passes/Kernels/Select/Passes.h.inc"

namespace {

struct GpuLowerToExecPass : impl::GpuLowerToExecPassBase<GpuLowerToExecPass> {
  using GpuLowerToExecPassBase::GpuLowerToExecPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Expected<arch::GpuTarget> gpu = arch::findGpu(target);
    if (!gpu) {
      module.emitError() << gpu.status().text();
      return signalPassFailure();
    }
    if (MeshAttr mesh = getMesh(module); mesh.getWorld() != 1) {
      module.emitError() << "the mesh has " << mesh.getWorld() << " ranks; a GPU target runs one so far, set every axis to 1";
      return signalPassFailure();
    }
    llvm::StringSet<> weights;
    for (WeightOp weight : module.getOps<WeightOp>())
      weights.insert(weight.getSymName());
    Limits limits(module);
    GpuKernels kernels(&getContext(), *gpu);
    for (func::FuncOp function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (failed(lower(function, kernels, weights, limits)))
        return signalPassFailure();
    module.push_back(kernels.take().release());
  }

  LogicalResult lower(func::FuncOp function, GpuKernels &kernels, const llvm::StringSet<> &weights, const Limits &limits) {
    if (failed(checkSignature(function)) || failed(checkElements(function)) || failed(checkPacked(function, weights)))
      return failure();
    ModuleOp module = getOperation();
    std::string name = function.getName().str();
    DictionaryAttr bucket = bucketOf(function, limits);
    if (name == "pack") {
      function->remove();
      LogicalResult lowered = lowerGpuPack(function, makeProgram(function, name, bucket), module);
      function->destroy();
      return lowered;
    }
    int64_t maxRows = limits.tokens;
    FailureOr<SmallVector<int64_t>> first = gpuRanges(function, kernels, maxRows);
    if (failed(first))
      return failure();
    // The program takes the function's name, so the function goes first.
    function->remove();
    LogicalResult lowered = success();
    Builder b(&getContext());
    for (size_t i = 0; i < first->size() && succeeded(lowered); ++i) {
      kernels::RowRange rows{(*first)[i], i + 1 < first->size() ? (*first)[i + 1] - 1 : maxRows};
      NamedAttrList limited(bucket);
      limited.set("T", b.getI64ArrayAttr({i == 0 ? 0 : rows.first, rows.last}));
      std::string programName = first->size() == 1 ? name : name + ".b" + std::to_string(i);
      exec::ProgramOp program = makeProgram(function, programName, limited.getDictionary(&getContext()));
      lowered = lowerGpuFunction(function, program, kernels, module, rows, maxRows);
    }
    function->destroy();
    return lowered;
  }

  exec::ProgramOp makeProgram(func::FuncOp function, StringRef name, DictionaryAttr bucket) {
    OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
    return exec::ProgramOp::create(b, function.getLoc(), name, kindOf(function), variantOf(function), target, bucket, streamsOf(function));
  }

  LogicalResult checkElements(func::FuncOp function) {
    auto refused = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && isa<FloatType>(tensor.getElementType()) && !tensor.getElementType().isBF16();
    };
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      if (refused(type))
        return function.emitError() << "function @" << function.getSymName() << ": argument " << i << " is " << type
                                    << ", GPU targets compute on bf16";
    WalkResult result = function.walk([&](Operation *op) {
      if (llvm::none_of(op->getResultTypes(), refused) || isInPacking(op))
        return WalkResult::advance();
      op->emitOpError() << "computes in " << op->getResultTypes().front() << ", GPU targets compute on bf16";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
} // namespace k3
