//===- Hash.h - 64-bit content hash -----------------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A 64-bit hash of bytes for content deduplication and cache keys. Deterministic on every machine and in
// every build; not cryptographic.
//
//===----------------------------------------------------------------------===//

#ifndef K3_SUPPORT_HASH_H
#define K3_SUPPORT_HASH_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace k3 {

/// A bijection of 64-bit words in which every input bit moves every output bit (the SplitMix64 finalizer).
constexpr uint64_t mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

/// The hash of `size` bytes; a different `seed` gives an unrelated hash function.
inline uint64_t hash64(const void *data, size_t size, uint64_t seed = 0) {
  static_assert(std::endian::native == std::endian::little, "words are read in memory order");
  const auto *p = static_cast<const unsigned char *>(data);
  uint64_t state = mix64(seed + 0x9E3779B97F4A7C15ull) ^ size;
  for (; size >= 8; p += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    state = std::rotl((state ^ word) * 0x9FB21C651E98DF25ull, 31);
  }
  uint64_t tail = 0;
  if (size)
    std::memcpy(&tail, p, size);
  return mix64((state ^ tail) * 0x9FB21C651E98DF25ull);
}

inline uint64_t hash64(std::string_view text, uint64_t seed = 0) {
  return hash64(text.data(), text.size(), seed);
}

/// The hash of an ordered pair of hashes.
constexpr uint64_t hashCombine(uint64_t first, uint64_t second) {
  return mix64(first * 0x9FB21C651E98DF25ull + std::rotl(second, 17));
}

} // namespace k3

#endif // K3_SUPPORT_HASH_H
