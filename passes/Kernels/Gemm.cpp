//===- Gemm.cpp - y = epilogue(x w^T): forms, arguments, epilogues --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Kernels/Gemm.h"

#include <cmath>

using namespace mlir;
using namespace k3;
using namespace k3::kernels;

std::vector<RowRange> kernels::gemmRanges(const GemmProblem &problem, int64_t maxRows, const arch::GpuTarget &target) {
  return rangesOf(ArrayRef(gemmSchedules(problem, target)), maxRows);
}

FailureOr<BuiltKernel> kernels::buildGemm(ModuleOp module, const std::string &name, const GemmProblem &problem, RowRange range,
                                          const arch::GpuTarget &target) {
  auto reject = [&](const Twine &why) { return refuse(module, name, "gemm", target, why); };
  if (problem.n < 8 || problem.n % 8)
    return reject("n = " + Twine(problem.n) + "; rows of y need a multiple of 8 columns (16 bytes)");
  if (problem.k < 8 || problem.k % 8)
    return reject("k = " + Twine(problem.k) + "; rows of x and w need a multiple of 8 columns (16 bytes)");
  if (problem.epilogue == GemmEpilogue::SituGlu && !(problem.situBeta > 0 && problem.situLinearBeta > 0))
    return reject("situ_glu with betas that are not above 0");
  if (!target.info->has(arch::Feature::MmaF16) || !target.info->has(arch::Feature::CpAsync))
    return reject("no variant; it needs " + Twine(arch::featureName(arch::Feature::MmaF16)));
  std::vector<GemmSchedule> table = gemmSchedules(problem, target);
  GemmBase base(module, name, problem, scheduleFor(ArrayRef(table), range), range, target);
  switch (base.s.form) {
  case GemmForm::Wgmma:
    return buildGemmWgmma(base);
  case GemmForm::Split:
    return buildGemmSplit(base);
  case GemmForm::Skinny:
    return buildGemmSkinny(base);
  case GemmForm::SkinnyMma:
    return buildGemmSkinnyMma(base);
  case GemmForm::Mma:
    return buildGemmMma(base);
  }
  llvm_unreachable("every form has a builder");
}

GemmBase::GemmBase(ModuleOp module, StringRef name, const GemmProblem &problem, const GemmSchedule &s, RowRange range,
                   const arch::GpuTarget &target)
    : k(module, name, target), problem(problem), s(s), range(range) {
  constexpr int64_t any = ShapedType::kDynamic;
  x = k.view(0, {any, problem.k}, k.bf16);
  w = k.view(1, {glu() ? 2 * problem.n : problem.n, problem.k}, k.bf16, tile::ArgRole::Constant);
  y = k.view(2, {any, problem.n}, k.bf16, tile::ArgRole::StepOut);
  if (hasExtra())
    extra = k.view(3, {any, problem.n}, k.bf16);
  rows = k.tokens();
  k.dependent = s.dependent;
}

//===----------------------------------------------------------------------===//
// Epilogues, in f32
//===----------------------------------------------------------------------===//

/// beta tanh(a / beta) sigmoid(a) gamma tanh(u / gamma) as one fraction: with e1 = exp(-2 a / beta), e2 = exp(-a),
/// e3 = exp(-2 u / gamma) it is beta gamma (1 - e1) (1 - e3) / ((1 + e1) (1 + e2) (1 + e3)): one reciprocal, and for beta = 4
/// (e2 = e1^2) two exponentials. Bounds keep products of f32 finite, where tanh is 1 and the sigmoid is 0 to f32 precision.
static Tile situ(Tile a, Tile u, double beta, double gamma) {
  constexpr double saturated = 9, vanished = 30;
  Tile e1 = exp2(max(a, -std::min(saturated * beta, vanished)) * (-2 * M_LOG2E / beta));
  Tile e2 = beta == 4 ? e1 * e1 : exp2(max(a, -vanished) * -M_LOG2E);
  Tile e3 = exp2(max(u, -saturated * gamma) * (-2 * M_LOG2E / gamma));
  Tile numerator = (e1 * -1.0 + 1.0) * (e3 * -1.0 + 1.0);
  return numerator * rcp((e1 + 1.0) * (e2 + 1.0) * (e3 + 1.0)) * (beta * gamma);
}

Tile GemmBase::finish(Tile product, std::optional<Tile> other) {
  switch (problem.epilogue) {
  case GemmEpilogue::None:
    return product;
  case GemmEpilogue::ResidualAdd:
    return product + other->to(k.f32);
  case GemmEpilogue::SituGlu:
    return situ(product, *other, problem.situBeta, problem.situLinearBeta);
  case GemmEpilogue::SigmoidGate:
    return other->to(k.f32) * rcp(exp2(product * -M_LOG2E) + 1.0);
  }
  llvm_unreachable("every epilogue is finished");
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

void kernels::produce(KernelBuilder &k, const Ring &ring, int64_t slotBytes, bool early, Scalar first,
                      std::optional<Scalar> count, Scalar step, Scalar from, Scalar to, const Feed &feed) {
  Cursor at = ring.start();
  auto steps = [&](std::pair<Scalar, Scalar> place, Scalar begin) {
    k.loop(begin, to, k.i32(1), carry(at), [&](Scalar kk) {
      ring.acquire(at, slotBytes);
      feed.copyX(place.first, kk, at);
      feed.copyW(place.second, kk, at);
      at = at.next();
    });
  };
  if (!early) {
    k.pdlWait();
    if (count)
      k.loop(first, *count, step, carry(at), [&](Scalar t) { steps(feed.place(t), from); });
    else
      steps(feed.place(first), from);
    return;
  }
  // Weights are constants: they may come before the wait. The barriers expect both operands from the start.
  std::pair<Scalar, Scalar> place = feed.place(first);
  SmallVector<Cursor> slots;
  for (int64_t i = 0; i < ring.stages; ++i) {
    slots.push_back(ring.start(i));
    ring.full.expect(slots.back(), slotBytes);
    feed.copyW(place.second, from + static_cast<double>(i), slots.back());
  }
  k.pdlWait();
  for (int64_t i = 0; i < ring.stages; ++i)
    feed.copyX(place.first, from + static_cast<double>(i), slots[static_cast<size_t>(i)]);
  at = at.next(ring.stages);
  steps(place, from + static_cast<double>(ring.stages));
  if (count)
    k.loop(first + step, *count, step, carry(at), [&](Scalar t) { steps(feed.place(t), from); });
}
