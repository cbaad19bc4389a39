//===- Prepare.cpp - The pipeline k3-tile-prepare -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Tile/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace k3::tile {

namespace {
struct PrepareOptions : PassPipelineOptions<PrepareOptions> {
  Option<std::string> arch{*this, "arch", llvm::cl::desc("architecture or product, as sm_90a or h200"),
                           llvm::cl::init("")};
};
} // namespace

void buildTilePrepare(OpPassManager &pm, StringRef arch) {
  OpPassManager &kernel = pm.nest<KernelOp>();
  kernel.addPass(createCheckArchPass({arch.str()}));
  kernel.addPass(createAssignWarpsPass());
  kernel.addPass(createInsertFencesPass());
  kernel.addPass(createCheckBarriersPass());
  kernel.addPass(createCheckArgumentsPass());
  kernel.addPass(createAssignSharedPass({arch.str()}));
  kernel.addPass(createEstimateRegistersPass());
}

void registerTilePasses() {
  registerK3TilePasses();
  PassPipelineRegistration<PrepareOptions>(
      "k3-tile-prepare", "tile kernels as the Emulator and Lower take them",
      [](OpPassManager &pm, const PrepareOptions &options) { buildTilePrepare(pm, options.arch); });
}

} // namespace k3::tile
