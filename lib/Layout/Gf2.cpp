//===- Gf2.cpp - Linear maps over GF(2), a column per word ----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Gf2.h"

#include <cstddef>
#include <utility>

using namespace k3::layout;

uint32_t gf2::apply(std::span<const uint32_t> columns, uint32_t index) {
  uint32_t value = 0;
  for (uint32_t column : columns) {
    value ^= index & 1 ? column : 0;
    index >>= 1;
  }
  return value;
}

unsigned gf2::rank(std::span<const uint32_t> columns) {
  std::vector<uint32_t> basis; // each with a leading bit that no other has
  for (uint32_t column : columns) {
    for (uint32_t known : basis)
      if ((column ^ known) < column)
        column ^= known;
    if (column)
      basis.push_back(column);
  }
  return static_cast<unsigned>(basis.size());
}

std::optional<std::vector<uint32_t>> gf2::inverse(std::span<const uint32_t> columns) {
  size_t n = columns.size();
  // Column operations that turn the map into the identity turn the identity into the inverse.
  std::vector<uint32_t> work(columns.begin(), columns.end()), result(n);
  for (size_t i = 0; i < n; ++i)
    result[i] = uint32_t(1) << i;
  for (size_t bit = 0; bit < n; ++bit) {
    size_t pivot = bit;
    while (pivot < n && !(work[pivot] >> bit & 1))
      ++pivot;
    if (pivot == n || (n < 32 && work[pivot] >> n))
      return std::nullopt;
    std::swap(work[bit], work[pivot]);
    std::swap(result[bit], result[pivot]);
    for (size_t i = 0; i < n; ++i)
      if (i != bit && work[i] >> bit & 1) {
        work[i] ^= work[bit];
        result[i] ^= result[bit];
      }
  }
  return result;
}
