//===- Fragments.h - Register fragments of matrix instructions, as the PTX ISA states them --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas of PTX ISA 9.0 word for word, independent of the layouts in Named.h: the judge of those and of
// what the emulator and the lowering do. Each gives the coordinates of element `i` of lane `lane`.
//
//===----------------------------------------------------------------------===//

#ifndef K3_LAYOUT_FRAGMENTS_H
#define K3_LAYOUT_FRAGMENTS_H

#include <cstdint>

namespace k3::layout::fragment {

struct RowCol {
  int32_t row, col;
  bool operator==(const RowCol &) const = default;
};

/// mma.m16n8k8 and m16n8k16 with 16-bit elements: A as (m, k), 4 or 8 elements.
RowCol mmaA16(int32_t lane, int32_t i);
/// B as (k, n), 2 or 4 elements.
RowCol mmaB16(int32_t lane, int32_t i);
/// mma.m16n8k32 with 8-bit elements: A as (m, k), 16 elements; B as (k, n), 8 elements.
RowCol mmaA8(int32_t lane, int32_t i);
RowCol mmaB8(int32_t lane, int32_t i);
/// C and D as (m, n), 4 elements.
RowCol mmaC(int32_t lane, int32_t i);
/// wgmma D of m64nNk16 as (m, n), N / 2 elements; thread 0 .. 127 of the warpgroup.
RowCol wgmmaD(int32_t thread, int32_t i);
/// wgmma A in registers, 16-bit elements, 8 per k16 step.
RowCol wgmmaA16(int32_t thread, int32_t i);
/// ldmatrix / stmatrix .m8n8.b16: what lane's register of one matrix holds (i 0 is its low half), row = the
/// row whose address a lane supplies.
RowCol matrix8x8(int32_t lane, int32_t i, bool trans);

} // namespace k3::layout::fragment

#endif // K3_LAYOUT_FRAGMENTS_H
