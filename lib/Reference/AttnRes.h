//===- AttnRes.h - Block attention residuals in fp64 ------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention residuals: what a sub-layer reads is a softmax mix of the sums of finished blocks of layers (the
// bank) and of the running sum of the current block.
//
//===----------------------------------------------------------------------===//

#ifndef K3_REFERENCE_ATTNRES_H
#define K3_REFERENCE_ATTNRES_H

#include "lib/Reference/Basic.h"

namespace k3::reference {

struct AttnRes {
  Values probs; ///< [L, T]
  Values mixed; ///< [T, D]
};

/// With c = normWeight * query: logit_i = (v_i . c) rsqrt(mean(v_i^2) + eps), a = softmax over i, mixed =
/// sum_i a_i v_i. L sources v_i [T, D] in bank order, the running sum last; one source is returned as it is.
AttnRes attnRes(const std::vector<In> &sources, In normWeight, In query, double eps);

} // namespace k3::reference

#endif // K3_REFERENCE_ATTNRES_H
