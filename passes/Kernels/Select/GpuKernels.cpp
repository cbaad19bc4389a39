//===- GpuKernels.cpp - The tile kernels of a module, one per problem and range --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Kernels/Select/GpuKernels.h"

#include "passes/Kernels/Select/Passes.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace k3 {

using kernels::AttnResProblem;
using kernels::GemmEpilogue;
using kernels::GemmProblem;
using kernels::RmsNormProblem;

static StringRef epilogueName(GemmEpilogue epilogue) {
  switch (epilogue) {
  case GemmEpilogue::None:
    return "none";
  case GemmEpilogue::ResidualAdd:
    return "residual_add";
  case GemmEpilogue::SituGlu:
    return "situ_glu";
  case GemmEpilogue::SigmoidGate:
    return "sigmoid_gate";
  }
  llvm_unreachable("every epilogue has a name");
}

namespace {

struct Name {
  std::string operator()(const GemmProblem &p) const {
    std::string name = llvm::formatv("gemm_{0}x{1}", p.n, p.k);
    if (p.epilogue != GemmEpilogue::None)
      name += ("_" + epilogueName(p.epilogue)).str();
    return name;
  }
  std::string operator()(const RmsNormProblem &p) const { return llvm::formatv("rms_norm_{0}", p.d); }
  std::string operator()(const AttnResProblem &p) const {
    return llvm::formatv("attn_res_{0}x{1}{2}{3}{4}", p.sources, p.d, p.addsDelta ? "_plus" : "", p.writesBank ? "_bank" : "",
                         p.norm ? "_norm" : "");
  }
};

struct Json {
  llvm::json::Object operator()(const GemmProblem &p) const {
    return llvm::json::Object{{"family", "gemm"}, {"n", p.n},           {"k", p.k}, {"epilogue", epilogueName(p.epilogue)},
            {"beta", p.situBeta}, {"linear_beta", p.situLinearBeta}};
  }
  llvm::json::Object operator()(const RmsNormProblem &p) const { return llvm::json::Object{{"family", "rms_norm"}, {"d", p.d}, {"eps", p.eps}}; }
  llvm::json::Object operator()(const AttnResProblem &p) const {
    return llvm::json::Object{{"family", "attn_res"}, {"d", p.d},         {"sources", p.sources}, {"eps", p.eps}, {"adds_delta", p.addsDelta},
            {"writes_bank", p.writesBank}, {"norm", p.norm}};
  }
};

} // namespace

std::string problemName(const KernelProblem &problem) { return std::visit(Name(), problem); }

std::string problemJson(const KernelProblem &problem) {
  return llvm::formatv("{0}", llvm::json::Value(std::visit(Json(), problem)));
}

GpuKernels::GpuKernels(MLIRContext *context, const arch::GpuTarget &target)
    : target(target), module(ModuleOp::create(UnknownLoc::get(context), kGpuKernels)) {}

std::vector<kernels::RowRange> GpuKernels::ranges(const KernelProblem &problem, int64_t maxRows) const {
  if (auto *gemm = std::get_if<GemmProblem>(&problem))
    return gemmRanges(*gemm, maxRows, target);
  if (auto *norm = std::get_if<RmsNormProblem>(&problem))
    return rmsNormRanges(*norm, maxRows, target);
  return attnResRanges(std::get<AttnResProblem>(problem), maxRows, target);
}

const kernels::BuiltKernel *GpuKernels::get(const KernelProblem &problem, kernels::RowRange rows, int64_t maxRows, Location loc) {
  for (kernels::RowRange range : ranges(problem, maxRows)) {
    if (rows.first < range.first || rows.last > range.last)
      continue;
    // The numbers of a problem that its name leaves out (eps, betas) are in the JSON.
    std::string key = problemJson(problem) + llvm::formatv(" {0}", range.first).str();
    auto [it, inserted] = built.try_emplace(key);
    if (!inserted)
      return &it->second;
    std::string name = llvm::formatv("{0}_r{1}", problemName(problem), range.first);
    for (unsigned copy = 2; module->lookupSymbol(name); ++copy)
      name = llvm::formatv("{0}_r{1}_{2}", problemName(problem), range.first, copy);
    FailureOr<kernels::BuiltKernel> kernel =
        std::holds_alternative<GemmProblem>(problem) ? buildGemm(*module, name, std::get<GemmProblem>(problem), range, target)
        : std::holds_alternative<RmsNormProblem>(problem)
            ? buildRmsNorm(*module, name, std::get<RmsNormProblem>(problem), range, target)
            : buildAttnRes(*module, name, std::get<AttnResProblem>(problem), range, target);
    if (failed(kernel))
      return nullptr;
    it->second = *kernel;
    return &it->second;
  }
  emitError(loc) << "no kernel of " << problemName(problem) << " serves rows " << rows.first << " to " << rows.last;
  return nullptr;
}

} // namespace k3
