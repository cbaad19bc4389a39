//===- Random.h - Random numbers by position --------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counter-based random numbers: the value at a position is a pure function of (seed, stream, index), so a
// tensor can be filled in any order, in parts and by any number of threads, and stays the same. Only exact
// arithmetic is used: results are bit-equal on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef K3_SUPPORT_RANDOM_H
#define K3_SUPPORT_RANDOM_H

#include "lib/Support/Hash.h"

#include <cstdint>

namespace k3 {

/// One stream of numbers; for a weight, `stream` is hash64 of its name and the index that of the element.
class RandomStream {
public:
  constexpr RandomStream(uint64_t seed, uint64_t stream)
      : base(mix64(mix64(seed + 0x9E3779B97F4A7C15ull) ^ stream)) {}

  /// 64 uniform bits at `index`.
  constexpr uint64_t bits(uint64_t index) const { return mix64(base + index * 0x9E3779B97F4A7C15ull); }

  /// Uniform in [0, 1), a multiple of 2^-24.
  constexpr float uniform(uint64_t index) const { return static_cast<float>(bits(index) >> 40) * 0x1p-24f; }

  /// Uniform in [low, high).
  constexpr float uniform(uint64_t index, float low, float high) const {
    return low + (high - low) * uniform(index);
  }

  /// Close to normal, mean 0 and variance 1: the scaled sum of four 16-bit uniforms, so |x| < 3.47. It needs
  /// no library function, whose last bit would differ between machines.
  constexpr float normal(uint64_t index) const {
    uint64_t b = bits(index);
    int32_t sum =
        static_cast<int32_t>((b & 0xFFFF) + (b >> 16 & 0xFFFF) + (b >> 32 & 0xFFFF) + (b >> 48)) - 2 * 0xFFFF;
    // Each part has variance (2^32 - 1) / 12, four of them (2^32 - 1) / 3.
    return static_cast<float>(sum) * (1.7320508f * 0x1p-16f);
  }

private:
  uint64_t base;
};

/// 64 uniform bits for one position, for callers that need a single number.
constexpr uint64_t randomBits(uint64_t seed, uint64_t stream, uint64_t index) {
  return RandomStream(seed, stream).bits(index);
}

} // namespace k3

#endif // K3_SUPPORT_RANDOM_H
