//===- Places.h - Which warp and lane touches which bytes of a tile --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts as lists of bytes, computed once per operation: the memory of a shared tile, and what every warp
// touches of it or of an array in global memory.
//
//===----------------------------------------------------------------------===//

#ifndef K3_EMULATOR_PLACES_H
#define K3_EMULATOR_PLACES_H

#include "lib/Emulator/Team.h"
#include "lib/Layout/SharedLayout.h"

namespace k3::emu {

/// Consecutive elements of a tile that are consecutive bytes.
struct Run {
  int64_t element, count, byte;
};
/// A shared tile: its runs in element order, and its bytes as ranges in address order.
struct SharedTile {
  explicit SharedTile(const layout::SharedLayout &layout);
  int64_t elements = 0, elementBytes = 0;
  std::vector<Run> runs;
  std::vector<Range> bytes;
  std::vector<int64_t> offsets; ///< per element
  bool dense() const { return runs.size() == 1; }
};

/// Who of the holders of copies acts.
enum class Holders { All, First };

/// The bytes of a shared tile that each warp touches, lane by lane; `collective`: by its warps as a whole.
WarpRanges sharedRanges(const layout::RegLayout &regs, const SharedTile &tile, Holders holders,
                        bool collective);

/// Consecutive elements of the last dimension, by their first element's number in the tile.
struct RowRun {
  int64_t first;
  int32_t count;
};
/// Per warp the elements it touches, as runs of rows.
std::vector<std::vector<RowRun>> warpRows(const layout::RegLayout &regs, Holders holders);

/// `ranges` moved by `base` bytes.
WarpRanges shifted(const WarpRanges &ranges, uint64_t base);
std::vector<Range> shifted(const std::vector<Range> &ranges, uint64_t base);
/// Sorted and joined where neighbours touch; the lanes must be equal.
void mergeRanges(std::vector<Range> &ranges);

} // namespace k3::emu

#endif // K3_EMULATOR_PLACES_H
