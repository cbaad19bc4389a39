//===- GemmSkinnyMma.cpp - Few rows: w from registers, k split over warps --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y^T[n, t] = sum_k w[n, k] x[t, k], then the epilogue             (bf16, f32 sums: k ascending in a warp, then warps ascending)
//
// Bytes: 2 N K, all of it w; FLOP: 2 T N K. For few columns, where tiles of 64 rows of w would leave multiprocessors idle, and
// for architectures without a copy engine.
//
// One CTA has 16 rows of w. Its warps are teams of one: warp i takes chunks of 64 k number i, i + warps, .. Operands come
// straight from global memory: the order of k within a chunk is free as long as w and x agree, so every lane reads 16
// contiguous bytes (k = 8 c .. 8 c + 7 and 32 + 8 c .., c the lane's place in its row) and these are its fragments of
// m16n8k16. Partial sums meet in shared memory; the first warp adds them and stores y.
// SituGlu: eight of the 16 rows are of the gate, eight of up.
//
//===----------------------------------------------------------------------===//

#include "passes/Kernels/Gemm.h"

using namespace mlir;
using namespace k3;
using namespace k3::kernels;

namespace {

constexpr int64_t chunk = 64; ///< k of a warp's step.
constexpr int64_t ahead = 4;  ///< Chunks of w in flight.

/// [rows, 64] with 16 contiguous bytes a lane and access; `rows` 8 or 16.
layout::RegLayout operand(int64_t rows) {
  return known(layout::RegLayout::make({{0, 1}, {0, 2}, {0, 4}, {0, 32}}, {{0, 8}, {0, 16}, {1, 0}, {2, 0}, {4, 0}}, {},
                                       {{layout::Owner::Register, static_cast<int32_t>(rows / 8), 0}}));
}

/// [16 rows of w, rows of x], the accumulator.
layout::RegLayout accumulator(int64_t rows) { return known(layout::mmaC(static_cast<int32_t>(rows))); }

/// The partial sums of all warps, [warps, 16, rows], held so that rows n and n + 8 of w are in one lane.
layout::RegLayout partials(int64_t warps, int64_t rows) {
  using layout::Owner;
  return known(layout::RegLayout::make({{0, 1, 0}, {0, 8, 0}}, {{0, 2, 0}, {0, 4, 0}, {0, 0, 1}, {0, 0, 2}, {0, 0, 4}}, {},
                                       {{Owner::Register, static_cast<int32_t>(rows / 8), 2},
                                        {Owner::Register, static_cast<int32_t>(warps), 0}}));
}

} // namespace

FailureOr<BuiltKernel> kernels::buildGemmSkinnyMma(GemmBase &base) {
  KernelBuilder &k = base.k;
  const GemmProblem &problem = base.problem;
  const int64_t rows = base.s.bm, columns = base.glu() ? 8 : 16, chunks = llvm::divideCeil(problem.k, chunk);
  const int64_t warps = std::min(base.s.consumers, chunks), perWarp = llvm::divideCeil(chunks, warps);
  const int64_t tiles = llvm::divideCeil(problem.n, columns);

  // Transposed, so that neighbours of y are neighbours here: byte 4 n + 64 t of a warp's part.
  auto t = static_cast<int32_t>(rows), parts = static_cast<int32_t>(warps);
  Shared part = k.alloc("part", known(layout::SharedLayout::make(4, {{4, 8, 16, 32}, {}}, {{1, t, 64}})), k.f32, warps);
  Shared all = part.as(known(layout::SharedLayout::make(4, {{}, {4, 8, 16, 32}, {}}, {{2, t, 64}, {0, parts, 64 * t}})), k.f32);

  k.roles([&] {
    k.role("math", {.warps = 1, .instances = warps}, [&](Scalar warp) {
      Scalar n = k.ctaId() * static_cast<double>(columns), zero = k.i32(0), width = k.i32(problem.k);
      auto loadW = [&](Scalar k0) {
        SmallVector<Tile> halves;
        const int64_t size = columns == 16 ? 16 : 8;
        for (int64_t half = 0; half < 16 / size; ++half) {
          Scalar limit[] = {k.i32((half + 1) * problem.n), width};
          halves.push_back(k.load(base.w, {n + static_cast<double>(half * problem.n), k0}, operand(size),
                                  {.limit = limit, .cache = tile::CacheHint::Streaming, .raw = true}));
        }
        return k.concat(halves, 0);
      };
      auto loadX = [&](Scalar k0) {
        Scalar limit[] = {base.rows, width};
        return k.load(base.x, {zero, k0}, operand(rows), {.limit = limit, .raw = true});
      };
      // Chunk i of this warp; behind the last one everything is outside the limit, so zero.
      auto at = [&](Scalar i) { return (i * static_cast<double>(warps) + warp) * static_cast<double>(chunk); };
      auto batch = [&](Scalar first, int64_t count, Tile acc, ArrayRef<Tile> fetched) {
        SmallVector<Tile> w(fetched), x;
        for (int64_t i = static_cast<int64_t>(w.size()); i < count; ++i)
          w.push_back(loadW(at(first + static_cast<double>(i))));
        for (int64_t i = 0; i < count; ++i)
          x.push_back(loadX(at(first + static_cast<double>(i))));
        for (int64_t i = 0; i < count; ++i)
          acc = k.mma(w[static_cast<size_t>(i)], x[static_cast<size_t>(i)], acc);
        return acc;
      };
      // The first batch of weights is on its way before the kernels ahead have ended.
      const int64_t head = std::min(ahead, perWarp);
      SmallVector<Tile> first;
      for (int64_t i = 0; i < head; ++i)
        first.push_back(loadW(at(k.i32(i))));
      k.pdlWait();
      k.pdlLaunch();
      Tile acc = batch(zero, head, k.zeros(accumulator(rows)), first);
      k.loop(k.i32(head), k.i32(perWarp / ahead * ahead), k.i32(ahead), carry(acc),
             [&](Scalar i) { acc = batch(i, ahead, acc, {}); });
      if (perWarp > head && perWarp % ahead)
        acc = batch(k.i32(perWarp / ahead * ahead), perWarp % ahead, acc, {});
      k.store(acc, part[warp]);
      k.namedSync("parts", warps);

      k.if_(warp == 0, carry(), [&] {
        Tile sums = k.sumLanes(k.load(all, partials(warps, rows)), 0);
        SmallVector<Scalar> to = {zero, n}, limit = {base.rows, k.i32(problem.n)};
        std::optional<Tile> other;
        if (base.glu()) {
          other = sums.slice(0, 8, 8);
          sums = sums.slice(0, 0, 8);
        } else if (base.hasExtra()) {
          other = k.load(base.extra, to, sums.trans().layout(), {.limit = limit}).trans();
        }
        k.store(base.finish(sums, other).to(k.bf16).trans(), base.y, to, {.limit = limit});
      });
    });
  });
  return k.finish({.rowsPerUnit = rows, .unitsPerRows = tiles});
}
