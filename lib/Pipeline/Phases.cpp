//===- Phases.cpp - The phases of a compilation ---------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Pipeline/Phases.h"

#include "dialects/Exec/ExecOps.h"
#include "dialects/K3/K3Ops.h"
#include "dialects/Tile/TileOps.h"
#include "lib/Arch/Gpu.h"
#include "passes/Exec/Passes.h"
#include "passes/Graph/Passes.h"
#include "passes/Host/Kernels/LowerGridAbi.h"
#include "passes/Host/Passes.h"
#include "passes/Kernels/Passes.h"
#include "passes/Kernels/Select/Passes.h"
#include "passes/Lower/Passes.h"
#include "passes/Tile/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace k3 {

static void buildImport(OpPassManager &, const PhaseOptions &) {}

static void buildDecompose(OpPassManager &pm, const PhaseOptions &) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createDecomposePass());
}

static void buildTap(OpPassManager &pm, const PhaseOptions &options) {
  InsertTapsPassOptions taps;
  taps.regex = options.taps;
  pm.addPass(createInsertTapsPass(taps));
}

static void buildFuse(OpPassManager &pm, const PhaseOptions &) { pm.addNestedPass<func::FuncOp>(createFusePass()); }

static void buildSpecialise(OpPassManager &pm, const PhaseOptions &) { pm.addPass(createSpecialisePass()); }

static void buildPack(OpPassManager &pm, const PhaseOptions &) { pm.addPass(createBuildPackPass()); }

static void buildLower(OpPassManager &pm, const PhaseOptions &options) {
  if (options.isHost()) {
    pm.addPass(createLowerToExecPass());
    return;
  }
  GpuLowerToExecPassOptions gpu;
  gpu.target = options.target;
  pm.addPass(createGpuLowerToExecPass(gpu));
}

static void buildTile(OpPassManager &pm, const PhaseOptions &options) {
  if (options.isHost())
    return;
  Expected<arch::GpuTarget> gpu = arch::findGpu(options.target.getValue());
  tile::buildTilePrepare(pm.nest<ModuleOp>(), gpu ? std::string(gpu->info->name) : options.target.getValue());
  pm.addPass(createSizeLaunchesPass());
}

static void buildSchedule(OpPassManager &pm, const PhaseOptions &) { pm.addNestedPass<exec::ProgramOp>(createSchedulePass()); }

static void buildArena(OpPassManager &pm, const PhaseOptions &) {
  pm.addNestedPass<exec::ProgramOp>(createAssignArenaPass());
  pm.addNestedPass<exec::ProgramOp>(createVerifyArenaPass());
}

ArrayRef<Phase> phases() {
  static const Phase list[] = {
      {"import", "the model as layer ops, weights and state", buildImport},
      {"decompose", "core ops over packed weights", buildDecompose},
      {"tap", "named read and write points", buildTap},
      {"fuse", "adds and norms inside attention residuals", buildFuse},
      {"specialise", "one step function for decode, one for ragged batches", buildSpecialise},
      {"pack", "packed weights as the program @pack", buildPack},
      {"lower", "programs of launches, and the kernels they name", buildLower},
      {"tile", "GPU kernels checked against the architecture, fenced, their shared memory placed", buildTile},
      {"schedule", "dependencies of the launches", buildSchedule},
      {"arena", "a place in memory for every value", buildArena},
  };
  return list;
}

const Phase *findPhase(StringRef name) {
  for (const Phase &phase : phases())
    if (phase.name == name)
      return &phase;
  return nullptr;
}

void registerK3Passes() {
  registerK3GraphPasses();
  registerK3HostPasses();
  registerK3ExecPasses();
  registerK3LowerPasses();
  registerK3KernelsPasses();
  registerK3SelectPasses();
  host::registerHostKernelPasses();
  tile::registerTilePasses();

  for (const Phase &phase : phases()) {
    static std::vector<std::unique_ptr<PassPipelineRegistration<PhaseOptions>>> registrations;
    registrations.push_back(std::make_unique<PassPipelineRegistration<PhaseOptions>>(
        ("k3-phase-" + phase.name).str(), phase.description.str(),
        [&phase](OpPassManager &pm, const PhaseOptions &options) { phase.build(pm, options); }));
    registrations.push_back(std::make_unique<PassPipelineRegistration<PhaseOptions>>(
        ("k3-to-" + phase.name).str(), ("all phases up to: " + phase.description).str(),
        [&phase](OpPassManager &pm, const PhaseOptions &options) {
          for (const Phase &each : phases()) {
            each.build(pm, options);
            if (&each == &phase)
              break;
          }
        }));
  }
}

void registerK3Dialects(DialectRegistry &registry) {
  registry.insert<K3Dialect, exec::ExecDialect, tile::TileDialect, arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, scf::SCFDialect, vector::VectorDialect>();
}

} // namespace k3
