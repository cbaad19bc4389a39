//===- Basic.cpp - Token-local ops in fp64 --------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Reference/Basic.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace k3;
using namespace k3::reference;

double reference::sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double reference::silu(double x) { return x * sigmoid(x); }

Values reference::linear(In x, In weight, size_t inner) {
  assert(x.size() % inner == 0 && weight.size() % inner == 0);
  size_t tokens = x.size() / inner, outer = weight.size() / inner;
  Values y(tokens * outer);
  for (size_t t = 0; t < tokens; ++t)
    for (size_t n = 0; n < outer; ++n) {
      double sum = 0;
      for (size_t k = 0; k < inner; ++k)
        sum += x[t * inner + k] * weight[n * inner + k];
      y[t * outer + n] = sum;
    }
  return y;
}

Values reference::embedding(std::span<const int32_t> ids, In table, size_t width) {
  return gatherRows(table, ids, width);
}

Values reference::gatherRows(In x, std::span<const int32_t> rows, size_t width) {
  Values y(rows.size() * width, 0.0);
  for (size_t r = 0; r < rows.size(); ++r)
    if (rows[r] >= 0)
      for (size_t j = 0; j < width; ++j)
        y[r * width + j] = x[rows[r] * width + j];
  return y;
}

/// sum(x^2) of one row.
static double squares(In row) {
  double sum = 0;
  for (double value : row)
    sum += value * value;
  return sum;
}

Values reference::rmsNorm(In x, In weight, double eps) {
  size_t width = weight.size();
  Values y(x.size());
  for (size_t start = 0; start < x.size(); start += width) {
    double scale = 1 / std::sqrt(squares(x.subspan(start, width)) / width + eps);
    for (size_t j = 0; j < width; ++j)
      y[start + j] = x[start + j] * scale * weight[j];
  }
  return y;
}

Values reference::l2Norm(In x, size_t width, double eps, double scale) {
  Values y(x.size());
  for (size_t start = 0; start < x.size(); start += width) {
    double inverse = 1 / std::sqrt(squares(x.subspan(start, width)) + eps);
    for (size_t j = 0; j < width; ++j)
      y[start + j] = x[start + j] * inverse * scale;
  }
  return y;
}

Values reference::gatedNorm(In o, In gate, In weight, double eps) {
  return sigmoidGate(rmsNorm(o, weight, eps), gate);
}

Values reference::sigmoidGate(In o, In gate) {
  assert(o.size() == gate.size());
  Values y(o.size());
  for (size_t i = 0; i < o.size(); ++i)
    y[i] = o[i] * sigmoid(gate[i]);
  return y;
}

double reference::situGlu(double gate, double up, double beta, double linearBeta) {
  return beta * std::tanh(gate / beta) * sigmoid(gate) * linearBeta * std::tanh(up / linearBeta);
}

Values reference::situGlu(In x, size_t intermediate, double beta, double linearBeta) {
  size_t tokens = x.size() / (2 * intermediate);
  Values y(tokens * intermediate);
  for (size_t t = 0; t < tokens; ++t)
    for (size_t i = 0; i < intermediate; ++i) {
      const double *row = &x[t * 2 * intermediate];
      y[t * intermediate + i] = situGlu(row[i], row[intermediate + i], beta, linearBeta);
    }
  return y;
}

Values reference::add(In x, In y) {
  assert(x.size() == y.size());
  Values sum(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    sum[i] = x[i] + y[i];
  return sum;
}

Indices reference::argmax(In logits, size_t vocab) {
  Indices ids;
  for (size_t start = 0; start < logits.size(); start += vocab) {
    In row = logits.subspan(start, vocab);
    ids.push_back(static_cast<int32_t>(std::max_element(row.begin(), row.end()) - row.begin()));
  }
  return ids;
}
