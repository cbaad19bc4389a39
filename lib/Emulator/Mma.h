//===- Mma.h - Products of tiles --------------------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The products of mma.sync and wgmma: fp32 sums over ascending k. The products of two bf16, fp16 or fp8
// values are exact in fp32, so it makes no difference whether a step rounds once or twice.
//
//===----------------------------------------------------------------------===//

#ifndef K3_EMULATOR_MMA_H
#define K3_EMULATOR_MMA_H

#include <cstdint>

namespace k3::emu {

/// c[m, n] += a[m, k] * b[k, n], k ascending; row-major fp32 arrays with the given row strides (elements).
void mma(float *c, int64_t strideC, const float *a, int64_t strideA, const float *b, int64_t strideB,
         int64_t m, int64_t n, int64_t k);

} // namespace k3::emu

#endif // K3_EMULATOR_MMA_H
