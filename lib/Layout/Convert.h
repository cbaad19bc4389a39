//===- Convert.h - Moving a tile from one register layout to another --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the cheapest way between two register layouts of one tile and proves that every register of the
// result is filled with its element. `Shared` needs no proof beyond the layouts themselves: each covers the
// tile.
//
//===----------------------------------------------------------------------===//

#ifndef K3_LAYOUT_CONVERT_H
#define K3_LAYOUT_CONVERT_H

#include "lib/Layout/SharedLayout.h"

#include <optional>

namespace k3::layout {

enum class Via : uint8_t {
  None,    ///< The same layout.
  Relabel, ///< A permutation of registers.
  Shuffle, ///< Every element has a holder in the warp that wants it.
  Shared,  ///< Through shared memory.
};

/// One 32-bit register per lane moves: lane l offers its register send[l], takes what lane source[l] offers
/// and stores it as receive[l]. -1: the lane offers, or takes, nothing.
struct ShuffleRound {
  std::vector<int32_t> source, send, receive;

  bool local() const; ///< No lane takes from another one: moves and selects, no shuffle.
  /// The distance, where source[l] is l ^ distance for all: a butterfly.
  std::optional<int32_t> laneXor() const;
};

struct Conversion {
  Via via;
  std::vector<int32_t> regs;        ///< Relabel: register i of the result is register regs[i].
  int32_t unit = 1;                 ///< Shuffle: elements of one moved register; its numbers count units.
  std::vector<ShuffleRound> rounds; ///< Shuffle.

  int32_t shuffles() const; ///< Rounds that cross lanes.
};

/// More shuffles than this and shared memory is cheaper: a shuffle takes the same pipe as a shared access,
/// and an exchange costs about a store, a barrier and a load per vector of four registers.
inline constexpr int32_t maxShuffles = 16;

/// \param elementBits 8, 16 or 32. Refused where shapes or teams differ.
Expected<Conversion> planConversion(const RegLayout &from, const RegLayout &to, int32_t elementBits);

/// A staging buffer for `Shared`: of plain, padded and swizzled rows the one with the fewest wavefronts of
/// store and load together. Rank 1 and 2.
Expected<SharedLayout> stagingLayout(const RegLayout &from, const RegLayout &to, int32_t elementBits);

} // namespace k3::layout

#endif // K3_LAYOUT_CONVERT_H
