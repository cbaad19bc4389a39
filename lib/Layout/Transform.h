//===- Transform.h - Free operations on register layouts --------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that move no data: each result register is a register of an operand. Everything that would need
// a move is refused with the reason (see Convert.h for those).
//
//===----------------------------------------------------------------------===//

#ifndef K3_LAYOUT_TRANSFORM_H
#define K3_LAYOUT_TRANSFORM_H

#include "lib/Layout/RegLayout.h"

#include <optional>

namespace k3::layout {

/// For every register of `to` the register of `from` that holds the same elements in every lane and warp;
/// none where there is no such permutation.
std::optional<std::vector<int32_t>> relabel(const RegLayout &from, const RegLayout &to);

/// The layout of the result of a reduction along `dim`: `dim` is dropped from every basis; zero register
/// bases vanish, zero lane and warp bases remain as replication. Refused where a basis mixes `dim` with
/// another one.
Expected<RegLayout> reduced(const RegLayout &layout, int32_t dim);

/// Dimension d of the result is dimension order[d] of the operand.
Expected<RegLayout> transposed(const RegLayout &layout, std::span<const int32_t> order);

/// A part of a tile and where its registers are.
struct Slice {
  RegLayout layout;
  std::vector<int32_t> regs; ///< Register i of the part is register regs[i] of the whole.
};

/// Elements [offset, offset + size) along `dim`. Refused unless whole registers select them.
Expected<Slice> slice(const RegLayout &layout, int32_t dim, int32_t offset, int32_t size);

/// `count` tiles of one layout side by side along `dim`; registers of the parts follow each other.
Expected<RegLayout> concat(const RegLayout &part, int32_t dim, int32_t count);

} // namespace k3::layout

#endif // K3_LAYOUT_TRANSFORM_H
