//===- Moe.h - Routing and MX experts in fp64 -------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The routed part of the latent mixture of experts: the choice of experts, and the experts on MXFP4 weights.
//
//===----------------------------------------------------------------------===//

#ifndef K3_REFERENCE_MOE_H
#define K3_REFERENCE_MOE_H

#include "lib/Reference/Basic.h"

#include <functional>

namespace k3::reference {

struct Routing {
  Indices ids;    ///< [T, top], ascending
  Values weights; ///< [T, top], same order
};

/// With s = sigmoid(logits): the `top` largest of s + bias, ties to the smaller id; weights = s of the
/// chosen, without bias, divided by (their sum + 1e-20) if `renormalize`, times `scale`. logits [T, E]; bias
/// [E].
Routing route(In logits, In bias, size_t top, bool renormalize, double scale);

/// An MXFP4 matrix as the checkpoint stores it: two elements to a byte, low nibble first; a scale byte
/// per 32.
struct MxMatrix {
  size_t rows, columns;
  std::span<const uint8_t> packed; ///< [rows, columns / 2]
  std::span<const uint8_t> scales; ///< [rows, columns / 32]
};
/// Exactly decoded, [rows, columns].
Values decodeMx(const MxMatrix &matrix);

struct ExpertWeights {
  Values w1, w3; ///< [I, L]: gate and up
  Values w2;     ///< [L, I]: down
};

/// y[t] = sum_j weights[t, j] * W2 SiTU-GLU(W1 z[t], W3 z[t]) of expert ids[t, j], in ascending j. z, y [T,
/// L].
Values experts(In z, const Routing &routing, size_t latent, double beta, double linearBeta,
               const std::function<const ExpertWeights &(int32_t expert)> &weightsOf);

} // namespace k3::reference

#endif // K3_REFERENCE_MOE_H
