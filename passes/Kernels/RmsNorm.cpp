//===- RmsNorm.cpp - y = x rsqrt(mean x^2 + eps) w --------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y[t, :] = x[t, :] rsqrt(mean(x[t, :]^2) + eps) w                          (NUMERICS.md "rms_norm": f32, one rounding)
//
// Bytes: 2 T D (x) + 2 T D (y), w once a CTA. FLOP: 4 T D. Memory-bound: a row lives in registers, x is read once.
// Who does what: one team; warps share a row, every lane holds 16-byte vectors of it; the sum of squares crosses the team
// through shared memory. With `prefetch` the next row is on its way while one is reduced.
//
//===----------------------------------------------------------------------===//

#include "passes/Kernels/Builder.h"
#include "passes/Kernels/Schedules.h"

using namespace mlir;
using namespace k3;
using namespace k3::kernels;

std::vector<RowRange> kernels::rmsNormRanges(const RmsNormProblem &problem, int64_t maxRows, const arch::GpuTarget &target) {
  return rangesOf(rmsNormSchedules(problem, target), maxRows);
}

FailureOr<BuiltKernel> kernels::buildRmsNorm(ModuleOp module, const std::string &name, const RmsNormProblem &problem,
                                             RowRange range, const arch::GpuTarget &target) {
  const int64_t d = problem.d;
  if (d < 8 || d % 8)
    return refuse(module, name, "rms_norm", target,
                  "rows of " + Twine(d) + " elements; 16-byte vectors need a multiple of 8");
  const RmsNormSchedule &s = scheduleFor(rmsNormSchedules(problem, target), range);
  const RowLanes lanes(d, s.warps);

  KernelBuilder k(module, name, target);
  View x = k.view(0, {ShapedType::kDynamic, d}, k.bf16), w = k.view(1, {d}, k.f32, tile::ArgRole::Constant),
       y = k.view(2, {ShapedType::kDynamic, d}, k.bf16, tile::ArgRole::StepOut);
  Scalar rows = k.tokens(), zero = k.i32(0), width = k.i32(d);
  Shared partial = k.reduceScratch("partial", lanes.warps, 1, /*stages=*/2);
  k.minCtas(s.minCtas);
  SmallVector<Scalar> inRow;
  if (!lanes.exact)
    inRow.push_back(width);

  k.roles([&] {
    k.role("rows", {.warps = lanes.warps}, [&](Scalar) {
      k.pdlWait();
      k.pdlLaunch();

      auto normalise = [&](Scalar row, Tile v, Scalar side) {
        Tile f = v.to(k.f32);
        Scalar squares = k.sum({f * f}, partial[side])[0];
        // Behind the exchange: held across it, w would cost registers and with them a CTA a multiprocessor.
        Tile weight = k.load(w, {zero}, lanes.layout, {.limit = inRow});
        Scalar scale = rsqrt(squares * (1.0 / static_cast<double>(d)) + problem.eps);
        k.store((f * scale * weight).to(k.bf16), y, {row, zero}, {.limit = inRow, .cache = tile::CacheHint::Streaming});
      };
      Scalar side = zero, step = k.numCtas();
      if (!s.prefetch) {
        k.persistent(rows, carry(side), [&](Scalar row) {
          normalise(row, k.load(x, {row, zero}, lanes.layout, {.limit = inRow}), side);
          side = k.i32(1) - side;
        });
        return;
      }
      // Behind the last row nothing is inside the limit, so nothing is read.
      auto fetch = [&](Scalar row) {
        Scalar limit[] = {select(row < rows, width, zero)};
        return k.load(x, {row, zero}, lanes.layout, {.limit = limit, .raw = true});
      };
      Tile v = fetch(k.ctaId());
      k.persistent(rows, carry(v, side), [&](Scalar row) {
        Tile now = v;
        v = fetch(row + step);
        normalise(row, now, side);
        side = k.i32(1) - side;
      });
    });
  });
  return k.finish({.ctasPerSm = s.ctasPerSm});
}
