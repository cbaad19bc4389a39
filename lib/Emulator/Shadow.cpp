//===- Shadow.cpp - Who touched which byte last ---------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Shadow.h"

#include <algorithm>

namespace k3::emu {

/// Whether `earlier` is in `clock`; accesses of earlier grids are when pdl_wait is.
static bool contains(const Clock &clock, const AccessRecord &earlier, const GridSpan &grids) {
  uint32_t cta = ctaOf(earlier.agent);
  if (cta < grids.firstOfStep)
    return true;
  if (cta < grids.firstOfLaunch)
    return clock.at(kEarlierGrids) >= 1;
  return clock.at(earlier.agent) >= earlier.time;
}

Conflict Shadow::conflict(const AccessRecord &earlier, bool earlierWrites, const Accessor &by, uint8_t lane,
                          bool isWrite, const GridSpan &grids) const {
  if (earlier.time == 0 || (earlier.atomic && by.record.atomic))
    return Conflict::None;
  if (earlier.agent == by.record.agent && by.inOrder) {
    // Program order of one warp; lanes are only ordered by a warp_sync.
    if (earlier.time < by.syncTime)
      return Conflict::None;
    bool sameLane = (earlier.lane == lane && lane < 32) || earlier.lane == kAnyLane || lane == kAnyLane;
    // A collective read has ended in all lanes when any of them goes on.
    bool endedRead = !earlierWrites && earlier.lane == kCollective;
    return sameLane || endedRead ? Conflict::None : Conflict::MissingSync;
  }
  if (!contains(*by.clock, earlier, grids)) {
    uint32_t cta = ctaOf(earlier.agent);
    return cta < grids.firstOfLaunch ? Conflict::BeforePdlWait : Conflict::Race;
  }
  if (by.record.async && earlierWrites && !earlier.async && !contains(*by.proxy, earlier, grids))
    return Conflict::MissingFence;
  (void)isWrite;
  return Conflict::None;
}

void Shadow::dropReads(Cell &cell) {
  cell.read = AccessRecord();
  if (cell.more < 0)
    return;
  overflow[cell.more].clear();
  freeOverflow.push_back(cell.more);
  cell.more = -1;
}

void Shadow::addRead(Cell &cell, const AccessRecord &record, const Accessor &by, const GridSpan &grids) {
  auto merge = [&](AccessRecord &known) {
    bool lanesDiffer = known.time >= by.syncTime && known.lane != record.lane;
    known = record;
    if (lanesDiffer)
      known.lane = kManyLanes;
  };
  if (cell.read.time == 0) {
    cell.read = record;
    return;
  }
  if (cell.read.agent == record.agent) {
    merge(cell.read);
    return;
  }
  if (cell.more < 0) {
    // A read that is ordered before this one is implied by it.
    if (contains(*by.clock, cell.read, grids)) {
      cell.read = record;
      return;
    }
    if (freeOverflow.empty()) {
      cell.more = static_cast<int32_t>(overflow.size());
      overflow.emplace_back();
    } else {
      cell.more = freeOverflow.back();
      freeOverflow.pop_back();
    }
  }
  for (AccessRecord &known : overflow[cell.more])
    if (known.agent == record.agent) {
      merge(known);
      return;
    }
  overflow[cell.more].push_back(record);
}

template <bool isWrite>
void Shadow::touch(Cell &cell, const Accessor &by, const Range &range, const GridSpan &grids,
                   const OnConflict &onConflict, uint64_t offset, unsigned size) {
  auto check = [&](const AccessRecord &earlier, bool earlierWrites) {
    Conflict found = conflict(earlier, earlierWrites, by, range.lane, isWrite, grids);
    if (found != Conflict::None)
      onConflict(found, earlier, earlierWrites, offset, size);
    return found == Conflict::None;
  };
  const AccessRecord &write = cell.write;
  if (write.time != 0) {
    bool known = write.agent == lastOrdered.agent && write.time == lastOrdered.time &&
                 write.async == lastOrdered.async && write.atomic == lastOrdered.atomic &&
                 write.agent != by.record.agent;
    if (!known && check(write, true))
      lastOrdered = write;
  }
  AccessRecord record = by.record;
  record.lane = range.lane;
  if constexpr (isWrite) {
    if (cell.read.time != 0) {
      check(cell.read, false);
      if (cell.more >= 0)
        for (const AccessRecord &read : overflow[cell.more])
          check(read, false);
      dropReads(cell);
    }
    cell.write = record;
  } else {
    addRead(cell, record, by, grids);
  }
}

template <bool isWrite>
void Shadow::access(const Accessor &by, const Range &range, const GridSpan &grids,
                    const OnConflict &onConflict) {
  lastOrdered = AccessRecord();
  lastOrdered.time = UINT32_MAX; // nothing is known yet
  uint64_t at = range.offset, end = range.offset + range.size;
  while (at < end) {
    uint64_t start = at & ~uint64_t(kGranule - 1);
    uint64_t stop = std::min(end, start + kGranule);
    std::unique_ptr<Page> &page = pages[at / kPageBytes];
    if (!page)
      page = std::make_unique<Page>();
    Granule &granule = page->granules[at % kPageBytes / kGranule];
    bool whole = at == start && stop == start + kGranule;
    if (whole && granule.split < 0) {
      touch<isWrite>(granule.cell, by, range, grids, onConflict, at, kGranule);
    } else {
      if (granule.split < 0) {
        if (freeSplits.empty()) {
          granule.split = static_cast<int32_t>(splits.size());
          splits.emplace_back();
        } else {
          granule.split = freeSplits.back();
          freeSplits.pop_back();
        }
        for (Cell &byte : splits[granule.split]) {
          byte = Cell();
          byte.write = granule.cell.write;
          byte.read = granule.cell.read;
          if (granule.cell.more < 0)
            continue;
          byte.more = static_cast<int32_t>(overflow.size());
          overflow.push_back(overflow[granule.cell.more]);
        }
        dropReads(granule.cell);
      }
      std::array<Cell, kGranule> &bytes = splits[granule.split];
      for (uint64_t b = at; b < stop; ++b)
        touch<isWrite>(bytes[b - start], by, range, grids, onConflict, b, 1);
      if (isWrite && whole) {
        granule.cell.write = bytes[0].write;
        freeSplits.push_back(granule.split);
        granule.split = -1;
      }
    }
    at = stop;
  }
}

template void Shadow::access<false>(const Accessor &, const Range &, const GridSpan &, const OnConflict &);
template void Shadow::access<true>(const Accessor &, const Range &, const GridSpan &, const OnConflict &);

void Shadow::reset() {
  for (std::unique_ptr<Page> &page : pages)
    page.reset();
  overflow.clear();
  freeOverflow.clear();
  splits.clear();
  freeSplits.clear();
}

} // namespace k3::emu
