//===- Places.cpp - Which warp and lane touches which bytes of a tile -----===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Places.h"

#include <algorithm>

namespace k3::emu {

SharedTile::SharedTile(const layout::SharedLayout &layout) : elementBytes(layout.elementBytes()) {
  elements = 1;
  for (int32_t extent : layout.shape())
    elements *= extent;
  for (int64_t i = 0; i < elements; ++i) {
    int64_t at = layout.offset(layout::coordOf(i, layout.shape()));
    offsets.push_back(at);
    if (!runs.empty() && runs.back().byte + runs.back().count * elementBytes == at)
      ++runs.back().count;
    else
      runs.push_back({i, 1, at});
  }
  for (const Run &run : runs)
    bytes.push_back({static_cast<uint64_t>(run.byte), static_cast<uint32_t>(run.count * elementBytes)});
  mergeRanges(bytes);
}

void mergeRanges(std::vector<Range> &ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) { return a.offset < b.offset; });
  std::vector<Range> merged;
  for (const Range &range : ranges) {
    if (!merged.empty() && merged.back().offset + merged.back().size >= range.offset) {
      uint64_t end = std::max(merged.back().offset + merged.back().size, range.offset + range.size);
      merged.back().size = static_cast<uint32_t>(end - merged.back().offset);
    } else {
      merged.push_back(range);
    }
  }
  ranges = std::move(merged);
}

/// Per warp and lane the elements that it acts on.
static std::vector<std::vector<std::vector<int64_t>>> held(const layout::RegLayout &regs, Holders holders) {
  std::vector<int32_t> table = regs.table();
  std::vector<uint8_t> taken(regs.numElements());
  std::vector<std::vector<std::vector<int64_t>>> result(regs.numWarps());
  size_t at = 0;
  for (auto &warp : result) {
    warp.resize(layout::numLanes);
    for (auto &lane : warp)
      for (int32_t r = 0; r < regs.numRegs(); ++r) {
        int32_t element = table[at++];
        if (holders == Holders::First && taken[element])
          continue;
        taken[element] = 1;
        lane.push_back(element);
      }
  }
  return result;
}

WarpRanges sharedRanges(const layout::RegLayout &regs, const SharedTile &tile, Holders holders,
                        bool collective) {
  WarpRanges result;
  for (const auto &lanes : held(regs, holders)) {
    std::vector<Range> warp;
    for (size_t lane = 0; lane < lanes.size(); ++lane) {
      std::vector<Range> mine;
      for (int64_t element : lanes[lane])
        mine.push_back({static_cast<uint64_t>(tile.offsets[element]),
                        static_cast<uint32_t>(tile.elementBytes),
                        collective ? kCollective : static_cast<uint8_t>(lane)});
      mergeRanges(mine);
      warp.insert(warp.end(), mine.begin(), mine.end());
    }
    if (collective)
      mergeRanges(warp);
    result.push_back(std::move(warp));
  }
  return result;
}

std::vector<std::vector<RowRun>> warpRows(const layout::RegLayout &regs, Holders holders) {
  std::vector<std::vector<RowRun>> result;
  int64_t width = regs.shape().back();
  for (const auto &lanes : held(regs, holders)) {
    std::vector<int64_t> elements;
    for (const auto &lane : lanes)
      elements.insert(elements.end(), lane.begin(), lane.end());
    std::sort(elements.begin(), elements.end());
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    std::vector<RowRun> runs;
    for (int64_t element : elements)
      if (!runs.empty() && runs.back().first + runs.back().count == element && element % width != 0)
        ++runs.back().count;
      else
        runs.push_back({element, 1});
    result.push_back(std::move(runs));
  }
  return result;
}

std::vector<Range> shifted(const std::vector<Range> &ranges, uint64_t base) {
  std::vector<Range> result = ranges;
  for (Range &range : result)
    range.offset += base;
  return result;
}

WarpRanges shifted(const WarpRanges &ranges, uint64_t base) {
  WarpRanges result;
  for (const std::vector<Range> &warp : ranges)
    result.push_back(shifted(warp, base));
  return result;
}

} // namespace k3::emu
