//===- LayoutTestUtil.h - Random layouts for property tests -----*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TEST_UNIT_LAYOUTTESTUTIL_H
#define K3_TEST_UNIT_LAYOUTTESTUTIL_H

#include "lib/Layout/RegLayout.h"

#include <algorithm>
#include <random>

namespace k3::layout {

/// A random legal layout: an invertible map on `rank` dimensions, some replication, up to two repeats.
inline RegLayout randomLayout(std::mt19937 &random, int32_t rank = 2, int32_t maxRegBits = 3,
                              int32_t warpBits = 1, bool repeats = true, bool replicate = true) {
  auto pick = [&](int32_t n) { return static_cast<int32_t>(random() % static_cast<uint32_t>(n)); };
  int32_t regBits = pick(maxRegBits + 1), total = regBits + 5 + warpBits;
  std::vector<bool> zero(static_cast<size_t>(total));
  int32_t bits = total;
  for (int32_t i = regBits; replicate && i < total; ++i)
    if (pick(6) == 0) {
      zero[static_cast<size_t>(i)] = true;
      --bits;
    }
  // Row operations on the identity keep it invertible.
  std::vector<uint32_t> columns;
  for (int32_t i = 0; i < bits; ++i)
    columns.push_back(1u << i);
  std::shuffle(columns.begin(), columns.end(), random);
  for (int32_t step = 0; step < 2 * bits && bits > 1; ++step) {
    size_t a = random() % columns.size(), b = random() % columns.size();
    if (a != b)
      columns[a] ^= columns[b];
  }
  Coord core(static_cast<size_t>(rank), 1);
  for (int32_t i = 0; i < bits; ++i)
    core[random() % core.size()] *= 2;
  std::vector<Coord> parts[3];
  size_t next = 0;
  for (int32_t i = 0; i < total; ++i) {
    bool isZero = zero[static_cast<size_t>(i)];
    parts[i < regBits       ? 0
          : i < regBits + 5 ? 1
                            : 2]
        .push_back(isZero ? Coord(core.size()) : coordOf(columns[next], core));
    next += isZero ? 0 : 1;
  }
  std::vector<Repeat> list;
  for (int32_t i = repeats ? pick(3) : 0; i > 0; --i)
    list.push_back({pick(2) ? Owner::Warp : Owner::Register, 2 + pick(3), pick(rank)});
  auto layout = RegLayout::make(parts[0], parts[1], parts[2], list);
  return *layout;
}

} // namespace k3::layout

#endif // K3_TEST_UNIT_LAYOUTTESTUTIL_H
