//===- GemmMma.cpp - Product with mma.sync over a cp.async pipeline --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y[t, n] = epilogue(sum_k x[t, k] w[n, k])                     (bf16, f32 sums in ascending k, one rounding behind the epilogue)
//
// FLOP: 2 T N K. Bytes: 2 (T K + N K + T N), of L2 a box per tile and k-step. For every architecture with mma.sync.
// One team of eight warps, 2 along rows x 4 along columns of a tile of bm x bn. All lanes copy (16 bytes each, cp.async) slot
// i + stages - 1 while slot i is multiplied: ldmatrix from 64-byte rows with their swizzle, m16n8k16. y goes out from
// registers, two neighbours a lane. SituGlu: a slot has a tile of gate rows and one of up rows, each with sums of its own.
//
//===----------------------------------------------------------------------===//

#include "passes/Kernels/Gemm.h"

using namespace mlir;
using namespace k3;
using namespace k3::kernels;
using layout::Owner;
using layout::RegLayout;

namespace {

constexpr int64_t bk = 32, warpsM = 2, warpsN = 4;

/// Bases of rows (or columns) 8, 16, .. below `extent` along `dim`.
void blocks(std::vector<layout::Coord> &reg, int32_t dim, int64_t from, int64_t extent) {
  for (auto at = static_cast<int32_t>(from); at < extent; at *= 2) {
    layout::Coord basis = {0, 0};
    basis[static_cast<size_t>(dim)] = at;
    reg.push_back(basis);
  }
}

const std::vector<layout::Coord> quads = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};

/// [rows, 32] of x for warps along rows; [columns, 32] of w for warps along columns; [rows, columns] of sums.
RegLayout operandX(int64_t rows) {
  auto perWarp = static_cast<int32_t>(rows / warpsM);
  std::vector<layout::Coord> reg = {{0, 1}, {8, 0}, {0, 8}, {0, 16}};
  blocks(reg, 0, 16, perWarp);
  return known(RegLayout::make(reg, quads, {{0, 0}, {0, 0}, {perWarp, 0}}));
}
RegLayout operandW(int64_t columns) {
  auto perWarp = static_cast<int32_t>(columns / warpsN);
  std::vector<layout::Coord> reg = {{0, 1}, {0, 8}, {0, 16}};
  blocks(reg, 0, 8, perWarp);
  return known(RegLayout::make(reg, quads, {{perWarp, 0}, {2 * perWarp, 0}, {0, 0}}));
}
RegLayout sums(int64_t rows, int64_t columns) {
  auto down = static_cast<int32_t>(rows / warpsM), across = static_cast<int32_t>(columns / warpsN);
  std::vector<layout::Coord> reg = {{0, 1}, {8, 0}};
  blocks(reg, 0, 16, down);
  blocks(reg, 1, 8, across);
  return known(RegLayout::make(reg, quads, {{0, across}, {0, 2 * across}, {down, 0}}));
}

/// Who copies what of [rows, 32]: four lanes a row.
RegLayout copyLanes(int64_t rows) {
  std::vector<layout::Coord> reg = {{0, 1}, {0, 2}, {0, 4}};
  blocks(reg, 0, 64, rows);
  return known(RegLayout::make(reg, {{0, 8}, {0, 16}, {1, 0}, {2, 0}, {4, 0}}, {{8, 0}, {16, 0}, {32, 0}}));
}

} // namespace

FailureOr<BuiltKernel> kernels::buildGemmMma(GemmBase &base) {
  KernelBuilder &k = base.k;
  const GemmProblem &problem = base.problem;
  const GemmSchedule &s = base.s;
  const int64_t halves = base.glu() ? 2 : 1, columns = s.bn / halves;
  const int64_t across = llvm::divideCeil(problem.n, columns), steps = llvm::divideCeil(problem.k, bk);
  auto swizzled = [&](int64_t rows) { return known(layout::swizzled(64, static_cast<int32_t>(rows), bk)); };
  Shared xSlots = k.alloc("x", swizzled(s.bm), k.bf16, s.stages);
  SmallVector<Shared> wSlots;
  for (int64_t half = 0; half < halves; ++half)
    wSlots.push_back(k.alloc(half ? "up" : "w", swizzled(columns), k.bf16, s.stages));

  k.roles([&] {
    k.role("math", {.warps = warpsM * warpsN}, [&](Scalar) {
      k.pdlWait();
      k.pdlLaunch();
      Scalar width = k.i32(problem.k), down = ceilDiv(base.rows, s.bm);
      k.persistent(down * static_cast<double>(across), carry(), [&](Scalar t) {
        Scalar n = t / down, m = (t - n * down) * static_cast<double>(s.bm);
        n = n * static_cast<double>(columns);
        // Behind the last step nothing is inside the limit, so zeros are written and nothing is read.
        auto fetch = [&](Scalar kk, Cursor at) {
          Scalar k0 = kk * static_cast<double>(bk);
          k.cpAsync(base.x, {m, k0}, xSlots[at], copyLanes(s.bm), {base.rows, width});
          for (auto [half, slots] : llvm::enumerate(wSlots)) {
            auto first = static_cast<int64_t>(half) * problem.n;
            k.cpAsync(base.w, {n + static_cast<double>(first), k0}, slots[at], copyLanes(columns),
                      {k.i32(first + problem.n), width});
          }
          k.cpAsyncCommit();
        };
        for (int64_t i = 0; i + 1 < s.stages; ++i)
          fetch(k.i32(i), k.cursor(s.stages, i));
        Cursor at = k.cursor(s.stages), to = k.cursor(s.stages, s.stages - 1);
        SmallVector<Tile> acc(static_cast<size_t>(halves));
        Carried carried = carry(at, to);
        for (Tile &sum : acc) {
          sum = k.zeros(sums(s.bm, columns));
          carried.push_back(&sum);
        }
        k.loop(0, steps, carried, [&](Scalar kk) {
          k.cpAsyncWait(s.stages - 2);
          k.teamSync(); // Slot `at` is complete in all lanes, and all have read the slot that is filled next.
          fetch(kk + static_cast<double>(s.stages - 1), to);
          Tile x = k.ldmatrix(xSlots[at], operandX(s.bm));
          for (auto [slots, sum] : llvm::zip_equal(wSlots, acc))
            sum = k.mma(x, k.ldmatrix(slots[at], operandW(columns)), sum);
          at = at.next();
          to = to.next();
        });
        k.cpAsyncWait(0);
        k.teamSync();
        SmallVector<Scalar> place = {m, n}, limit = {base.rows, k.i32(problem.n)};
        std::optional<Tile> other;
        if (base.glu())
          other = acc[1];
        else if (base.hasExtra())
          other = k.load(base.extra, place, acc[0].layout(), {.limit = limit});
        k.store(base.finish(acc[0], other).to(k.bf16), base.y, place, {.limit = limit});
      });
    });
  });
  return k.finish({.rowsPerUnit = s.bm, .unitsPerRows = across});
}
