//===- Batch.h - A ragged batch, and the state that sequences own ---*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arrays of the step ABI that describe the sequences of a step, and the two kinds of state: one entry per
// slot (KDA state, convolution window) and one row per token in pages (MLA latent).
//
//===----------------------------------------------------------------------===//

#ifndef K3_REFERENCE_BATCH_H
#define K3_REFERENCE_BATCH_H

#include "lib/Reference/Basic.h"

#include <algorithm>

namespace k3::reference {

/// S sequences; tokens of sequence s are rows cuSeqlens[s] to cuSeqlens[s + 1] - 1.
struct Batch {
  Indices cuSeqlens;   ///< [S + 1]
  Indices contextLens; ///< [S]; tokens before this step. 0: start from zero, the read slot is not read.
  Indices readSlots, writeSlots; ///< [S]; -1: padding, the sequence is skipped.
  Indices blockTable;            ///< [S, P]; page numbers.
  Indices ckptSlots, ckptRows; ///< [C]; the state after token ckptRows[c] goes to ckptSlots[c]; -1: padding.

  size_t sequences() const { return contextLens.size(); }
  size_t tokens() const { return static_cast<size_t>(cuSeqlens.back()); }
  bool isPadding(size_t s) const { return writeSlots[s] < 0; }

  /// One sequence of `tokens` new tokens in slot 0, after `context` old ones, in pages 0, 1, 2, ...
  static Batch single(size_t tokens, size_t context, size_t pages) {
    Batch batch{{0, static_cast<int32_t>(tokens)}, {static_cast<int32_t>(context)}, {0}, {0}, {}, {}, {}};
    for (size_t page = 0; page < pages; ++page)
      batch.blockTable.push_back(static_cast<int32_t>(page));
    return batch;
  }
};

/// One state entry of `width` numbers for each slot.
struct SlotState {
  size_t width = 0;
  Values values; ///< [slots, width]

  SlotState() = default;
  SlotState(size_t slots, size_t width) : width(width), values(slots * width, 0.0) {}
  std::span<double> slot(size_t index) { return std::span<double>(values).subspan(index * width, width); }

  /// The state with which sequence s starts.
  Values load(const Batch &batch, size_t s) {
    if (batch.contextLens[s] == 0)
      return Values(width, 0.0);
    std::span<double> from = slot(batch.readSlots[s]);
    return Values(from.begin(), from.end());
  }
  void store(size_t index, In state) { std::copy(state.begin(), state.end(), slot(index).begin()); }

  /// Keeps the state after token t where a checkpoint asks for it.
  void checkpoint(const Batch &batch, size_t t, In state) {
    for (size_t c = 0; c < batch.ckptRows.size(); ++c)
      if (batch.ckptRows[c] == static_cast<int32_t>(t) && batch.ckptSlots[c] >= 0)
        store(batch.ckptSlots[c], state);
  }
};

/// Rows of `width` numbers, `page` of them to a page, found through the block table.
struct PagedState {
  size_t page = 0, width = 0;
  Values values; ///< [pages, page, width]

  PagedState() = default;
  PagedState(size_t pages, size_t page, size_t width)
      : page(page), width(width), values(pages * page * width, 0.0) {}

  /// The row of a position of sequence s.
  std::span<double> row(const Batch &batch, size_t s, size_t position) {
    size_t perSequence = batch.blockTable.size() / batch.sequences();
    size_t number = batch.blockTable[s * perSequence + position / page];
    return std::span<double>(values).subspan((number * page + position % page) * width, width);
  }
};

} // namespace k3::reference

#endif // K3_REFERENCE_BATCH_H
