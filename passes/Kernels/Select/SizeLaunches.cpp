//===- SizeLaunches.cpp - k3-kernels-size-launches --------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Kernels/Select/Passes.h"

using namespace mlir;

namespace k3 {

#define GEN_PASS_DEF_SIZELAUNCHESPASS
#include "passes/Kernels/Select/Passes.h.inc"

namespace {

struct SizeLaunchesPass : impl::SizeLaunchesPassBase<SizeLaunchesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = module.lookupSymbol<ModuleOp>(kGpuKernels);
    if (!kernels)
      return;
    Builder b(&getContext());
    WalkResult result = module.walk([&](exec::GpuLaunchOp launch) {
      auto declaration = module.lookupSymbol<exec::KernelOp>(launch.getKernelAttr());
      auto kernel = kernels.lookupSymbol<tile::KernelOp>(declaration.getGpu().value_or(launch.getKernel()));
      if (!kernel || !kernel.getThreads() || !kernel.getSharedBytes()) {
        launch.emitOpError() << "launches @" << launch.getKernel()
                             << ", whose threads and shared memory are not known; run passes/Tile on the kernels before";
        return WalkResult::interrupt();
      }
      launch.setBlock(*kernel.getThreads());
      launch.setSmem(*kernel.getSharedBytes());
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace k3
