//===- KdaCoreKernel.cpp - The gated delta rule, in chunks and by token ----===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One unit is a (sequence, head). Recurrence, per token, S [V, K]:
//   S = S diag(e^g);  u = beta (v - S k);  S = S + u k^T;  o = S q
// Chunk of n rows, with G_i the running sum of g inside it, k+ = k e^G, k- = k e^-G, q+ = q e^G, kr = k
// e^(G_n - G):
//   L_ij = beta_i <k+_i, k-_j> (j < i);  M_ij = <q+_i, k-_j> (j <= i)
//   U_i = beta_i (v_i - S k+_i) - sum_{j<i} L_ij U_j;  o_i = S q+_i + sum_{j<=i} M_ij U_j;  S = S diag(e^G_n)
//   + U^T kr
// (Kimi K3 report, KDA.) |g| <= 5 and n <= 16 keep e^|G| below e^80, inside f32. The chunk form keeps S
// transposed, [K, V], in scratch, so that every product runs along V in registers. Bounds, not masks: row i
// never meets a later row.
//
//===----------------------------------------------------------------------===//

#include "passes/Host/Kernels/KernelBuilder.h"

namespace k3::host {

using Carried = KernelBuilder::Carried;

namespace {

struct KdaCore {
  KernelBuilder &k;
  const KdaCoreParams &p;
  // Arguments.
  View q, key, v, g, beta, cu, context, readSlots, writeSlots, ckptSlots, ckptRows, state, o;
  // Scratch of the chunk form: rows of a chunk, and their transposes.
  View s, plus, query, minusT, restT, sums, decay, u, lower, mixing;
  // Scratch of the recurrence.
  View alpha;

  KdaCore(KernelBuilder &k, const KdaCoreParams &p);
  void unit(Index unit);
  void chunked(Index h, Index begin, Index end, Index position, Index source, Index target, Bool continued);
  void chunk(Index h, Index first, Index n);
  void factors(Index h, Index first, Index n);
  void recurrent(Index h, Index begin, Index end, Index source, Index target, Bool continued);
  void recurrentRows(Index t, Index h, Index from, Index to, Index value, int64_t count);
  void forCheckpoints(Index row, llvm::function_ref<void(Index)> body);
  void storeState(Index slot, Index h);
};

} // namespace

KdaCore::KdaCore(KernelBuilder &k, const KdaCoreParams &p) : k(k), p(p) {
  q = k.read("q", {p.heads, p.keyDim});
  key = k.read("k", {p.heads, p.keyDim});
  v = k.read("v", {p.heads, p.valueDim});
  g = k.read("g", {p.heads, p.keyDim});
  beta = k.read("beta", {p.heads});
  cu = k.integers("cu");
  context = k.integers("context");
  readSlots = k.integers("read_slots");
  writeSlots = k.integers("write_slots");
  ckptSlots = k.integers("ckpt_slots");
  ckptRows = k.integers("ckpt_rows");
  state = k.buffer("state", Access::Both, {p.heads, p.valueDim, p.keyDim});
  o = k.write("o", {p.heads, p.valueDim});
  if (p.form != KdaForm::Recurrent) {
    s = k.scratch({p.keyDim, p.valueDim});
    plus = k.scratch({p.chunk, p.keyDim});
    query = k.scratch({p.chunk, p.keyDim});
    minusT = k.scratch({p.keyDim, p.chunk});
    restT = k.scratch({p.keyDim, p.chunk});
    sums = k.scratch({p.chunk, p.keyDim});
    decay = k.scratch({p.keyDim});
    u = k.scratch({p.chunk, p.valueDim});
    lower = k.scratch({p.chunk, p.chunk});
    mixing = k.scratch({p.chunk, p.chunk});
  }
  if (p.form != KdaForm::Chunked)
    alpha = k.scratch({p.keyDim});
}

/// body(slot) for every checkpoint of this row.
void KdaCore::forCheckpoints(Index row, llvm::function_ref<void(Index)> body) {
  k.forRange(k.index(0), ckptRows.rows(), [&](Index n) {
    Index slot = ckptSlots().integer(n);
    k.when(slot >= 0 && ckptRows().integer(n) == row, [&] { body(slot); });
  });
}

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

/// The scratch state to a slot, [V, K].
void KdaCore::storeState(Index slot, Index h) {
  k.forRange(0, p.keyDim, [&](Index c) {
    k.forLanes(p.valueDim, [&](Lane r) {
      k.scatter(r, s(c)[r], [&](Index value, F x) { state(slot, h, value).set(c, x); });
    });
  });
}

/// k+, q+, k-^T, (k e^(G_n - G))^T and e^G_n of the rows first .. first+n-1. Each column runs down the rows
/// alone.
void KdaCore::factors(Index h, Index first, Index n) {
  k.forLanes(p.keyDim, [&](Lane c) {
    F zero = c.width == 1 ? k.constant(0) : k.splat(k.constant(0));
    F total = k.fold(k.index(0), n, zero, [&](Index i, F before) {
      F sum = before + g(first + i, h)[c], grown = exp(sum), kc = key(first + i, h)[c];
      sums(i).set(c, sum);
      plus(i).set(c, kc * grown);
      query(i).set(c, q(first + i, h)[c] * grown);
      k.scatter(c, kc * exp(-sum), [&](Index column, F x) { minusT(column).set(i, x); });
      return sum;
    });
    decay().set(c, exp(total));
    k.forRange(k.index(0), n, [&](Index i) {
      F rest = key(first + i, h)[c] * exp(total - sums(i)[c]);
      k.scatter(c, rest, [&](Index column, F x) { restT(column).set(i, x); });
    });
  });
}

void KdaCore::chunk(Index h, Index first, Index n) {
  factors(h, first, n);
  Index keyDim = k.index(p.keyDim);
  auto minus = [&](Index d) { return minusT(d); };
  // All n columns of a row are formed, those past the diagonal are not used.
  k.product({n, p.chunk, keyDim, [&](Index i) { return plus(i); }, minus, nullptr,
             [&](Index i, Lane j, F sum) { lower(i).set(j, beta(first + i)[h] * sum); }});
  k.product({n, p.chunk, keyDim, [&](Index i) { return query(i); }, minus, nullptr,
             [&](Index i, Lane j, F sum) { mixing(i).set(j, sum); }});
  // U: the right-hand side, then forward substitution.
  auto stateRow = [&](Index d) { return s(d); };
  k.product({n, p.valueDim, keyDim, [&](Index i) { return plus(i); }, stateRow, nullptr,
             [&](Index i, Lane c, F sum) { u(i).set(c, beta(first + i)[h] * (v(first + i, h)[c] - sum)); }});
  k.forRange(k.index(1), n, [&](Index i) {
    k.forLanes(p.valueDim, [&](Lane c) {
      F value =
          k.fold(k.index(0), i, u(i)[c], [&](Index j, F acc) { return fma(-lower(i)[j], u(j)[c], acc); });
      u(i).set(c, value);
    });
  });
  k.product({n, p.valueDim, keyDim, [&](Index i) { return query(i); }, stateRow, nullptr,
             [&](Index i, Lane c, F sum) {
               F value = k.fold(k.index(0), i + 1, sum,
                                [&](Index j, F acc) { return fma(mixing(i)[j], u(j)[c], acc); });
               o(first + i, h).set(c, value);
             }});
  k.product({keyDim, p.valueDim, n, [&](Index c) { return restT(c); }, [&](Index i) { return u(i); },
             [&](Index c, Lane r) { return s(c)[r] * decay()[c]; },
             [&](Index c, Lane r, F value) { s(c).set(r, value); }});
}

/// Chunks end where the absolute position is a multiple of `chunk`, after a checkpoint row, and at the end:
/// how a sequence is cut depends on lengths alone.
void KdaCore::chunked(Index h, Index begin, Index end, Index position, Index source, Index target,
                      Bool continued) {
  k.forRange(0, p.valueDim, [&](Index r) {
    k.forLanes(p.keyDim, [&](Lane c) {
      auto put = [&](Index column, F x) { s(column).set(r, x); };
      k.when(
          continued, [&] { k.scatter(c, state(source, h, r)[c], put); },
          [&] { k.scatter(c, c.width == 1 ? k.constant(0) : k.splat(k.constant(0)), put); });
    });
  });
  k.whileBelow(begin, end, [&](Index first) {
    Index at = position + (first - begin);
    Index stop = min(end, first + (k.index(p.chunk) - at % p.chunk));
    stop = k.foldIndex(k.index(0), ckptRows.rows(), stop, [&](Index n, Index stop) {
      Index row = ckptRows().integer(n);
      return select(!(row < first) && row < stop, row + 1, stop);
    });
    chunk(h, first, stop - first);
    forCheckpoints(stop - 1, [&](Index slot) { storeState(slot, h); });
    return stop;
  });
  storeState(target, h);
}

//===----------------------------------------------------------------------===//
// Recurrence
//===----------------------------------------------------------------------===//

/// Token t for `count` value rows: each row of S is read once and written once.
void KdaCore::recurrentRows(Index t, Index h, Index from, Index to, Index value, int64_t count) {
  auto old = [&](int64_t i) { return state(from, h, value + i); };
  auto next = [&](int64_t i) { return state(to, h, value + i); };
  Carried retrieved = k.reduce(p.keyDim, count, [&](Lane c, const Carried &acc) {
    F decayed = alpha()[c], kc = key(t, h)[c];
    Carried sums;
    for (int64_t i = 0; i < count; ++i) {
      F x = old(i)[c] * decayed;
      next(i).set(c, x);
      sums.push_back(fma(x, kc, acc[i]));
    }
    return sums;
  });
  Carried correction;
  for (int64_t i = 0; i < count; ++i)
    correction.push_back(beta(t)[h] * (v(t, h)[value + i] - retrieved[i]));
  Carried output = k.reduce(p.keyDim, count, [&](Lane c, const Carried &acc) {
    F kc = key(t, h)[c], qc = q(t, h)[c];
    Carried sums;
    for (int64_t i = 0; i < count; ++i) {
      F x = fma(correction[i], kc, next(i)[c]);
      next(i).set(c, x);
      sums.push_back(fma(x, qc, acc[i]));
    }
    return sums;
  });
  for (int64_t i = 0; i < count; ++i)
    o(t, h).set(value + i, output[i]);
}

/// Works in the write slot.
void KdaCore::recurrent(Index h, Index begin, Index end, Index source, Index target, Bool continued) {
  k.when(!continued,
         [&] { k.forRange(0, p.valueDim, [&](Index r) { k.fill(state(target, h, r), p.keyDim, 0); }); });
  Index start = select(continued, source, target);
  k.forRange(begin, end, [&](Index t) {
    k.forLanes(p.keyDim, [&](Lane c) { alpha().set(c, exp(g(t, h)[c])); });
    Index from = select(t == begin, start, target);
    int64_t whole = p.valueDim - p.valueDim % 4;
    k.forRange(
        0, whole, [&](Index value) { recurrentRows(t, h, from, target, value, 4); }, 4);
    for (int64_t value = whole; value < p.valueDim; ++value)
      recurrentRows(t, h, from, target, k.index(value), 1);
    forCheckpoints(t, [&](Index slot) {
      k.forRange(0, p.valueDim, [&](Index r) { k.copy(state(target, h, r), state(slot, h, r), p.keyDim); });
    });
  });
}

//===----------------------------------------------------------------------===//
// A unit
//===----------------------------------------------------------------------===//

void KdaCore::unit(Index unit) {
  Index sequence = unit / p.heads, h = unit % p.heads;
  Index begin = cu().integer(sequence), end = cu().integer(sequence + 1);
  Index source = readSlots().integer(sequence), target = writeSlots().integer(sequence);
  Index position = context().integer(sequence);
  Bool continued = position >= 1 && source >= 0;
  k.when(target >= 0 && begin < end, [&] {
    auto chunks = [&] { chunked(h, begin, end, position, source, target, continued); };
    auto tokens = [&] { recurrent(h, begin, end, source, target, continued); };
    if (p.form == KdaForm::Chunked)
      chunks();
    else if (p.form == KdaForm::Recurrent)
      tokens();
    else
      k.when(end - begin == 1, tokens, chunks);
  });
  k.when(target >= 0 && begin == end && continued && source != target, [&] {
    k.forRange(0, p.valueDim, [&](Index r) { k.copy(state(source, h, r), state(target, h, r), p.keyDim); });
  });
}

HostKernel buildKdaCore(KernelModule &module, const KdaCoreParams &p) {
  static const char *const forms[] = {"auto", "chunked", "recurrent"};
  std::string family = std::string("kda_core_") + forms[int(p.form)];
  return module.kernel(kernelSymbol(family, {p.heads, p.keyDim, p.valueDim, p.chunk}), 1,
                       [&](KernelBuilder &k) {
                         KdaCore core(k, p);
                         k.grid([&](Index unit) { core.unit(unit); });
                       });
}

} // namespace k3::host
