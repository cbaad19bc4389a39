//===- Named.h - The layouts that instructions and kernels ask for --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each constructor says which instruction or kernel the layout belongs to. Formulas of the instructions: PTX
// ISA 9.0, "Matrix Fragments for mma.m16n8k8 / k16 / k32" and "Register Fragments for wgmma"; FragmentTest
// compares.
//
//===----------------------------------------------------------------------===//

#ifndef K3_LAYOUT_NAMED_H
#define K3_LAYOUT_NAMED_H

#include "lib/Layout/SharedLayout.h"

namespace k3::layout {

/// [extent] blocked over `warps`: `vector` neighbours per lane and access, registers repeat inside a warp's
/// part. Lane l of warp w starts at 32 vector (regs w) + vector l.
Expected<RegLayout> rows(int32_t vector, int32_t extent, int32_t warps = 1);

/// mma.sync C / D, [16, n] f32, n a multiple of 8.
Expected<RegLayout> mmaC(int32_t n = 8);
/// mma.sync A, [16, k]: k 8 or a multiple of 16 for 16-bit elements, a multiple of 32 for 8-bit ones.
Expected<RegLayout> mmaA(int32_t k = 16, int32_t elementBits = 16);
/// mma.sync B as [n = 8, k], the same k.
Expected<RegLayout> mmaB(int32_t k = 16, int32_t elementBits = 16);
/// wgmma accumulator, [64, n] f32, n a multiple of 8 up to 256; a team of four warps.
Expected<RegLayout> acc(int32_t n);
/// wgmma A in registers, [64, k] of 16-bit elements, k a multiple of 16: the same bases as `acc`.
Expected<RegLayout> wgA(int32_t k);
/// ldmatrix.x4.trans of [k = token, n = channel] in shared memory, as [k, n], [16, 16].
Expected<RegLayout> bt();
/// Decoded MX weights, 32 rows x 32 k per warp; `warps` split k. The k order is that of `mxB`.
Expected<RegLayout> mxA(int32_t warps = 1);
/// Activations for `mxA`: 8 tokens x 32 k, sixteen contiguous bytes per lane.
Expected<RegLayout> mxB(int32_t warps = 1);

/// [rows, cols], cols contiguous, in panels of `span` = 128, 64 or 32 bytes whose 16-byte chunks are XORed
/// with the row as TMA and wgmma do ("sw128", "sw128 x2" with two panels). \param rows a multiple of 8.
/// \param panelStride bytes between panels; 0: rows x span.
Expected<SharedLayout> swizzled(int32_t span, int32_t rows, int32_t cols, int32_t elementBytes = 2,
                                int64_t panelStride = 0);
/// Unswizzled K-major operand of 8x8 cores of 16-bit elements, [rows, cols], each core 128 contiguous bytes.
Expected<SharedLayout> core8x8(int32_t rows, int32_t cols);
/// Plain row-major rows, `pitch` bytes apart (0: dense).
Expected<SharedLayout> rowMajor(int32_t rows, int32_t cols, int32_t elementBytes, int64_t pitch = 0);
/// KDA: [32 = 16 k + 16 q, 128 channels] bf16, and its z: [16 tokens, 128 channels].
Expected<SharedLayout> kdaKq();
Expected<SharedLayout> kdaZ();
/// KDA: decay of 128 channels f32, ordered for one 16-byte load per thread and 16 channels of `acc 128`.
Expected<SharedLayout> kdaDecay();
/// MX experts: code words [pairs, kb 2, lane 32, word 4] and scale words [pairs, g 8, kb 2] of one 1088-byte
/// record.
Expected<SharedLayout> mxCodes(int32_t pairs);
Expected<SharedLayout> mxScales(int32_t pairs);
/// KDA: output staging, [16 tokens, 16 v] bf16.
Expected<SharedLayout> outputStaging();

} // namespace k3::layout

#endif // K3_LAYOUT_NAMED_H
