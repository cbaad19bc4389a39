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
#include "passes/Exec/Program/ProgramSignature.h"
#include "passes/Host/HostProgram.h"

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
