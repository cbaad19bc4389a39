//===- Basic.h - Token-local ops in fp64 ------------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference of the ops that treat every token alone. Everything in lib/Reference is double, naive and
// only clear; tensors are row-major and their shapes are in the comments (T tokens). Formulas: the released
// modeling code, in float32 semantics without its bfloat16 roundings.
//
//===----------------------------------------------------------------------===//

#ifndef K3_REFERENCE_BASIC_H
#define K3_REFERENCE_BASIC_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace k3::reference {

using Values = std::vector<double>;
using In = std::span<const double>;
using Indices = std::vector<int32_t>;

double sigmoid(double x);
double silu(double x); ///< x sigmoid(x)

/// y = x W^T. x [T, K], weight [N, K], y [T, N]; T = x.size() / inner.
Values linear(In x, In weight, size_t inner);

/// Rows of a table: y[t, :] = table[ids[t], :]. table [vocab, D].
Values embedding(std::span<const int32_t> ids, In table, size_t width);

/// y[r, :] = x[rows[r], :]; a row of -1 gives zeros.
Values gatherRows(In x, std::span<const int32_t> rows, size_t width);

/// x rsqrt(mean(x^2) + eps) * weight over rows of weight.size().
Values rmsNorm(In x, In weight, double eps);

/// x rsqrt(sum(x^2) + eps) * scale over rows of `width`.
Values l2Norm(In x, size_t width, double eps, double scale);

/// Per head: o rsqrt(mean(o^2) + eps) * weight * sigmoid(gate). o, gate [T, H, V]; weight [V].
Values gatedNorm(In o, In gate, In weight, double eps);

/// o * sigmoid(gate), any shape.
Values sigmoidGate(In o, In gate);

/// [beta tanh(a / beta) sigmoid(a)] * [linearBeta tanh(u / linearBeta)]; the sigmoid takes the uncapped a.
double situGlu(double gate, double up, double beta, double linearBeta);

/// The same for rows [2 I] of gates, then ups. x [T, 2 I] -> [T, I].
Values situGlu(In x, size_t intermediate, double beta, double linearBeta);

/// x + y, any shape.
Values add(In x, In y);

/// Greedy sampling: index of the largest logit of each row, ties to the smaller one. logits [R, vocab].
Indices argmax(In logits, size_t vocab);

} // namespace k3::reference

#endif // K3_REFERENCE_BASIC_H
