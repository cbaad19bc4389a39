//===- Check.h - Whether a kernel computed what it should -------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After one run on a set of Tensors: every element of every output has a value, nothing around them was written, and sampled
// elements agree with fp64 (lib/Reference). Sampled are the first, second and last row and one out of each of 32 equal ranges
// of rows; of products the first and last 8 columns and one of each of 64 ranges, of the others whole rows.
//
//===----------------------------------------------------------------------===//

#ifndef K3_TOOLS_BENCH_CHECK_H
#define K3_TOOLS_BENCH_CHECK_H

#include "tools/bench/Tensors.h"

namespace k3::bench {

struct CheckResult {
  double relative = 0; ///< |out - reference| / |reference| over the samples, both as 2-norms; the worst output
  double worst = 0;    ///< the largest error of an element over the largest value of its row
  uint64_t samples = 0;
  std::string failure; ///< empty: passed
};

/// bf16 results: |error| <= 1e-2 of the row's maximum, and 4e-3 in the 2-norm (rounding alone is 1.7e-3).
constexpr double maxWorst = 1e-2, maxRelative = 4e-3;

/// `set` 0 of `tensors` has been run once since it was made.
Expected<CheckResult> checkOutputs(Device &device, const Problem &problem, const std::vector<Operand> &operands,
                                   const Tensors &tensors);

/// Every element of output `operand` of set 0 against a dense copy of it that another program computed, to 2e-2 of the row's
/// maximum: what samples may miss, such as a whole tile. Adds to `result`.
Status compareWhole(Device &device, const Operand &operand, const Tensors &tensors, const std::byte *other, CheckResult &result);

} // namespace k3::bench

#endif // K3_TOOLS_BENCH_CHECK_H
