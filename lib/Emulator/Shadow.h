//===- Shadow.h - Who touched which byte last -------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The race state of one block of memory. Kept per granule of 16 bytes; a granule that is accessed in part is
// split into bytes until it is written whole again. Per cell: the last write, and the reads since.
//
// An access is ordered after an earlier one if the accessor's clock contains it. An asynchronous access to
// bytes that were written by generic stores further needs that write in its proxy clock; bytes written by
// asynchronous copies, and earlier generic reads, need the plain order only.
//
//===----------------------------------------------------------------------===//

#ifndef K3_EMULATOR_SHADOW_H
#define K3_EMULATOR_SHADOW_H

#include "lib/Emulator/Clock.h"

#include <array>
#include <functional>
#include <memory>

namespace k3::emu {

/// The lane of an access: 0..31, or one of these.
constexpr uint8_t kAnyLane = 0xFD;    ///< lanes are not told apart: no order within the warp is asked for
constexpr uint8_t kManyLanes = 0xFE;  ///< more than one lane, each on its own
constexpr uint8_t kCollective = 0xFF; ///< the warp as a whole (ldmatrix, stmatrix, an exchange)

/// Bytes [offset, offset + size) of a block, touched by one lane or by all.
struct Range {
  uint64_t offset;
  uint32_t size;
  uint8_t lane = kCollective;
};

/// One access as it is remembered; time 0 means none.
struct AccessRecord {
  AgentId agent = 0;
  uint32_t time = 0;
  uint32_t op = 0;
  uint8_t lane = kCollective;
  bool async = false;  ///< by the async proxy
  bool atomic = false; ///< ordered read-modify-writes and acquiring reads do not conflict with each other
};

/// An access about to be made.
struct Accessor {
  AccessRecord record;
  const Clock *clock = nullptr;
  const Clock *proxy = nullptr; ///< for async accesses
  bool inOrder = false;         ///< a warp, whose own accesses follow each other; queues and copies do not
  uint32_t syncTime = 0;        ///< of a warp: its time after its last warp_sync
};

enum class Conflict { None, Race, MissingFence, MissingSync, BeforePdlWait };

/// Which CTAs belong to this launch, and which to this step (earlier ones have long ended).
struct GridSpan {
  uint32_t firstOfStep = 1, firstOfLaunch = 1;
};

class Shadow {
public:
  /// Called for a conflict: what, the earlier access, whether that was a write, byte offset and size.
  using OnConflict = std::function<void(Conflict, const AccessRecord &, bool, uint64_t, unsigned)>;

  explicit Shadow(uint64_t bytes) : pages((bytes + kPageBytes - 1) / kPageBytes) {}

  void read(const Accessor &by, const Range &range, const GridSpan &grids, const OnConflict &onConflict) {
    access<false>(by, range, grids, onConflict);
  }
  void write(const Accessor &by, const Range &range, const GridSpan &grids, const OnConflict &onConflict) {
    access<true>(by, range, grids, onConflict);
  }
  /// Forgets everything, e.g. when the block is new again.
  void reset();

private:
  static constexpr unsigned kGranule = 16, kPageGranules = 512;
  static constexpr uint64_t kPageBytes = kGranule * kPageGranules;
  struct Cell {
    AccessRecord write, read;
    int32_t more = -1; ///< further reads, an index into `overflow`
  };
  struct Granule {
    Cell cell;
    int32_t split = -1; ///< an index into `splits`
  };
  struct Page {
    std::array<Granule, kPageGranules> granules;
  };
  std::vector<std::unique_ptr<Page>> pages;
  std::vector<std::vector<AccessRecord>> overflow;
  std::vector<int32_t> freeOverflow;
  std::vector<std::array<Cell, kGranule>> splits;
  std::vector<int32_t> freeSplits;
  AccessRecord lastOrdered; ///< the newest record found in order, for runs of equal ones

  template <bool isWrite>
  void access(const Accessor &by, const Range &range, const GridSpan &grids, const OnConflict &onConflict);
  template <bool isWrite>
  void touch(Cell &cell, const Accessor &by, const Range &range, const GridSpan &grids,
             const OnConflict &onConflict, uint64_t offset, unsigned size);
  Conflict conflict(const AccessRecord &earlier, bool earlierWrites, const Accessor &by, uint8_t lane,
                    bool isWrite, const GridSpan &grids) const;
  void addRead(Cell &cell, const AccessRecord &record, const Accessor &by, const GridSpan &grids);
  void dropReads(Cell &cell);
};

} // namespace k3::emu

#endif // K3_EMULATOR_SHADOW_H
