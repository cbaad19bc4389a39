//===- Boxes.h - Boxes of arrays and tiles, as bytes in between --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every move of data goes through a row-major copy of the box, with its undefined bytes on a list.
//
//===----------------------------------------------------------------------===//

#ifndef K3_EMULATOR_BOXES_H
#define K3_EMULATOR_BOXES_H

#include "lib/Emulator/Decoder.h"

namespace k3::emu {

/// Row-major bytes and the undefined ones among them, with the operation they come from.
struct Staged {
  std::vector<uint8_t> bytes;
  std::vector<std::pair<uint64_t, uint32_t>> poison; ///< byte, origin; ascending
};

Staged fromTensor(const Tensor &tensor);
void toTensor(const Staged &staged, Tensor &tensor);
Staged fromShared(const SharedTile &tile, const Block &block, uint64_t base);
void toShared(const Staged &staged, const SharedTile &tile, Block &block, uint64_t base);

/// A box of an array: `extent` elements from `start` on, along every dimension; elements at or behind
/// `limit`, or before 0 where `limit` is given, are outside.
struct Box {
  const Array *array;
  std::vector<int64_t> start, extent;
  std::vector<int64_t> limit; ///< kUnlimited where there is none
  int64_t elementBytes;
  static constexpr int64_t kUnlimited = INT64_MAX;

  int64_t rows() const;
  /// The part of elements [first, first + count) of a row that is inside: its byte offset in the block, its
  /// first element within the row and its elements; 0 elements if none is inside, -1 if it leaves the
  /// argument.
  struct Part {
    uint64_t offset;
    int64_t first, count;
  };
  Part part(int64_t row, int64_t first, int64_t count) const;
};

/// Elements outside are zeros.
Staged fromBox(const Box &box);
/// Elements outside are dropped. With `add` the values are added in their type. Returns the origin of an
/// undefined byte that was written, if any.
std::optional<uint32_t> toBox(const Staged &staged, const Box &box, std::optional<Elem> add = std::nullopt);
/// The bytes inside. A part that leaves the argument is reported for operation `number` and left out.
std::vector<Range> boxBytes(const Box &box, const Frame &frame, uint32_t number);
/// The same per warp, for the elements that each holds.
WarpRanges boxBytes(const Box &box, const std::vector<std::vector<RowRun>> &warps, const Frame &frame,
                    uint32_t number);

} // namespace k3::emu

#endif // K3_EMULATOR_BOXES_H
