//===- Mla.h - Multi-head latent attention in fp64 --------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Multi-head latent attention without positions (NoPE): the cache holds one normed latent and one shared key
// part per token; keys and values of all heads are linear functions of them.
//
//===----------------------------------------------------------------------===//

#ifndef K3_REFERENCE_MLA_H
#define K3_REFERENCE_MLA_H

#include "lib/Reference/Batch.h"

namespace k3::reference {

struct MlaDims {
  size_t heads, nope, rope, value, latent; ///< H, N, R, V, C
};

/// Unabsorbed expands keys and values from the latent; absorbed moves the two matrices into the query and
/// behind the sum. Both give the same result.
enum class MlaForm { Unabsorbed, Absorbed };

/// Writes the cache rows of the new tokens: RMSNorm(kv[:, :C]; norm, eps), then kv[:, C:] as it is.
/// kv [T, C + R]; norm [C]; token j of a sequence goes to position context + j.
void mlaAppend(In kv, const Batch &batch, In norm, double eps, PagedState &cache);

/// Causal softmax attention over the cache, logits scaled by (N + R)^-0.5. Per head, with W_uk the first N
/// and W_uv the last V rows of kvB: k_i = (W_uk c_i, r_i), v_i = W_uv c_i. q [T, H, N + R]; kvB [H, N + V,
/// C]; cache rows (c [C], r [R]); result [T, H, V].
Values mlaCore(In q, const Batch &batch, In kvB, const MlaDims &dims, PagedState &cache, MlaForm form);

} // namespace k3::reference

#endif // K3_REFERENCE_MLA_H
