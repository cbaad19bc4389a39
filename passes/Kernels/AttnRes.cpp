//===- AttnRes.cpp - A softmax mix of residual sums, normalised --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// p = prefix + delta, rounded; v = banks.., p; logit_i = <v_i, c> rsqrt(mean(v_i^2) + eps); a = softmax(logit);
// x = sum_i a_i v_i; y = x rsqrt(mean(x^2) + eps) w                          (NUMERICS.md "attn_res": f32, norm reads the f32 mix)
//
// Bytes with L sources: 2 T D (L + 1) read, 4 T D written (2 T D more for a bank). FLOP: about 8 L T D. Memory-bound.
//
// Ring (many rows): a copy warp streams the rows of all sources through a ring of row slots, so that the next token arrives
// while this one is mixed; one team of mixing warps shares a token. Sources come in batches; a batch is read for its logits,
// the logits cross the team, and the batch is read again into the running mix (largest logit, sum of weights, x), so no source
// stays in registers across the exchange.
// Direct (few rows, short rows, no copy engine): a token is split over the CTAs of a cluster, all loads are in flight at once,
// one exchange for all logits.
//
//===----------------------------------------------------------------------===//

#include "passes/Kernels/Builder.h"
#include "passes/Kernels/Schedules.h"

#include <cmath>

using namespace mlir;
using namespace k3;
using namespace k3::kernels;

std::vector<RowRange> kernels::attnResRanges(const AttnResProblem &problem, int64_t maxRows, const arch::GpuTarget &target) {
  return rangesOf(attnResSchedules(problem, target), maxRows);
}

namespace {

/// The softmax mix of the sources seen so far: sum_i 2^(logit_i - largest) v_i and the sum of the weights.
struct Mix {
  Tile x;
  Scalar largest, total;
};

struct AttnResKernel {
  AttnResKernel(ModuleOp module, StringRef name, const AttnResProblem &problem, const AttnResSchedule &s,
                const arch::GpuTarget &target)
      : k(module, name, target), problem(problem), s(s), part(problem.d / s.cluster), lanes(part, s.warps) {
    const int64_t shape[] = {ShapedType::kDynamic, problem.d};
    prefix = k.view(0, shape, k.bf16);
    if (problem.addsDelta)
      delta = k.view(1, shape, k.bf16);
    query = k.view(2, {problem.d}, k.f32, tile::ArgRole::Constant);
    if (problem.norm)
      weight = k.view(3, {problem.d}, k.f32, tile::ArgRole::Constant);
    if (problem.addsDelta)
      sum = k.view(4, shape, k.bf16, tile::ArgRole::StepOut);
    y = k.view(5, shape, k.bf16, tile::ArgRole::StepOut);
    if (problem.writesBank)
      bank = k.view(6, shape, k.bf16, tile::ArgRole::StepOut);
    for (int64_t i = 0; i + 1 < problem.sources; ++i)
      banks.push_back(k.view(static_cast<unsigned>(7 + i), shape, k.bf16));
    rows = k.tokens();
  }

  FailureOr<BuiltKernel> direct();
  FailureOr<BuiltKernel> ring();

  //===--------------------------------------------------------------------===//
  // Pieces of a token
  //===--------------------------------------------------------------------===//

  /// One scratch buffer for every exchange of a token, so that two in a row never meet.
  Shared scratch(StringRef name, int64_t values) {
    return k.reduceScratch(name, s.cluster * lanes.warps, values, 1);
  }
  SmallVector<Scalar> exchange(ArrayRef<Tile> values, Shared scratch) {
    return s.cluster > 1 ? k.sumCluster(values, scratch) : k.sum(values, scratch);
  }
  int64_t numExchanges(int64_t batches) const {
    return (problem.sources > 1 ? batches : 0) + (problem.norm ? 1 : 0);
  }

  /// p, stored where it is asked for.
  Tile addDelta(Tile old, std::optional<Tile> added, ArrayRef<Scalar> at, Access access) {
    Tile p = added ? (old.to(k.f32) + added->to(k.f32)).to(k.bf16) : old;
    if (problem.addsDelta)
      k.store(p, sum, at, access);
    if (problem.writesBank)
      k.store(p, bank, at, access);
    return p;
  }

  /// Adds a batch to the mix. \param again gives source i of the batch once more.
  void add(Mix &mix, ArrayRef<Tile> batch, llvm::function_ref<Tile(size_t)> again, Tile c, Shared scratch) {
    if (problem.sources == 1) {
      mix.x = batch[0].to(k.f32); // One source has weight 1, exactly.
      return;
    }
    SmallVector<Tile> terms;
    for (Tile v : batch) {
      Tile f = v.to(k.f32);
      terms.push_back(f * c);
      terms.push_back(f * f);
    }
    SmallVector<Scalar> sums = exchange(terms, scratch), logits;
    for (size_t i = 0; i < batch.size(); ++i)
      logits.push_back(sums[2 * i] * rsqrt(sums[2 * i + 1] * (1.0 / static_cast<double>(problem.d)) + problem.eps) * M_LOG2E);
    Scalar largest = logits[0];
    for (Scalar logit : ArrayRef(logits).drop_front())
      largest = max(largest, logit);
    if (mix.x) {
      largest = max(largest, mix.largest);
      Scalar keep = exp2(mix.largest - largest);
      mix.x = mix.x * keep;
      mix.total = mix.total * keep;
    }
    for (auto [i, logit] : llvm::enumerate(logits)) {
      Scalar e = exp2(logit - largest);
      Tile f = again(i).to(k.f32);
      mix.total = mix.total ? mix.total + e : e;
      mix.x = mix.x ? fma(f, e, mix.x) : f * e;
    }
    mix.largest = largest;
  }

  /// y of a finished mix.
  /// \param w the norm's weights where they are in registers already; else they are loaded last, so as not to be held.
  void finish(const Mix &mix, std::optional<Tile> w, Shared scratch, ArrayRef<Scalar> at, Access access) {
    Tile x = mix.total ? mix.x * rcp(mix.total) : mix.x;
    if (problem.norm) {
      Scalar squares = exchange({x * x}, scratch)[0];
      if (!w)
        w = k.load(weight, {at[1]}, lanes.layout, {.limit = access.limit});
      x = x * rsqrt(squares * (1.0 / static_cast<double>(problem.d)) + problem.eps) * *w;
    }
    k.store(x.to(k.bf16), y, at, access);
  }

  KernelBuilder k;
  const AttnResProblem &problem;
  const AttnResSchedule &s;
  int64_t part; ///< Elements of a row that a CTA has.
  RowLanes lanes;
  View prefix, delta, query, weight, sum, y, bank;
  SmallVector<View> banks;
  Scalar rows;
};

//===----------------------------------------------------------------------===//
// Direct
//===----------------------------------------------------------------------===//

FailureOr<BuiltKernel> AttnResKernel::direct() {
  Shared logits, squares;
  if (problem.sources > 1)
    logits = scratch("logits", 2 * problem.sources);
  if (problem.norm)
    squares = scratch("squares", 1);
  const bool clustered = s.cluster > 1;
  if (clustered)
    k.cluster(static_cast<int32_t>(s.cluster));

  k.roles([&] {
    k.role("mix", {.warps = lanes.warps}, [&](Scalar) {
      if (clustered) // A CTA may write into a peer only when that runs.
        k.b.create<tile::ClusterArriveOp>(k.loc, /*relaxed=*/true);
      Scalar zero = k.i32(0), first = clustered ? k.ctaRank() * static_cast<double>(part) : zero;
      SmallVector<Scalar> limit;
      if (!lanes.exact)
        limit.push_back(first + static_cast<double>(part));
      Access constant{.limit = limit, .cache = tile::CacheHint::ReadOnly}, once{.limit = limit, .raw = true}, out{.limit = limit};
      Tile c = k.load(query, {first}, lanes.layout, constant);
      std::optional<Tile> w;
      if (problem.norm && clustered)
        w = k.load(weight, {first}, lanes.layout, constant);
      k.pdlWait();
      k.pdlLaunch();
      if (clustered)
        k.b.create<tile::ClusterWaitOp>(k.loc);

      auto token = [&](Scalar row) {
        SmallVector<Scalar> at = {row, first};
        Tile old = k.load(prefix, at, lanes.layout, once);
        std::optional<Tile> added;
        if (problem.addsDelta)
          added = k.load(delta, at, lanes.layout, once);
        SmallVector<Tile> v;
        for (View source : banks)
          v.push_back(k.load(source, at, lanes.layout, once));
        v.push_back(addDelta(old, added, at, out));
        Mix mix;
        add(mix, v, [&](size_t i) {
          return s.reread && i < banks.size() ? k.load(banks[i], at, lanes.layout, once) : v[i];
        }, c, logits);
        finish(mix, w, squares, at, out);
        if (numExchanges(1) == 1)
          clustered ? k.clusterSync() : k.teamSync();
      };
      Scalar start = clustered ? k.clusterId() : k.ctaId();
      Scalar step = clustered ? Scalar{{&k, k.b.create<tile::NumClustersOp>(k.loc)}} : k.numCtas();
      k.loop(start, rows, step, carry(), token);
    });
  });
  return k.finish({.unitsPerRows = s.cluster, .ctasPerSm = s.ctasPerSm});
}

//===----------------------------------------------------------------------===//
// Ring
//===----------------------------------------------------------------------===//

FailureOr<BuiltKernel> AttnResKernel::ring() {
  k.minCtas(s.minCtas);
  const int64_t rowBytes = 2 * problem.d;
  Ring ring(k, "rows", s.slots, lanes.warps);
  Shared slots = ring.add("slots", rowShared(problem.d, 2), k.bf16);
  const auto batches = static_cast<int64_t>(llvm::divideCeil(problem.sources, s.batch));
  SmallVector<Shared> logits;
  for (int64_t i = 0; problem.sources > 1 && i < batches; ++i)
    logits.push_back(scratch(("logits" + Twine(i)).str(), 2 * std::min(s.batch, problem.sources - i * s.batch)));
  Shared squares;
  if (problem.norm)
    squares = scratch("squares", 1);

  k.roles([&] {
    k.role("mix", {.warps = lanes.warps}, [&](Scalar) {
      Scalar zero = k.i32(0);
      Tile c = k.load(query, {zero}, lanes.layout, {.cache = tile::CacheHint::ReadOnly});
      k.pdlWait();
      Cursor at = ring.start();
      /// The row in the next slot, which the caller releases.
      auto take = [&]() -> std::pair<Tile, Cursor> {
        Cursor now = at;
        ring.wait(now);
        at = at.next();
        return {k.load(slots[now], lanes.layout), now};
      };
      k.persistent(rows, carry(at), [&](Scalar row) {
        Mix mix;
        int64_t next = 0;
        for (int64_t i = 0; i < batches; ++i) {
          SmallVector<Tile> v;
          SmallVector<std::optional<Cursor>> held; // p is held in registers.
          for (int64_t j = 0; j < s.batch && next < problem.sources; ++j, ++next) {
            if (next > 0) {
              auto [tile, slot] = take();
              v.push_back(tile);
              held.push_back(slot);
              continue;
            }
            auto [old, oldSlot] = take();
            ring.release(oldSlot);
            std::optional<Tile> added;
            if (problem.addsDelta) {
              auto [tile, slot] = take();
              ring.release(slot);
              added = tile;
            }
            v.push_back(addDelta(old, added, {row, zero}, {}));
            held.push_back(std::nullopt);
          }
          add(mix, v, [&](size_t j) { return held[j] ? k.load(slots[*held[j]], lanes.layout) : v[j]; }, c,
              logits.empty() ? Shared() : logits[static_cast<size_t>(i)]);
          for (std::optional<Cursor> slot : held)
            if (slot)
              ring.release(*slot);
        }
        finish(mix, std::nullopt, squares, {row, zero}, {});
        if (numExchanges(batches) == 1)
          k.teamSync();
      });
    });
    k.role("copy", {.warps = 1}, [&](Scalar) {
      k.elect([&] {
        Cursor at = ring.start();
        SmallVector<View> order = {prefix};
        if (problem.addsDelta)
          order.push_back(delta);
        order.append(banks);
        // The first rows come into L2 while the kernel ahead ends; more would hold up the copies themselves.
        k.if_(k.ctaId() < rows, carry(), [&] {
          for (View source : ArrayRef(order).take_front(3))
            k.prefetch(source, {k.ctaId(), k.i32(0)}, rowBytes);
        });
        k.pdlWait();
        k.persistent(rows, carry(at), [&](Scalar row) {
          for (View source : order) {
            ring.acquire(at, rowBytes);
            k.copy(source, {row, k.i32(0)}, slots[at], ring.full, at);
            at = at.next();
          }
        });
        k.pdlLaunch(); // Late: CTAs of the next kernel take room from those of this one.
      });
    });
  });
  return k.finish({.ctasPerSm = s.ctasPerSm});
}

} // namespace

FailureOr<BuiltKernel> kernels::buildAttnRes(ModuleOp module, const std::string &name, const AttnResProblem &problem,
                                             RowRange range, const arch::GpuTarget &target) {
  auto reject = [&](const Twine &why) { return refuse(module, name, "attn_res", target, why); };
  if (problem.d < 8 || problem.d % 8)
    return reject("rows of " + Twine(problem.d) + " elements; 16-byte vectors need a multiple of 8");
  if (problem.sources < 1 || problem.sources > 16)
    return reject(Twine(problem.sources) + " sources; a token's sources fit the registers up to 16");
  if (problem.writesBank && !problem.addsDelta)
    return reject("a bank copy of p without a delta is a copy of the prefix; copy that");
  const AttnResSchedule &s = scheduleFor(attnResSchedules(problem, target), range);
  AttnResKernel kernel(module, name, problem, s, target);
  return s.slots ? kernel.ring() : kernel.direct();
}
