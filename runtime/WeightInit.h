//===- WeightInit.h - Random weights by rule --------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of Weight.init, which say how --weights=random:SEED fills a weight:
//
//   zeros               all 0
//   ones                all 1
//   normal(MEAN, STD)   close to normal (lib/Support/Random.h: |x - MEAN| < 3.47 STD)
//   uniform(LOW, HIGH)  in [LOW, HIGH)
//   mx(STD)             MXFP4: parts ".weight_packed" and ".weight_scale" such that the values have deviation
//   STD
//
// An element is a function of (seed, pattern-expanded tensor name, index in the tensor) and of nothing else.
// For mx, nibbles are uniform: an E2M1 value then has mean square 137/16; a block's scale is the power of two
// below STD / sqrt(137/16) or the one above it, drawn with the probability that makes the mean square STD^2.
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_WEIGHTINIT_H
#define K3_RUNTIME_WEIGHTINIT_H

#include "lib/Package/Package_generated.h"
#include "lib/Support/Status.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace k3 {

struct InitRule {
  enum class Kind { Zeros, Ones, Normal, Uniform, Mx } kind = Kind::Zeros;
  double a = 0, b = 0; ///< mean and deviation, low and high, or deviation alone

  /// An empty text is `zeros`. Fails with the text and the list of rules.
  static Expected<InitRule> parse(std::string_view text);
};

/// Fills a tensor of F32, BF16, F16 or (mx) U8, E2M1x2, E8M0. For mx, `isScale` says which part it is.
Status fillByRule(const InitRule &rule, uint64_t seed, const std::string &tensorName, fb::DType dtype,
                  bool isScale, std::span<std::byte> out);

} // namespace k3

#endif // K3_RUNTIME_WEIGHTINIT_H
