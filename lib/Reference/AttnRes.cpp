//===- AttnRes.cpp - Block attention residuals in fp64 --------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Reference/AttnRes.h"

#include <algorithm>
#include <cmath>

using namespace k3;
using namespace k3::reference;

AttnRes reference::attnRes(const std::vector<In> &sources, In normWeight, In query, double eps) {
  size_t count = sources.size(), width = query.size(), tokens = sources.front().size() / width;
  AttnRes result{Values(count * tokens), Values(tokens * width, 0.0)};
  for (size_t t = 0; t < tokens; ++t) {
    Values logits(count);
    for (size_t i = 0; i < count; ++i) {
      double product = 0, squares = 0;
      for (size_t j = 0; j < width; ++j) {
        double value = sources[i][t * width + j];
        product += value * normWeight[j] * query[j];
        squares += value * value;
      }
      logits[i] = product / std::sqrt(squares / width + eps);
    }
    double largest = *std::max_element(logits.begin(), logits.end()), sum = 0;
    for (double &logit : logits)
      sum += logit = std::exp(logit - largest);
    for (size_t i = 0; i < count; ++i) {
      double prob = logits[i] / sum;
      result.probs[i * tokens + t] = prob;
      for (size_t j = 0; j < width; ++j)
        result.mixed[t * width + j] += prob * sources[i][t * width + j];
    }
  }
  return result;
}
