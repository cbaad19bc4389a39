//===- Mma.cpp - Products of tiles ----------------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Mma.h"

#include <cstring>

namespace k3::emu {

namespace {
typedef float Vector __attribute__((vector_size(64), aligned(4)));
} // namespace

// Blocks of 4 rows by 32 columns stay in registers while k runs.
__attribute__((target_clones("avx512f", "avx2,fma", "default"))) void mma(float *c, int64_t strideC,
                                                                          const float *a, int64_t strideA,
                                                                          const float *b, int64_t strideB,
                                                                          int64_t m, int64_t n, int64_t k) {
  constexpr int64_t kRows = 4, kColumns = 32;
  for (int64_t j = 0; j < n; j += kColumns) {
    bool full = j + kColumns <= n;
    for (int64_t i = 0; i < m; i += kRows) {
      if (full && i + kRows <= m) {
        Vector sum[kRows][2];
        for (int64_t r = 0; r < kRows; ++r)
          std::memcpy(sum[r], c + (i + r) * strideC + j, sizeof sum[r]);
        for (int64_t x = 0; x < k; ++x) {
          Vector low, high;
          std::memcpy(&low, b + x * strideB + j, sizeof low);
          std::memcpy(&high, b + x * strideB + j + 16, sizeof high);
          for (int64_t r = 0; r < kRows; ++r) {
            float value = a[(i + r) * strideA + x];
            sum[r][0] += value * low;
            sum[r][1] += value * high;
          }
        }
        for (int64_t r = 0; r < kRows; ++r)
          std::memcpy(c + (i + r) * strideC + j, sum[r], sizeof sum[r]);
        continue;
      }
      for (int64_t r = i; r < m && r < i + kRows; ++r)
        for (int64_t x = 0; x < k; ++x)
          for (int64_t s = j; s < n && s < j + kColumns; ++s)
            c[r * strideC + s] += a[r * strideA + x] * b[x * strideB + s];
    }
  }
}

} // namespace k3::emu
