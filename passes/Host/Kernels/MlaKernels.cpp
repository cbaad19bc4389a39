//===- MlaKernels.cpp - Latent attention over the paged cache --------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys and values of head h come from the cache row (c [C], r [R]) of a position: k = (W_uk c, r), v = W_uv
// c, with W_uk the first N and W_uv the last V rows of kv_b[h]; o = softmax((q . k) (N+R)^-0.5) v over
// positions <= own.
//   absorbed    q~ = q_n W_uk; logits (q~, q_r) . (c, r); o~ = sum p c; o = W_uv o~        per row, for few
//   rows unabsorbed  k and v of 64 positions are expanded once, then serve all rows              for many
//   rows
// Both walk the positions in blocks of 64 (a page) from 0 and keep a running maximum and sum, so scratch does
// not grow with the context. A block is cut at the row's own position: later keys never enter its arithmetic.
//
//===----------------------------------------------------------------------===//

#include "passes/Host/Kernels/KernelBuilder.h"

#include <cmath>

namespace k3::host {

using Carried = KernelBuilder::Carried;
static constexpr int64_t page = 64;

HostKernel buildMlaAppend(KernelModule &module, const MlaAppendParams &p) {
  return module.kernel(kernelSymbol("mla_append", {p.latent, p.rope}, {p.eps}), 8, [&](KernelBuilder &k) {
    View kv = k.read("kv", {p.latent + p.rope}), w = k.weight("w", p.latent), cu = k.integers("cu"),
         context = k.integers("context"), table = k.integerTable("block_table"),
         cache = k.buffer("latent", Access::Both, {page, p.latent + p.rope});
    k.grid([&](Index t) {
      Index count = context.rows();
      Index s = k.foldIndex(k.index(0), count, k.index(0), [&](Index i, Index before) {
        return before + select(t < cu().integer(i + 1), k.index(0), k.index(1));
      });
      k.when(s < count, [&] {
        Index position = context().integer(s) + (t - cu().integer(s));
        Index block = table(s).integer(position / page);
        k.when(block >= 0, [&] {
          Row to = cache(block, position % page);
          F scale = rsqrt(k.sumSquares(kv(t), p.latent) / float(p.latent) + p.eps);
          k.forLanes(p.latent, [&](Lane c) { to.set(c, kv(t)[c] * scale * w()[c]); });
          k.copy(kv(t).from(p.latent), to.from(p.latent), p.rope);
        });
      });
    });
  });
}

namespace {

struct MlaCore {
  /// Rows whose running maximum and sum are kept at once, and rows that share a block of logits.
  static constexpr int64_t tileRows = 1024, groupRows = 64;

  KernelBuilder &k;
  const MlaCoreParams &p;
  View q, kvB, cu, context, table, cache, o;
  // Absorbed: query and sum in the latent space, one block of probabilities.
  View absorbed, gathered, weights;
  // Unabsorbed: a block of latents, keys and values; logits; running maximum, sum, last correction.
  View latentT, keysT, values, logits, largest, total, correction;
  float scale;

  MlaCore(KernelBuilder &k, const MlaCoreParams &p);
  void unit(Index unit);
  void absorbedRow(Index s, Index h, Index row, Index position);
  void unabsorbedSequence(Index s, Index h, Index begin, Index end, Index position);
  void expand(Index s, Index h, Index block, Index length);
  void group(Index h, Index block, Index first, Index rows, Index tile, Index position);
  F softmaxBlock(const Row &row, Index n, Index statistics);
};

} // namespace

MlaCore::MlaCore(KernelBuilder &k, const MlaCoreParams &p)
    : k(k), p(p), scale(float(1 / std::sqrt(double(p.nope + p.rope)))) {
  q = k.read("q", {p.heads, p.nope + p.rope});
  kvB = k.read("kv_b", {p.nope + p.value, p.latent});
  cu = k.integers("cu");
  context = k.integers("context");
  table = k.integerTable("block_table");
  cache = k.read("latent", {page, p.latent + p.rope});
  o = k.write("o", {p.heads, p.value});
  largest = k.scratch({tileRows});
  total = k.scratch({tileRows});
  if (p.form != MlaForm::Unabsorbed) {
    absorbed = k.scratch({p.latent + p.rope});
    gathered = k.scratch({1, p.latent});
    weights = k.scratch({1, page});
  }
  if (p.form != MlaForm::Absorbed) {
    latentT = k.scratch({p.latent, page});
    keysT = k.scratch({p.nope + p.rope, page});
    values = k.scratch({page, p.value});
    logits = k.scratch({groupRows, page});
    correction = k.scratch({groupRows});
  }
}

/// Folds n logits of a row into its running maximum and sum, turns them into weights relative to the new
/// maximum, and returns the factor for what was summed before.
F MlaCore::softmaxBlock(const Row &row, Index n, Index statistics) {
  F before = largest()[statistics];
  F now = maxOf(k.rowMax(row, n), before);
  F factor = exp(before - now);
  k.forLanes(n, [&](Lane c) { row.set(c, exp(row[c] - now)); });
  F sum = k.fold(k.index(0), n, total()[statistics] * factor, [&](Index c, F acc) { return acc + row[c]; });
  largest().set(statistics, now);
  total().set(statistics, sum);
  return factor;
}

//===----------------------------------------------------------------------===//
// Absorbed
//===----------------------------------------------------------------------===//

void MlaCore::absorbedRow(Index s, Index h, Index row, Index position) {
  Index zero = k.index(0), one = k.index(1);
  k.product({one, p.latent, k.index(p.nope), [&](Index) { return q(row, h); },
             [&](Index n) { return kvB(h, n); }, nullptr,
             [&](Index, Lane c, F sum) { absorbed().set(c, sum); }});
  k.copy(q(row, h).from(p.nope), absorbed().from(p.latent), p.rope);
  k.fill(gathered(0), p.latent, 0);
  largest().set(zero, k.constant(-INFINITY));
  total().set(zero, k.constant(0));

  k.forRange(zero, (position + page) / page, [&](Index block) {
    Index number = table(s).integer(block);
    Index n = min(position + 1 - block * page, k.index(page));
    auto dots = [&](Index key, int64_t count) {
      Carried sums = k.reduce(p.latent + p.rope, count, [&](Lane c, const Carried &acc) {
        F x = absorbed()[c];
        Carried next;
        for (int64_t i = 0; i < count; ++i)
          next.push_back(fma(x, cache(number, key + i)[c], acc[i]));
        return next;
      });
      for (int64_t i = 0; i < count; ++i)
        weights(0).set(key + i, sums[i] * scale);
    };
    Index whole = n - n % 4;
    k.forRange(
        zero, whole, [&](Index key) { dots(key, 4); }, 4);
    k.forRange(whole, n, [&](Index key) { dots(key, 1); });
    F factor = softmaxBlock(weights(0), n, zero);
    k.product({one, p.latent, n, [&](Index) { return weights(0); },
               [&](Index key) { return cache(number, key); },
               [&](Index, Lane c) { return gathered(0)[c] * factor; },
               [&](Index, Lane c, F sum) { gathered(0).set(c, sum); }});
  });

  F sum = total()[zero];
  auto expandValues = [&](Index value, int64_t count) {
    Carried sums = k.reduce(p.latent, count, [&](Lane c, const Carried &acc) {
      F x = gathered(0)[c];
      Carried next;
      for (int64_t i = 0; i < count; ++i)
        next.push_back(fma(x, kvB(h, value + (p.nope + i))[c], acc[i]));
      return next;
    });
    for (int64_t i = 0; i < count; ++i)
      o(row, h).set(value + i, sums[i] / sum);
  };
  int64_t whole = p.value - p.value % 4;
  k.forRange(
      0, whole, [&](Index value) { expandValues(value, 4); }, 4);
  k.forRange(whole, p.value, [&](Index value) { expandValues(value, 1); });
}

//===----------------------------------------------------------------------===//
// Unabsorbed
//===----------------------------------------------------------------------===//

/// Keys [N+R, 64] and values [64, V] of a block of positions below `length`; columns beyond it are zero and
/// unused.
void MlaCore::expand(Index s, Index h, Index block, Index length) {
  Index number = table(s).integer(block);
  Index n = min(length - block * page, k.index(page));
  k.forRange(k.index(0), n, [&](Index key) {
    Row from = cache(number, key);
    k.forLanes(p.latent, [&](Lane c) {
      k.scatter(c, from[c], [&](Index column, F x) { latentT(column).set(key, x); });
    });
    k.forLanes(p.rope, [&](Lane c) {
      k.scatter(c, from.from(p.latent)[c], [&](Index column, F x) { keysT(column + p.nope).set(key, x); });
    });
  });
  k.forRange(n, k.index(page), [&](Index key) {
    k.forRange(0, p.latent, [&](Index c) { latentT(c).set(key, k.constant(0)); });
    k.forRange(0, p.rope, [&](Index c) { keysT(c + p.nope).set(key, k.constant(0)); });
  });
  auto latentRow = [&](Index c) { return latentT(c); };
  k.product({k.index(p.nope), page, k.index(p.latent), [&](Index r) { return kvB(h, r); }, latentRow, nullptr,
             [&](Index r, Lane key, F sum) { keysT(r).set(key, sum); }});
  k.product({k.index(p.value), page, k.index(p.latent), [&](Index r) { return kvB(h, r + p.nope); },
             latentRow, nullptr,
             [&](Index r, Lane key, F sum) {
               k.scatter(key, sum, [&](Index column, F x) { values(column).set(r, x); });
             }});
}

/// One block of positions for the rows first .. first+rows-1; row `tile` has statistics entry 0 and position
/// `position`.
void MlaCore::group(Index h, Index block, Index first, Index rows, Index tile, Index position) {
  Index zero = k.index(0), base = block * page;
  auto seen = [&](Index i) { return min(position + (first - tile) + i + 1 - base, k.index(page)); };
  k.product({rows, page, k.index(p.nope + p.rope), [&](Index i) { return q(first + i, h); },
             [&](Index c) { return keysT(c); }, nullptr,
             [&](Index i, Lane key, F sum) { logits(i).set(key, sum * scale); }});
  k.forRange(zero, rows, [&](Index i) {
    Index n = seen(i);
    k.when(n >= 1, [&] { correction().set(i, softmaxBlock(logits(i), n, first - tile + i)); });
  });
  auto valueRow = [&](Index key) { return values(key); };
  // The same chain per element either way: all rows together where each sees the whole block.
  k.when(
      seen(zero) == page,
      [&] {
        k.product({rows, p.value, k.index(page), [&](Index i) { return logits(i); }, valueRow,
                   [&](Index i, Lane c) { return o(first + i, h)[c] * correction()[i]; },
                   [&](Index i, Lane c, F sum) { o(first + i, h).set(c, sum); }});
      },
      [&] {
        k.forRange(zero, rows, [&](Index i) {
          Index n = seen(i);
          k.when(n >= 1, [&] {
            k.product({k.index(1), p.value, n, [&](Index) { return logits(i); }, valueRow,
                       [&](Index, Lane c) { return o(first + i, h)[c] * correction()[i]; },
                       [&](Index, Lane c, F sum) { o(first + i, h).set(c, sum); }});
          });
        });
      });
}

/// `position` is that of row `begin`. Sums grow in o itself.
void MlaCore::unabsorbedSequence(Index s, Index h, Index begin, Index end, Index position) {
  k.forRange(
      begin, end,
      [&](Index tile) {
        Index rows = min(end - tile, k.index(tileRows));
        Index tilePosition = position + (tile - begin), length = tilePosition + rows;
        k.forRange(k.index(0), rows, [&](Index i) {
          largest().set(i, k.constant(-INFINITY));
          total().set(i, k.constant(0));
          k.fill(o(tile + i, h), p.value, 0);
        });
        k.forRange(k.index(0), (length + (page - 1)) / page, [&](Index block) {
          expand(s, h, block, length);
          k.forRange(
              k.index(0), rows,
              [&](Index i) {
                group(h, block, tile + i, min(rows - i, k.index(groupRows)), tile, tilePosition);
              },
              groupRows);
        });
        k.forRange(k.index(0), rows, [&](Index i) {
          F sum = total()[i];
          k.forLanes(p.value, [&](Lane c) { o(tile + i, h).set(c, o(tile + i, h)[c] / sum); });
        });
      },
      tileRows);
}

//===----------------------------------------------------------------------===//
// A unit
//===----------------------------------------------------------------------===//

void MlaCore::unit(Index unit) {
  Index s = unit / p.heads, h = unit % p.heads;
  Index begin = cu().integer(s), end = cu().integer(s + 1), position = context().integer(s);
  Index n = end - begin, length = position + n;
  auto absorb = [&] {
    k.forRange(begin, end, [&](Index row) { absorbedRow(s, h, row, position + (row - begin)); });
  };
  auto expandAll = [&] { unabsorbedSequence(s, h, begin, end, position); };
  k.when(n >= 1 && table(s).integer(k.index(0)) >= 0, [&] {
    if (p.form == MlaForm::Absorbed)
      return absorb();
    if (p.form == MlaForm::Unabsorbed)
      return expandAll();
    // Multiply-adds of a head: absorbed n (N C + C V) + n L (2 C + R), unabsorbed L C (N + V) + n L (N + R +
    // V).
    int64_t move = p.latent * (p.nope + p.value);
    Index few = n * move + n * length * (2 * p.latent + p.rope);
    Index many = length * move + n * length * (p.nope + p.rope + p.value);
    k.when(many < few, expandAll, absorb);
  });
}

HostKernel buildMlaCore(KernelModule &module, const MlaCoreParams &p) {
  static const char *const forms[] = {"auto", "absorbed", "unabsorbed"};
  std::string family = std::string("mla_core_") + forms[int(p.form)];
  return module.kernel(kernelSymbol(family, {p.heads, p.nope, p.rope, p.value, p.latent}), 1,
                       [&](KernelBuilder &k) {
                         MlaCore core(k, p);
                         k.grid([&](Index unit) { core.unit(unit); });
                       });
}

} // namespace k3::host
