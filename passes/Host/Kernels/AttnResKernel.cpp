//===- AttnResKernel.cpp - Block attention residuals, one row at a time ----===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// logit_i = <v_i, query> rsqrt(mean v_i^2 + eps), a = softmax(logits), mixed = sum_i a_i v_i over the raw
// sources, the partial sum last (Kimi K3 report, block attention residuals). One pass per source for both
// sums, one for the mixture, one for the norm; a row of every source is read twice, the second time from
// cache.
//
//===----------------------------------------------------------------------===//

#include "passes/Host/Kernels/KernelBuilder.h"

namespace k3::host {

using Carried = KernelBuilder::Carried;

/// The weights of the sources; 1 exactly for a single one.
static Carried weights(KernelBuilder &k, llvm::ArrayRef<Row> sources, View query, const AttnResParams &p) {
  Carried logits;
  for (const Row &source : sources) {
    Carried sums = k.reduce(p.hidden, 2, [&](Lane c, const Carried &acc) {
      F v = source[c];
      return Carried{fma(v, query()[c], acc[0]), fma(v, v, acc[1])};
    });
    logits.push_back(sums[0] * rsqrt(sums[1] / float(p.hidden) + p.eps));
  }
  F largest = logits[0];
  for (F logit : logits)
    largest = maxOf(logit, largest);
  Carried a;
  F sum = k.constant(0);
  for (F logit : logits) {
    a.push_back(exp(logit - largest));
    sum = sum + a.back();
  }
  for (F &weight : a)
    weight = weight / sum;
  return a;
}

HostKernel buildAttnRes(KernelModule &module, const AttnResParams &p) {
  std::string family = std::string("attn_res") + (p.delta ? "_plus" : "") + (p.norm ? "_norm" : "");
  return module.kernel(kernelSymbol(family, {p.sources, p.hidden}, {p.eps}), 4, [&](KernelBuilder &k) {
    llvm::SmallVector<View> bank;
    for (int64_t i = 0; i < p.sources; ++i)
      bank.push_back(k.read("source_" + std::to_string(i), {p.hidden}));
    View partial = k.read("partial", {p.hidden}), delta, normWeight, sum;
    if (p.delta)
      delta = k.read("delta", {p.hidden});
    View query = k.weight("query", p.hidden);
    if (p.norm)
      normWeight = k.weight("norm_w", p.hidden);
    View mixed = k.write("mixed", {p.hidden});
    if (p.delta)
      sum = k.write("sum", {p.hidden});

    k.grid([&](Index t) {
      if (p.delta)
        k.forLanes(p.hidden, [&](Lane c) { sum(t).set(c, partial(t)[c] + delta(t)[c]); });
      llvm::SmallVector<Row> sources;
      for (View source : bank)
        sources.push_back(source(t));
      sources.push_back(p.delta ? sum(t) : partial(t));

      Carried a;
      if (p.sources)
        a = weights(k, sources, query, p);
      auto mixture = [&](Lane c) {
        if (a.empty())
          return sources[0][c];
        F out = a[0] * sources[0][c];
        for (size_t i = 1; i < sources.size(); ++i)
          out = fma(a[i], sources[i][c], out);
        return out;
      };
      if (!p.norm) {
        k.forLanes(p.hidden, [&](Lane c) { mixed(t).set(c, mixture(c)); });
        return;
      }
      F squares = k.reduce(p.hidden, 1, [&](Lane c, const Carried &acc) {
        F out = mixture(c);
        mixed(t).set(c, out);
        return Carried{fma(out, out, acc[0])};
      })[0];
      F scale = rsqrt(squares / float(p.hidden) + p.eps);
      k.forLanes(p.hidden, [&](Lane c) { mixed(t).set(c, mixed(t)[c] * scale * normWeight()[c]); });
    });
  });
}

} // namespace k3::host
