//===- Mma.h - Operands of a register product -------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma.sync does not care in which order k runs, as long as A and B agree. So the check is not "is it mma_a
// and mma_b" but: rows and columns as the instruction has them, and k-slots that are equal on both sides and
// span k.
//
//===----------------------------------------------------------------------===//

#ifndef K3_LAYOUT_MMA_H
#define K3_LAYOUT_MMA_H

#include "lib/Layout/RegLayout.h"

namespace k3::layout {

/// A as [m, k], B as [n, k], C and D as [m, n], of one warp each or of equal teams; bases only, up to a
/// relabel. k-slots: 16-bit elements: the packed neighbour, lane bits 0 and 1, one register basis per
/// instruction and the rest of k. Equal coordinate for every slot. The error names the slot: "k-slot 2 is 8
/// in A and 4 in B".
Status checkMma(const RegLayout &a, const RegLayout &b, const RegLayout &c, int32_t elementBits);

} // namespace k3::layout

#endif // K3_LAYOUT_MMA_H
