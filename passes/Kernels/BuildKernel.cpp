//===- BuildKernel.cpp - One kernel into a module ---------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Kernels/Kernels.h"
#include "passes/Kernels/Passes.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace k3;
using namespace k3::kernels;

namespace k3 {
#define GEN_PASS_DEF_BUILDKERNELPASS
#include "passes/Kernels/Passes.h.inc"
} // namespace k3

namespace {

/// The plan as an attribute, so that tests and tools see it.
DictionaryAttr planAttr(OpBuilder &b, const BuiltKernel &built) {
  static constexpr StringRef kinds[] = {"view", "map", "tokens"};
  SmallVector<Attribute> args;
  for (const KernelArg &arg : built.args)
    args.push_back(arg.kind == KernelArg::Tokens
                       ? b.getStringAttr(kinds[arg.kind])
                       : b.getStringAttr(kinds[arg.kind] + " " + Twine(arg.operand)));
  const LaunchPlan &plan = built.plan;
  return b.getDictionaryAttr({b.getNamedAttr("args", b.getArrayAttr(args)),
                              b.getNamedAttr("rows_per_unit", b.getI64IntegerAttr(plan.rowsPerUnit)),
                              b.getNamedAttr("units_per_rows", b.getI64IntegerAttr(plan.unitsPerRows)),
                              b.getNamedAttr("ctas_per_sm", b.getI64IntegerAttr(plan.ctasPerSm)),
                              b.getNamedAttr("dependent", b.getBoolAttr(plan.dependent))});
}

struct BuildKernelPass : k3::impl::BuildKernelPassBase<BuildKernelPass> {
  using BuildKernelPassBase::BuildKernelPassBase;

  FailureOr<BuiltKernel> build(const arch::GpuTarget &target, RowRange range) {
    ModuleOp module = getOperation();
    std::string symbol = name.empty() ? family.getValue() : name.getValue();
    auto epsilon = static_cast<float>(eps);
    if (family == "rms_norm")
      return buildRmsNorm(module, symbol, {.d = d, .eps = epsilon}, range, target);
    if (family == "attn_res")
      return buildAttnRes(module, symbol,
                          {.d = d, .sources = sources, .eps = epsilon, .addsDelta = addsDelta, .writesBank = writesBank, .norm = norm},
                          range, target);
    if (family == "gemm") {
      GemmProblem problem{.n = n, .k = k};
      std::optional<GemmEpilogue> form = llvm::StringSwitch<std::optional<GemmEpilogue>>(epilogue.getValue())
                                             .Case("none", GemmEpilogue::None)
                                             .Case("residual", GemmEpilogue::ResidualAdd)
                                             .Case("situ", GemmEpilogue::SituGlu)
                                             .Case("gate", GemmEpilogue::SigmoidGate)
                                             .Default(std::nullopt);
      if (!form)
        return module.emitError() << "k3-build-kernel: unknown epilogue '" << epilogue.getValue()
                                  << "'; known are none, residual, situ, gate";
      problem.epilogue = *form;
      return buildGemm(module, symbol, problem, range, target);
    }
    return module.emitError() << "k3-build-kernel: unknown family '" << family.getValue()
                              << "'; known are gemm, rms_norm, attn_res";
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Expected<arch::GpuTarget> gpu = arch::findGpu(target.getValue());
    if (!gpu) {
      module.emitError() << "k3-build-kernel: " << gpu.status().text();
      return signalPassFailure();
    }
    RowRange range{};
    auto [first, last] = StringRef(rows.getValue()).split(':');
    if (first.getAsInteger(10, range.first) || last.getAsInteger(10, range.last) || range.first < 1 ||
        range.last < range.first) {
      module.emitError() << "k3-build-kernel: rows=" << rows.getValue() << ", expected FIRST:LAST";
      return signalPassFailure();
    }
    FailureOr<BuiltKernel> built = build(*gpu, range);
    if (failed(built))
      return signalPassFailure();
    OpBuilder b(&getContext());
    built->kernel->setAttr("k3.launch", planAttr(b, *built));
  }
};

} // namespace
