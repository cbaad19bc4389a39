//===- SharedLayout.h - Which byte of shared memory holds which element --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared layout is a function coordinates -> byte offset: XOR bases on a core of powers of two, plus static
// outer repeats with additive byte strides (padded rows, panels), plus a constant. Swizzles are XOR bases:
// with 128-byte rows, row bit 0 is 128 ^ 16.
//
//===----------------------------------------------------------------------===//

#ifndef K3_LAYOUT_SHAREDLAYOUT_H
#define K3_LAYOUT_SHAREDLAYOUT_H

#include "lib/Layout/RegLayout.h"

namespace k3::layout {

/// `count` copies of everything before it along `dim`, `stride` bytes apart.
struct SharedRepeat {
  int32_t dim;
  int32_t count;
  int64_t stride;
  bool operator==(const SharedRepeat &) const = default;
};

class SharedLayout {
public:
  /// `bases[d][i]` is the byte offset that bit i of coordinate d contributes by XOR. Refused: elements of
  /// `elementBytes` that overlap or are not aligned to their size.
  static Expected<SharedLayout> make(int32_t elementBytes, std::vector<std::vector<int32_t>> bases,
                                     std::vector<SharedRepeat> repeats = {}, int64_t base = 0);

  int32_t elementBytes() const { return bytes; }
  int32_t rank() const { return static_cast<int32_t>(dimBases.size()); }
  const Coord &shape() const { return extents; }
  const std::vector<std::vector<int32_t>> &bases() const { return dimBases; }
  const std::vector<SharedRepeat> &repeats() const { return repeatList; }
  int64_t base() const { return baseOffset; }

  int64_t offset(const Coord &coord) const;
  /// The part of `offset` that bases make by XOR; the rest is additive.
  int64_t coreOffset(const Coord &coord) const;
  /// One past the last byte that an element occupies.
  int64_t sizeBytes() const { return size; }

  /// As `RegLayout`, canonical: repeats whose addition never carries are bases.
  bool operator==(const SharedLayout &other) const;

private:
  SharedLayout() = default;
  void canonicalise();
  Status check();

  int32_t bytes = 1;
  std::vector<std::vector<int32_t>> dimBases;
  std::vector<SharedRepeat> repeatList;
  int64_t baseOffset = 0;
  Coord extents;
  int64_t size = 0;
};

} // namespace k3::layout

#endif // K3_LAYOUT_SHAREDLAYOUT_H
