//===- Moe.cpp - Routing and MX experts in fp64 ---------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Reference/Moe.h"
#include "lib/Mx/Block.h"

#include <algorithm>
#include <numeric>

using namespace k3;
using namespace k3::reference;

Routing reference::route(In logits, In bias, size_t top, bool renormalize, double scale) {
  size_t count = bias.size();
  Routing routing;
  for (size_t start = 0; start < logits.size(); start += count) {
    Values score(count);
    for (size_t e = 0; e < count; ++e)
      score[e] = sigmoid(logits[start + e]);
    Indices order(count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t a, int32_t b) { return score[a] + bias[a] > score[b] + bias[b]; });
    order.resize(top);
    std::sort(order.begin(), order.end());
    double sum = 1e-20;
    for (int32_t e : order)
      sum += score[e];
    for (int32_t e : order) {
      routing.ids.push_back(e);
      routing.weights.push_back(score[e] / (renormalize ? sum : 1.0) * scale);
    }
  }
  return routing;
}

Values reference::decodeMx(const MxMatrix &matrix) {
  Values values(matrix.rows * matrix.columns);
  mx::dequantizeMxfp4Row(matrix.packed, matrix.scales, std::span<double>(values)); // Blocks never cross rows.
  return values;
}

Values reference::experts(In z, const Routing &routing, size_t latent, double beta, double linearBeta,
                          const std::function<const ExpertWeights &(int32_t expert)> &weightsOf) {
  size_t tokens = z.size() / latent, top = tokens ? routing.ids.size() / tokens : 0;
  Values y(z.size(), 0.0);
  for (size_t t = 0; t < tokens; ++t)
    for (size_t j = 0; j < top; ++j) {
      const ExpertWeights &expert = weightsOf(routing.ids[t * top + j]);
      In input = z.subspan(t * latent, latent);
      Values gate = linear(input, expert.w1, latent), up = linear(input, expert.w3, latent),
             hidden(gate.size());
      for (size_t i = 0; i < hidden.size(); ++i)
        hidden[i] = situGlu(gate[i], up[i], beta, linearBeta);
      Values output = linear(hidden, expert.w2, hidden.size());
      for (size_t i = 0; i < latent; ++i)
        y[t * latent + i] += routing.weights[t * top + j] * output[i];
    }
  return y;
}
