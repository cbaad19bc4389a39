//===- GemmSplit.cpp - Few tiles: k split over a cluster --------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y[t, n] = epilogue(sum_k x[t, k] w[n, k])                     (bf16, f32 sums: k ascending in a CTA, then CTA ranks ascending)
//
// FLOP: 2 T N K. Bytes: 2 (T K + N K + T N), about 4 `split` T N between CTAs. For one tile row whose tiles of bm x bn would
// leave most multiprocessors idle: a cluster of `split` CTAs shares the k-steps of a tile.
//
//   load   one lane: k-steps of the CTA's part by TMA into a ring; weights before the kernels ahead have ended
//   math   `consumers` x warpgroup: wgmma over the slots; the sums go to shared memory, over slots that nobody reads any more.
//          Then every CTA adds 1 / split of the rows over all CTAs of the cluster, in rank order, and stores them.
//
//===----------------------------------------------------------------------===//

#include "passes/Kernels/Gemm.h"

using namespace mlir;
using namespace k3;
using namespace k3::kernels;

/// [rows, columns], columns a multiple of 16 (of 32 for eight rows): neighbouring pairs, 32 bytes of a row of y by eight lanes.
static layout::RegLayout addLayout(int64_t rows, int64_t columns) {
  using layout::Owner;
  const bool low = rows < 16; // Then the warps split the columns too.
  return known(layout::RegLayout::make({{0, 1}}, {{0, 2}, {0, 4}, {0, 8}, {1, 0}, {2, 0}},
                                       low ? std::vector<layout::Coord>{{4, 0}, {0, 16}} : std::vector<layout::Coord>{{4, 0}, {8, 0}},
                                       {{Owner::Register, static_cast<int32_t>(columns / (low ? 32 : 16)), 1},
                                        {Owner::Register, static_cast<int32_t>(low ? 1 : rows / 16), 0}}));
}

FailureOr<BuiltKernel> kernels::buildGemmSplit(GemmBase &base) {
  KernelBuilder &k = base.k;
  const GemmProblem &problem = base.problem;
  const GemmSchedule &s = base.s;
  const int64_t columns = base.glu() ? s.bn / 2 : s.bn, across = llvm::divideCeil(problem.n, columns);
  const int64_t steps = llvm::divideCeil(problem.k, s.bk), perCta = llvm::divideCeil(steps, s.split);
  auto bm = static_cast<int32_t>(s.bm), bn = static_cast<int32_t>(s.bn), bk = static_cast<int32_t>(s.bk);
  TensorMap xMap = k.map(base.x, {s.bm, s.bk}), wMap = k.map(base.w, {columns, s.bk});
  k.cluster(static_cast<int32_t>(s.split));
  Ring ring(k, "ring", s.stages, 4 * s.consumers);
  Shared a = ring.add("x", known(layout::swizzled(128, bm, bk)), k.bf16);
  Shared b = ring.add("w", known(layout::swizzled(128, bn, bk)), k.bf16);
  // Eight banks from row to row: the pairs of eight rows of an accumulator meet none twice.
  Shared partial = a.as(known(layout::rowMajor(64, bn, 4, 4 * bn + 32)), k.f32, 0, s.consumers);

  k.roles([&] {
    auto range = [&] {
      Scalar from = k.ctaRank() * static_cast<double>(perCta);
      return std::pair(from, min(from + static_cast<double>(perCta), steps));
    };
    k.role("math", {.warps = 4, .instances = s.consumers}, [&](Scalar cw) {
      k.pdlWait();
      k.pdlLaunch();
      auto [from, to] = range();
      Cursor at = ring.start();
      auto multiply = [&](Pending acc) {
        ring.wait(at);
        Pending sum = k.wgmma(a[at].part(0, 64, cw), b[at], acc);
        k.wgmmaCommit();
        return sum;
      };
      Pending acc = multiply({});
      Cursor previous = at;
      at = at.next();
      k.loop(from + 1.0, to, k.i32(1), carry(at, previous, acc), [&](Scalar) {
        acc = multiply(acc);
        k.wgmmaWait(1);
        ring.release(previous);
        previous = at;
        at = at.next();
      });
      Tile sums = k.wgmmaWait(0, {acc})[0];
      k.namedSync("drained", 4 * s.consumers);
      k.store(sums, partial[cw]);
      k.clusterSync();

      const int64_t rows = 64 / s.split;
      Scalar rank = k.ctaRank(), zero = k.i32(0);
      auto total = [&](int64_t half) {
        Shared mine = partial[cw].part(0, rows, rank).part(1, columns, half);
        Tile sum;
        for (int64_t i = 0; i < s.split; ++i) {
          Tile part = k.load(mine.peer(k.i32(i)), addLayout(rows, columns));
          sum = i ? sum + part : part;
        }
        return sum;
      };
      SmallVector<Scalar> to2 = {zero + cw * 64.0 + rank * static_cast<double>(rows), k.clusterId() * static_cast<double>(columns)};
      Scalar limit[] = {base.rows, k.i32(problem.n)};
      Tile sum = total(0);
      std::optional<Tile> other;
      if (base.glu())
        other = total(1);
      else if (base.hasExtra())
        other = k.load(base.extra, to2, sum.layout(), {.limit = limit});
      k.store(base.finish(sum, other).to(k.bf16), base.y, to2, {.limit = limit});
      k.clusterSync(); // Peers read this CTA's sums until here.
    });
    k.role("load", {.warps = 1}, [&](Scalar) {
      k.elect([&] {
        auto [from, to] = range();
        auto copyW = [&](Scalar n, Scalar kk, Cursor at) {
          Scalar k0 = kk * static_cast<double>(s.bk);
          for (int64_t half = 0; half < s.bn / columns; ++half)
            k.copy(wMap, {n + static_cast<double>(half * problem.n), k0}, b[at].part(0, columns, half), ring.full, at);
        };
        auto copyX = [&](Scalar m, Scalar kk, Cursor at) {
          k.copy(xMap, {m, kk * static_cast<double>(s.bk)}, a[at], ring.full, at);
        };
        auto place = [&](Scalar t) { return std::pair(k.i32(0), t * static_cast<double>(columns)); };
        Scalar tile = k.clusterId();
        produce(k, ring, (s.bm + s.bn) * s.bk * 2, s.early, tile, std::nullopt, {}, from, to, {place, copyW, copyX});
      });
      k.clusterSync();
      k.clusterSync();
    });
  });
  return k.finish({.rowsPerUnit = s.bm, .unitsPerRows = across * s.split});
}
