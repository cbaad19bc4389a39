//===- Kda.cpp - Kimi Delta Attention in fp64 -----------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Reference/Kda.h"

#include <cmath>

using namespace k3;
using namespace k3::reference;

Values reference::shortConv(In u, const Batch &batch, In weight, size_t taps, SlotState &window) {
  size_t channels = weight.size() / taps;
  Values y(u.size(), 0.0);
  for (size_t s = 0; s < batch.sequences(); ++s) {
    if (batch.isPadding(s))
      continue;
    Values rows = window.load(batch, s); // [taps - 1, C]
    for (int32_t t = batch.cuSeqlens[s]; t < batch.cuSeqlens[s + 1]; ++t) {
      In current = u.subspan(t * channels, channels);
      rows.insert(rows.end(), current.begin(), current.end()); // Now [taps, C].
      for (size_t c = 0; c < channels; ++c) {
        double sum = 0;
        for (size_t i = 0; i < taps; ++i)
          sum += weight[c * taps + i] * rows[i * channels + c];
        y[t * channels + c] = silu(sum);
      }
      rows.erase(rows.begin(), rows.begin() + channels);
      window.checkpoint(batch, t, rows);
    }
    window.store(batch.writeSlots[s], rows);
  }
  return y;
}

KdaGates reference::kdaGate(In f, In b, In aLog, In dtBias, size_t heads, double bound) {
  size_t width = dtBias.size(), keyDim = width / heads, tokens = f.size() / width;
  KdaGates gates{Values(f.size()), Values(b.size())};
  for (size_t t = 0; t < tokens; ++t)
    for (size_t h = 0; h < heads; ++h) {
      for (size_t c = h * keyDim; c < (h + 1) * keyDim; ++c)
        gates.g[t * width + c] = bound * sigmoid(std::exp(aLog[h]) * (f[t * width + c] + dtBias[c]));
      gates.beta[t * heads + h] = sigmoid(b[t * heads + h]);
    }
  return gates;
}

/// One token of one head. state [V, K]; o [V].
static void deltaRule(In q, In k, In v, In g, double beta, std::span<double> state, std::span<double> o) {
  size_t keyDim = k.size();
  for (size_t i = 0; i < v.size(); ++i) {
    std::span<double> row = state.subspan(i * keyDim, keyDim);
    double remembered = 0;
    for (size_t c = 0; c < keyDim; ++c) {
      row[c] *= std::exp(g[c]);
      remembered += row[c] * k[c];
    }
    double u = beta * (v[i] - remembered);
    o[i] = 0;
    for (size_t c = 0; c < keyDim; ++c) {
      row[c] += u * k[c];
      o[i] += row[c] * q[c];
    }
  }
}

Values reference::kdaCore(In q, In k, In v, In g, In beta, const Batch &batch, size_t heads, size_t keyDim,
                          size_t valueDim, SlotState &state) {
  Values o(v.size(), 0.0);
  for (size_t s = 0; s < batch.sequences(); ++s) {
    if (batch.isPadding(s))
      continue;
    Values all = state.load(batch, s); // [H, V, K]
    for (int32_t t = batch.cuSeqlens[s]; t < batch.cuSeqlens[s + 1]; ++t) {
      for (size_t h = 0; h < heads; ++h) {
        size_t key = (t * heads + h) * keyDim, value = (t * heads + h) * valueDim;
        deltaRule(q.subspan(key, keyDim), k.subspan(key, keyDim), v.subspan(value, valueDim),
                  g.subspan(key, keyDim), beta[t * heads + h],
                  std::span<double>(all).subspan(h * valueDim * keyDim, valueDim * keyDim),
                  std::span<double>(o).subspan(value, valueDim));
      }
      state.checkpoint(batch, t, all);
    }
    state.store(batch.writeSlots[s], all);
  }
  return o;
}
