//===- GemmWgmma.cpp - Warp-specialised product with wgmma ------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y[t, n] = epilogue(sum_k x[t, k] w[n, k])                     (bf16, f32 sums in ascending k, one rounding behind the epilogue)
//
// FLOP: 2 T N K. Bytes: 2 (T K + N K + T N), of L2 a box per tile and k-step. Compute-bound from a few hundred rows on.
// Persistent, one CTA a multiprocessor, tiles of bm x bn in groups of `groupM` tile rows.
//
//   load    one lane:     k-steps of x and w by TMA into a ring of `stages` slots; runs ahead into the next tile
//           a second warp, with an operand 3: its chunks into a ring of two slots
//   math    `consumers` x warpgroup: wgmma over the slots, one group in flight; then the epilogue in chunks of columns:
//           stmatrix into a staging tile, one lane stores it by TMA. Operand 3 is read from its slot and overwritten by y there.
//
// SituGlu: half of a w slot are rows of the gate, half rows of up; a consumer holds both parts of its columns.
// What lies outside the arrays arrives as zeros and is clipped by the store.
//
//===----------------------------------------------------------------------===//

#include "passes/Kernels/Gemm.h"

using namespace mlir;
using namespace k3;
using namespace k3::kernels;

/// Columns of an epilogue chunk: 64 with the 128-byte swizzle, else an odd number of 16-byte vectors, whose rows meet no bank
/// twice.
static int64_t chunkColumns(int64_t columns) {
  if (columns % 64 == 0)
    return 64;
  int64_t odd = columns / 8;
  while (odd % 2 == 0)
    odd /= 2;
  return 8 * odd;
}

static layout::SharedLayout chunkLayout(int64_t rows, int64_t columns) {
  auto r = static_cast<int32_t>(rows), c = static_cast<int32_t>(columns);
  return known(columns == 64 ? layout::swizzled(128, r, c) : layout::rowMajor(r, c, 2));
}

namespace {

struct WgmmaGemm {
  explicit WgmmaGemm(GemmBase &base)
      : base(base), columns(base.glu() ? s.bn / 2 : s.bn), chunk(chunkColumns(columns)), blocks(s.bm / (64 * s.consumers)),
        chunks(blocks * (columns / chunk)) {}

  FailureOr<BuiltKernel> build();
  void load(Scalar tiles);
  void loadExtra(Scalar tiles);
  void math(Scalar cw, Scalar tiles);
  void store(Scalar cw, ArrayRef<Tile> acc, Scalar m, Scalar n, Cursor &extraAt);
  std::pair<Scalar, Scalar> place(Scalar t);

  GemmBase &base;
  KernelBuilder &k = base.k;
  const GemmProblem &problem = base.problem;
  const GemmSchedule &s = base.s;
  int64_t columns; ///< Of y in a tile.
  int64_t chunk;   ///< Columns of an epilogue chunk.
  int64_t blocks;  ///< Of 64 rows a consumer.
  int64_t chunks;  ///< That a consumer stores a tile.
  TensorMap xMap, wMap, yMap, extraMap;
  std::optional<Ring> ring, extraRing;
  Shared a, b, staging;
};

} // namespace

std::pair<Scalar, Scalar> WgmmaGemm::place(Scalar t) {
  Scalar columnsOf = k.i32(columns);
  if (base.range.last <= s.bm)
    return {k.i32(0), t * columnsOf};
  // Groups of tile rows: inside one the row runs fastest, so that a group shares its part of x in L2.
  int64_t across = llvm::divideCeil(problem.n, columns);
  Scalar group = t / (s.groupM * across), inside = t - group * static_cast<double>(s.groupM * across);
  Scalar first = group * static_cast<double>(s.groupM);
  Scalar height = min(ceilDiv(base.rows, s.bm) - first, s.groupM);
  Scalar n = inside / height, m = first + (inside - n * height);
  return {m * static_cast<double>(s.bm), n * columnsOf};
}

void WgmmaGemm::load(Scalar tiles) {
  const int64_t slotBytes = (s.bm + s.bn) * s.bk * 2;
  auto copyW = [&](Scalar n, Scalar kk, Cursor at) {
    Scalar k0 = kk * static_cast<double>(s.bk);
    for (int64_t half = 0; half < s.bn / columns; ++half)
      k.copy(wMap, {n + static_cast<double>(half * problem.n), k0}, b[at].part(0, columns, half), ring->full, at);
  };
  auto copyX = [&](Scalar m, Scalar kk, Cursor at) { k.copy(xMap, {m, kk * static_cast<double>(s.bk)}, a[at], ring->full, at); };
  auto where = [&](Scalar t) { return place(t); };
  produce(k, *ring, slotBytes, s.early, k.ctaId(), tiles, k.numCtas(), k.i32(0), k.i32(llvm::divideCeil(problem.k, s.bk)),
          {where, copyW, copyX});
}

void WgmmaGemm::loadExtra(Scalar tiles) {
  k.pdlWait();
  Cursor at = extraRing->start();
  k.persistent(tiles, carry(at), [&](Scalar t) {
    auto [m, n] = place(t);
    for (int64_t g = 0; g < chunks; ++g) {
      Scalar row = m + static_cast<double>(64 * (g / (columns / chunk))), column = n + static_cast<double>(chunk * (g % (columns / chunk)));
      extraRing->acquire(at, s.consumers * 64 * chunk * 2);
      for (int64_t cw = 0; cw < s.consumers; ++cw)
        k.copy(extraMap, {row + static_cast<double>(64 * blocks * cw), column}, staging[at].part(0, 64, cw), extraRing->full, at);
      at = at.next();
    }
  });
}

void WgmmaGemm::math(Scalar cw, Scalar tiles) {
  const int64_t steps = llvm::divideCeil(problem.k, s.bk);
  Cursor at = ring->start(), extraAt = extraRing ? extraRing->start() : at;
  Carried overTiles = carry(at);
  if (extraRing)
    overTiles.push_back(&extraAt);
  k.persistent(tiles, overTiles, [&](Scalar t) {
    auto [m, n] = place(t);
    SmallVector<Pending> acc(static_cast<size_t>(blocks));
    auto multiply = [&] {
      ring->wait(at);
      for (auto [i, sum] : llvm::enumerate(acc))
        sum = k.wgmma(a[at].part(0, 64, cw * static_cast<double>(blocks) + static_cast<double>(i)), b[at], sum);
      k.wgmmaCommit();
    };
    multiply();
    Cursor previous = at;
    at = at.next();
    Carried carried = carry(at, previous);
    for (Pending &sum : acc)
      carried.push_back(&sum);
    k.loop(1, steps, carried, [&](Scalar) {
      multiply();
      k.wgmmaWait(1);
      ring->release(previous);
      previous = at;
      at = at.next();
    });
    SmallVector<Tile> sums = k.wgmmaWait(0, ArrayRef(acc));
    ring->release(previous);
    store(cw, sums, m, n, extraAt);
  });
  k.elect([&] { k.bulkWait(0); });
}

void WgmmaGemm::store(Scalar cw, ArrayRef<Tile> acc, Scalar m, Scalar n, Cursor &extraAt) {
  const int64_t perBlock = columns / chunk;
  Cursor previous;
  for (int64_t g = 0; g < chunks; ++g) {
    const int64_t block = g / perBlock, from = g % perBlock * chunk;
    const Tile &sums = acc[static_cast<size_t>(block)];
    SmallVector<Scalar> at = {m + (cw * static_cast<double>(blocks) + static_cast<double>(block)) * 64.0,
                              n + static_cast<double>(from)};
    Tile part = sums.slice(1, from, chunk);
    if (extraRing) {
      extraRing->wait(extraAt);
      Shared slot = staging[extraAt].part(0, 64, cw);
      Tile value = base.finish(part, k.ldmatrix(slot, part.layout())).to(k.bf16);
      k.warpSync();
      k.stmatrix(value, slot);
      k.teamSync();
      k.elect([&] {
        k.copyOut(slot, yMap, at);
        k.bulkCommit();
        if (g > 0) {
          k.bulkWait(1);
          extraRing->release(previous);
        }
        if (g + 1 == chunks) {
          k.bulkWait(0);
          extraRing->release(extraAt);
        }
      });
      previous = extraAt;
      extraAt = extraAt.next();
      continue;
    }
    // Two staging tiles take turns; an odd number of chunks meets the last one of the tile before.
    k.elect([&] { k.bulkWait(g == 0 && chunks % 2 ? 0 : 1); });
    k.teamSync();
    Shared slot = staging[cw * 2.0 + static_cast<double>(g % 2)];
    std::optional<Tile> up;
    if (base.glu())
      up = sums.slice(1, columns + from, chunk);
    k.stmatrix(base.finish(part, up).to(k.bf16), slot);
    k.teamSync();
    k.elect([&] {
      k.copyOut(slot, yMap, at);
      k.bulkCommit();
    });
  }
}

FailureOr<BuiltKernel> WgmmaGemm::build() {
  auto bm = static_cast<int32_t>(s.bm), bn = static_cast<int32_t>(s.bn), bk = static_cast<int32_t>(s.bk);
  const int64_t swizzle = chunk == 64 ? 128 : 0;
  xMap = k.map(base.x, {s.bm, s.bk});
  wMap = k.map(base.w, {columns, s.bk});
  yMap = k.map(base.y, {64, chunk}, swizzle);
  ring.emplace(k, "ring", s.stages, 4 * s.consumers);
  a = ring->add("x", known(layout::swizzled(128, bm, bk)), k.bf16);
  b = ring->add("w", known(layout::swizzled(128, bn, bk)), k.bf16);
  if (base.hasExtra()) {
    extraMap = k.map(base.extra, {64, chunk}, swizzle);
    extraRing.emplace(k, "extra", 2, s.consumers);
    staging = extraRing->add("staging", chunkLayout(64 * s.consumers, chunk), k.bf16);
  } else {
    staging = k.alloc("staging", chunkLayout(64, chunk), k.bf16, 2 * s.consumers);
  }
  const int64_t across = llvm::divideCeil(problem.n, columns);
  Scalar tiles = base.range.last <= s.bm ? k.i32(across) : ceilDiv(base.rows, s.bm) * static_cast<double>(across);
  const bool three = s.consumers > 2;

  k.roles([&] {
    k.role("load", {.warps = 1, .instances = base.hasExtra() ? 2 : 1, .regs = three ? 32 : 24}, [&](Scalar which) {
      if (!base.hasExtra())
        return k.elect([&] { load(tiles); });
      k.if_(which == 0, carry(), [&] { k.elect([&] { load(tiles); }); }, [&] { k.elect([&] { loadExtra(tiles); }); });
    });
    k.role("math", {.warps = 4, .instances = s.consumers, .regs = three ? 160 : 240}, [&](Scalar cw) {
      k.pdlWait();
      k.pdlLaunch();
      math(cw, tiles);
    });
  });
  return k.finish({.rowsPerUnit = s.bm, .unitsPerRows = across, .ctasPerSm = 1, .dependent = s.dependent});
}

FailureOr<BuiltKernel> kernels::buildGemmWgmma(GemmBase &base) { return WgmmaGemm(base).build(); }
