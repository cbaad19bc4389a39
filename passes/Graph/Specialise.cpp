//===- Specialise.cpp - k3-graph-specialise --------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Names.h"
#include "passes/Graph/Passes.h"

using namespace mlir;

namespace k3 {

#define GEN_PASS_DEF_SPECIALISEPASS
#include "passes/Graph/Passes.h.inc"

namespace {

struct SpecialisePass : impl::SpecialisePassBase<SpecialisePass> {
  void runOnOperation() override {
    auto step = getOperation().lookupSymbol<func::FuncOp>("step");
    if (!step)
      return;
    OpBuilder builder(step);
    auto clone = [&](StringRef variant) {
      auto copy = cast<func::FuncOp>(builder.clone(*step));
      copy.setName(("step_" + variant).str());
      copy->setAttr(kVariantAttr, builder.getStringAttr(variant));
      return copy;
    };
    clone("decode").walk([](Operation *op) {
      if (auto core = dyn_cast<KdaCoreOp>(op); core && core.getForm() == KdaForm::Auto)
        core.setForm(KdaForm::Recurrent);
      if (auto core = dyn_cast<MlaCoreOp>(op); core && core.getForm() == MlaForm::Auto)
        core.setForm(MlaForm::Absorbed);
    });
    clone("ragged");
    step.erase();
  }
};

} // namespace
} // namespace k3
