//===- GemmSkinny.cpp - Few rows: w streams through wgmma -------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y^T[n, t] = sum_k w[n, k] x[t, k], then the epilogue             (bf16, f32 sums in ascending k)
//
// Bytes: 2 N K, all of it w; FLOP: 2 T N K. Memory-bound: w is read once, at the speed of a copy.
// Tiles of `bn` <= 64 rows of w by all rows of x by the whole of K; the grid has as many CTAs as give all of them equally many
// tiles, which matters more than to use every multiprocessor.
//
//   load   one lane: panels of 64 k of w (evict first) and of x by TMA, four panels a slot. Weights of the whole ring are on
//          their way before the kernels ahead have ended.
//   math   a warpgroup: w is operand a (64 rows, of which `bn` are fetched), x is b; one group in flight. Lanes hold y^T and
//          store it from registers; for SituGlu (32 rows of the gate, 32 of up) they exchange it through shared memory.
//
//===----------------------------------------------------------------------===//

#include "passes/Kernels/Gemm.h"

#include "lib/Layout/Transform.h"

using namespace mlir;
using namespace k3;
using namespace k3::kernels;

namespace {

struct SkinnyGemm {
  explicit SkinnyGemm(GemmBase &base) : base(base), columns(s.bn), halves(base.glu() ? 2 : 1) {}

  FailureOr<BuiltKernel> build();
  void load(Scalar tiles);
  void math(Scalar tiles);
  void store(Tile acc, Scalar n);

  GemmBase &base;
  KernelBuilder &k = base.k;
  const GemmProblem &problem = base.problem;
  const GemmSchedule &s = base.s;
  int64_t columns; ///< Of y in a tile.
  int64_t halves;  ///< Boxes of w in a panel: the gate and up.
  TensorMap xMap, wMap;
  std::optional<Ring> ring;
  Shared w, x, exchange;
};

constexpr int64_t panel = 64; ///< k of a 128-byte row.

} // namespace

void SkinnyGemm::load(Scalar tiles) {
  const int64_t panels = s.bk / panel, slab = 64 / halves;
  const layout::SharedLayout fetched = known(layout::swizzled(128, static_cast<int32_t>(columns), panel));
  Policy once = k.policy(tile::Eviction::First);
  auto copyW = [&](Scalar n, Scalar kk, Cursor at) {
    Scalar k0 = kk * static_cast<double>(s.bk);
    for (int64_t p = 0; p < panels; ++p)
      for (int64_t half = 0; half < halves; ++half)
        k.copy(wMap, {n + static_cast<double>(half * problem.n), k0 + static_cast<double>(p * panel)},
               w[at].part(1, panel, p).part(0, slab, half).as(fetched, k.bf16), ring->full, at, once);
  };
  auto copyX = [&](Scalar m, Scalar kk, Cursor at) {
    Scalar k0 = kk * static_cast<double>(s.bk);
    for (int64_t p = 0; p < panels; ++p)
      k.copy(xMap, {m, k0 + static_cast<double>(p * panel)}, x[at].part(1, panel, p), ring->full, at);
  };
  auto place = [&](Scalar t) { return std::pair(k.i32(0), t * static_cast<double>(columns)); };
  produce(k, *ring, panels * panel * 2 * (halves * columns + s.bm), s.early, k.ctaId(), tiles, k.numCtas(), k.i32(0),
          k.i32(llvm::divideCeil(problem.k, s.bk)), {place, copyW, copyX});
}

void SkinnyGemm::math(Scalar tiles) {
  Cursor at = ring->start();
  k.persistent(tiles, carry(at), [&](Scalar t) {
    ring->wait(at);
    Pending acc = k.wgmma(w[at], x[at]);
    k.wgmmaCommit();
    Cursor previous = at;
    at = at.next();
    k.loop(1, llvm::divideCeil(problem.k, s.bk), carry(at, previous, acc), [&](Scalar) {
      ring->wait(at);
      acc = k.wgmma(w[at], x[at], acc);
      k.wgmmaCommit();
      k.wgmmaWait(1);
      ring->release(previous);
      previous = at;
      at = at.next();
    });
    Tile sums = k.wgmmaWait(0, {acc})[0];
    ring->release(previous);
    store(sums, t * static_cast<double>(columns));
  });
}

/// Of 32 rows of w and `rows` of x: two neighbouring rows of w a lane, so that y is stored by pairs.
static layout::RegLayout pairsLayout(int64_t rows) {
  return known(layout::RegLayout::make({{1, 0}}, {{2, 0}, {4, 0}, {8, 0}, {16, 0}, {0, 1}}, {{0, 2}, {0, 4}},
                                       {{layout::Owner::Register, static_cast<int32_t>(rows / 8), 1}}));
}

void SkinnyGemm::store(Tile acc, Scalar n) {
  Scalar zero = k.i32(0);
  SmallVector<Scalar> at = {zero, n}, limit = {base.rows, min(n + static_cast<double>(columns), problem.n)};
  if (base.glu()) {
    k.teamSync(); // The exchange of the tile before has been read.
    k.store(acc, exchange);
    k.teamSync();
    layout::RegLayout pairs = pairsLayout(s.bm);
    Tile gate = k.load(exchange.part(0, 32, 0), pairs), up = k.load(exchange.part(0, 32, 1), pairs);
    k.store(base.finish(gate, up).to(k.bf16).trans(), base.y, at, {.limit = limit});
    return;
  }
  std::optional<Tile> other;
  if (base.hasExtra()) {
    const int32_t order[] = {1, 0};
    other = k.load(base.extra, at, known(layout::transposed(acc.layout(), order)), {.limit = limit}).trans();
  }
  k.store(base.finish(acc, other).to(k.bf16).trans(), base.y, at, {.limit = limit});
}

FailureOr<BuiltKernel> SkinnyGemm::build() {
  auto bm = static_cast<int32_t>(s.bm), bk = static_cast<int32_t>(s.bk);
  xMap = k.map(base.x, {s.bm, panel});
  wMap = k.map(base.w, {columns, panel});
  ring.emplace(k, "ring", s.stages, 4);
  w = ring->add("w", known(layout::swizzled(128, 64, bk)), k.bf16);
  x = ring->add("x", known(layout::swizzled(128, bm, bk)), k.bf16);
  if (base.glu()) // Rows a bank apart from each other in either direction of access.
    exchange = k.alloc("exchange", known(layout::rowMajor(64, bm, 4, 4 * (bm + 1))), k.f32);
  Scalar tiles = k.i32(llvm::divideCeil(problem.n, columns));

  k.roles([&] {
    k.role("math", {.warps = 4}, [&](Scalar) {
      k.pdlWait();
      k.pdlLaunch();
      math(tiles);
    });
    k.role("load", {.warps = 1}, [&](Scalar) { k.elect([&] { load(tiles); }); });
  });
  return k.finish({.rowsPerUnit = s.bm, .unitsPerRows = s.ctas, .ctasPerSm = 1});
}

FailureOr<BuiltKernel> kernels::buildGemmSkinny(GemmBase &base) { return SkinnyGemm(base).build(); }
