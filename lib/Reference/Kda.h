//===- Kda.h - Kimi Delta Attention in fp64 ---------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of a Kimi Delta Attention layer: short convolution, gates, and the recurrence itself.
//
//===----------------------------------------------------------------------===//

#ifndef K3_REFERENCE_KDA_H
#define K3_REFERENCE_KDA_H

#include "lib/Reference/Batch.h"

namespace k3::reference {

/// y[t, c] = SiLU(sum_i weight[c, i] u[t - taps + 1 + i, c]), causal and per channel.
/// u, y [T, C]; weight [C, taps]; window: per slot the last taps - 1 rows of u [taps - 1, C], oldest first.
Values shortConv(In u, const Batch &batch, In weight, size_t taps, SlotState &window);

struct KdaGates {
  Values g;    ///< [T, H, K], log decay, in (bound, 0)
  Values beta; ///< [T, H], write strength
};
/// g = bound sigmoid(exp(aLog[h]) (f + dtBias)); beta = sigmoid(b). f [T, H, K]; b [T, H]; aLog [H] or longer
/// (only the first H entries are read); dtBias [H, K].
KdaGates kdaGate(In f, In b, In aLog, In dtBias, size_t heads, double bound);

/// The gated delta rule. Per sequence, head and token, with state S [V, K]:
///   S = S diag(exp(g));  u = beta (v - S k);  S = S + u k^T;  o = S q
/// q, k, g [T, H, K] (q, k normalised, q scaled); v, o [T, H, V]; beta [T, H]; state per slot [H, V, K].
Values kdaCore(In q, In k, In v, In g, In beta, const Batch &batch, size_t heads, size_t keyDim,
               size_t valueDim, SlotState &state);

} // namespace k3::reference

#endif // K3_REFERENCE_KDA_H
