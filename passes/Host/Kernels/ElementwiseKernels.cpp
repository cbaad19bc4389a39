//===- ElementwiseKernels.cpp - Row copies, gates and activations ----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Host/Kernels/KernelBuilder.h"

namespace k3::host {

/// out[r] = source[ids[r]], zeros where the id is negative.
static void gatherRows(KernelBuilder &k, View ids, View source, View out, int64_t width) {
  k.grid([&](Index r) {
    Index id = ids().integer(r);
    k.when(
        id < 0, [&] { k.fill(out(r), width, 0); }, [&] { k.copy(source(id), out(r), width); });
  });
}

HostKernel buildEmbedding(KernelModule &module, const EmbeddingParams &p) {
  return module.kernel(kernelSymbol("embedding", {p.hidden}), 8, [&](KernelBuilder &k) {
    View tokens = k.integers("tokens"), table = k.read("table", {p.hidden}), out = k.write("out", {p.hidden});
    gatherRows(k, tokens, table, out, p.hidden);
  });
}

HostKernel buildGatherRows(KernelModule &module, const GatherRowsParams &p) {
  return module.kernel(kernelSymbol("gather_rows", {p.hidden}), 8, [&](KernelBuilder &k) {
    View source = k.read("h", {p.hidden}), rows = k.integers("rows"), out = k.write("out", {p.hidden});
    gatherRows(k, rows, source, out, p.hidden);
  });
}

HostKernel buildCopyRows(KernelModule &module, const CopyRowsParams &p) {
  return module.kernel(kernelSymbol("copy_rows", {p.elements}), 1, [&](KernelBuilder &k) {
    View from = k.integers("src_idx"), to = k.integers("dst_idx"),
         state = k.buffer("state", Access::Both, {p.elements});
    k.grid([&](Index n) {
      Index source = from().integer(n), target = to().integer(n);
      k.when(source >= 0 && target >= 0, [&] { k.copy(state(source), state(target), p.elements); });
    });
  });
}

HostKernel buildAdd(KernelModule &module, const AddParams &p) {
  return module.kernel(kernelSymbol("add", {p.hidden}), 16, [&](KernelBuilder &k) {
    View a = k.read("a", {p.hidden}), b = k.read("b", {p.hidden}), y = k.write("y", {p.hidden});
    k.grid([&](Index t) { k.forLanes(p.hidden, [&](Lane c) { y(t).set(c, a(t)[c] + b(t)[c]); }); });
  });
}

HostKernel buildSigmoidGate(KernelModule &module, const SigmoidGateParams &p) {
  return module.kernel(kernelSymbol("sigmoid_gate", {p.width}), 4, [&](KernelBuilder &k) {
    View o = k.read("o", {p.width}), g = k.read("g", {p.width}), y = k.write("y", {p.width});
    k.grid([&](Index t) { k.forLanes(p.width, [&](Lane c) { y(t).set(c, o(t)[c] * sigmoid(g(t)[c])); }); });
  });
}

HostKernel buildSituGlu(KernelModule &module, const SituGluParams &p) {
  return module.kernel(kernelSymbol("situ_glu", {p.width}, {p.beta, p.linearBeta}), 4, [&](KernelBuilder &k) {
    View x = k.read("x", {2 * p.width}), y = k.write("y", {p.width});
    k.grid([&](Index t) {
      Row gate = x(t), up = x(t).from(p.width);
      k.forLanes(p.width, [&](Lane c) { y(t).set(c, situ(gate[c], up[c], p.beta, p.linearBeta)); });
    });
  });
}

HostKernel buildKdaGate(KernelModule &module, const KdaGateParams &p) {
  return module.kernel(kernelSymbol("kda_gate", {p.heads, p.dim}, {p.bound}), 4, [&](KernelBuilder &k) {
    View f = k.read("f", {p.heads * p.dim}), b = k.read("b", {p.heads}), aLog = k.weight("A_log", p.heads),
         dtBias = k.weight("dt_bias", p.heads * p.dim), g = k.write("g", {p.heads, p.dim}),
         beta = k.write("beta", {p.heads});
    k.grid([&](Index t) {
      k.forRange(0, p.heads, [&](Index h) {
        F rate = exp(aLog()[h]);
        Row fHead = f(t).from(h * p.dim), bias = dtBias().from(h * p.dim);
        k.forLanes(p.dim, [&](Lane c) { g(t, h).set(c, p.bound * sigmoid(rate * (fHead[c] + bias[c]))); });
        beta(t).set(h, sigmoid(b(t)[h]));
      });
    });
  });
}

HostKernel buildSampleGreedy(KernelModule &module, const SampleGreedyParams &p) {
  return module.kernel(kernelSymbol("sample_greedy", {p.vocab}), 1, [&](KernelBuilder &k) {
    View logits = k.read("logits", {p.vocab}), ids = k.integers("ids", Access::Write);
    k.grid([&](Index r) {
      // Strictly greater, so that a tie stays with the smaller id; NaN only until the first number.
      F nothing = k.constant(std::numeric_limits<float>::quiet_NaN());
      Index first = k.index(0);
      auto best = k.fold(first, k.index(p.vocab), {nothing, F{{&k, first.v}}},
                         [&](Index id, const KernelBuilder::Carried &best) -> KernelBuilder::Carried {
                           F value = logits(r)[id];
                           Bool take = value > best[0] || (isNan(best[0]) && !isNan(value));
                           Index choice = select(take, id, Index{{&k, best[1].v}});
                           return {select(take, value, best[0]), F{{&k, choice.v}}};
                         });
      ids().setInteger(r, Index{{&k, best[1].v}});
    });
  });
}

} // namespace k3::host
