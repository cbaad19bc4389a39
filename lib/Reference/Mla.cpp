//===- Mla.cpp - Multi-head latent attention in fp64 ----------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Reference/Mla.h"

#include <cmath>

using namespace k3;
using namespace k3::reference;

void reference::mlaAppend(In kv, const Batch &batch, In norm, double eps, PagedState &cache) {
  size_t latent = norm.size();
  for (size_t s = 0; s < batch.sequences(); ++s) {
    if (batch.isPadding(s))
      continue;
    for (int32_t t = batch.cuSeqlens[s]; t < batch.cuSeqlens[s + 1]; ++t) {
      In source = kv.subspan(t * cache.width, cache.width);
      std::span<double> row = cache.row(batch, s, batch.contextLens[s] + t - batch.cuSeqlens[s]);
      Values normed = rmsNorm(source.first(latent), norm, eps);
      std::copy(normed.begin(), normed.end(), row.begin());
      std::copy(source.begin() + latent, source.end(), row.begin() + latent);
    }
  }
}

static double dot(In x, In y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i)
    sum += x[i] * y[i];
  return sum;
}

/// exp(x - max) / sum.
static void softmax(Values &x) {
  double largest = *std::max_element(x.begin(), x.end()), sum = 0;
  for (double &value : x)
    sum += value = std::exp(value - largest);
  for (double &value : x)
    value /= sum;
}

/// sum_i probs[i] rows[i]
static Values weightedSum(const Values &probs, const std::vector<In> &rows) {
  Values sum(rows.front().size(), 0.0);
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j < sum.size(); ++j)
      sum[j] += probs[i] * rows[i][j];
  return sum;
}

/// One token and head over latents c_i [C] and shared keys r_i [R] of all its positions.
static Values attend(In qNope, In qRope, In wUk, In wUv, const std::vector<In> &latents,
                     const std::vector<In> &shared, MlaForm form) {
  size_t latent = latents.front().size(), nope = qNope.size();
  double scale = 1 / std::sqrt(static_cast<double>(nope + qRope.size()));
  Values logits;
  if (form == MlaForm::Unabsorbed) {
    std::vector<Values> values;
    for (size_t i = 0; i < latents.size(); ++i) {
      Values key = linear(latents[i], wUk, latent);
      logits.push_back((dot(qNope, key) + dot(qRope, shared[i])) * scale);
      values.push_back(linear(latents[i], wUv, latent));
    }
    softmax(logits);
    return weightedSum(logits, std::vector<In>(values.begin(), values.end()));
  }
  Values query(latent, 0.0); // W_uk^T q
  for (size_t n = 0; n < nope; ++n)
    for (size_t j = 0; j < latent; ++j)
      query[j] += qNope[n] * wUk[n * latent + j];
  for (size_t i = 0; i < latents.size(); ++i)
    logits.push_back((dot(query, latents[i]) + dot(qRope, shared[i])) * scale);
  softmax(logits);
  return linear(weightedSum(logits, latents), wUv, latent);
}

Values reference::mlaCore(In q, const Batch &batch, In kvB, const MlaDims &dims, PagedState &cache,
                          MlaForm form) {
  size_t queryDim = dims.nope + dims.rope, headRows = dims.nope + dims.value;
  Values o(q.size() / queryDim * dims.value, 0.0);
  for (size_t s = 0; s < batch.sequences(); ++s) {
    if (batch.isPadding(s))
      continue;
    for (int32_t t = batch.cuSeqlens[s]; t < batch.cuSeqlens[s + 1]; ++t) {
      std::vector<In> latents, shared;
      size_t position = batch.contextLens[s] + t - batch.cuSeqlens[s];
      for (size_t i = 0; i <= position; ++i) {
        In row = cache.row(batch, s, i);
        latents.push_back(row.first(dims.latent));
        shared.push_back(row.subspan(dims.latent));
      }
      for (size_t h = 0; h < dims.heads; ++h) {
        In query = q.subspan((t * dims.heads + h) * queryDim, queryDim);
        In weight = kvB.subspan(h * headRows * dims.latent, headRows * dims.latent);
        Values head =
            attend(query.first(dims.nope), query.subspan(dims.nope), weight.first(dims.nope * dims.latent),
                   weight.subspan(dims.nope * dims.latent), latents, shared, form);
        std::copy(head.begin(), head.end(), o.begin() + (t * dims.heads + h) * dims.value);
      }
    }
  }
  return o;
}
