//===- LowerTileToNvvm.cpp - The pass ------------------------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Lower/Emitter.h"
#include "passes/Lower/Passes.h"

using namespace mlir;

namespace k3 {

#define GEN_PASS_DEF_LOWERTILETONVVMPASS
#include "passes/Lower/Passes.h.inc"

namespace {

/// What the target cannot execute would be a crash of the back end.
LogicalResult checkFeatures(tile::KernelOp kernel, const arch::GpuInfo &gpu) {
  WalkResult walk = kernel.walk([&](tile::ArchOpInterface op) -> WalkResult {
    for (arch::Feature feature : op.getRequiredFeatures())
      if (!gpu.has(feature))
        return op->emitOpError() << "needs " << arch::gpusWith(feature) << ", the target is " << gpu.name;
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

struct LowerTileToNvvmPass : impl::LowerTileToNvvmPassBase<LowerTileToNvvmPass> {
  using LowerTileToNvvmPassBase::LowerTileToNvvmPassBase;

  void runOnOperation() override {
    Expected<arch::GpuTarget> target = arch::findGpu(arch);
    if (!target) {
      emitError(getOperation().getLoc()) << target.status().text();
      return signalPassFailure();
    }
    for (tile::KernelOp kernel : llvm::to_vector(getOperation().getOps<tile::KernelOp>())) {
      if (failed(checkFeatures(kernel, *target->info)) ||
          failed(lower::Emitter(getOperation(), kernel).run()))
        return signalPassFailure();
      kernel.erase();
    }
  }
};

} // namespace
} // namespace k3
