//===- Schedule.cpp - k3-exec-schedule ----------------------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Exec/Passes.h"

#include "passes/Exec/Memory.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <vector>

using namespace mlir;

namespace k3 {

#define GEN_PASS_DEF_SCHEDULEPASS
#include "passes/Exec/Passes.h.inc"

namespace {

using namespace exec;

/// Schedules the entries of one block.
class Scheduler {
public:
  Scheduler(Block &block, const SymbolRanges &ranges, bool oneMember) : ranges(ranges), oneMember(oneMember) {
    for (auto entry : block.getOps<EntryOpInterface>()) {
      indices[entry] = entries.size();
      entries.push_back(entry);
    }
  }

  void run() {
    for (unsigned i = 0; i < entries.size(); ++i)
      schedule(i);
  }

private:
  struct Past {
    unsigned index;
    MemoryRef memory;
  };
  struct History {
    std::vector<Past> readers, writers;
  };

  void schedule(unsigned index) {
    EntryOpInterface entry = entries[index];
    BitVector &before = reach.emplace_back(entries.size());
    int64_t stream = entry.getEntryStream();
    if (auto last = lastOfStream.find(stream); last != lastOfStream.end())
      include(before, last->second);
    lastOfStream[stream] = index;

    BitVector needed(entries.size());
    for (Value event : entry.getWaits())
      if (auto it = indices.find(event.getDefiningOp()); it != indices.end())
        needed.set(it->second);
    SmallVector<EntryAccess> accesses = accessesOf(entry);
    for (const EntryAccess &access : accesses) {
      History &history = histories[access.memory.root];
      collect(history.writers, access, before, needed);
      if (access.write)
        collect(history.readers, access, before, needed);
    }
    for (const EntryAccess &access : accesses) {
      History &history = histories[access.memory.root];
      if (access.read)
        history.readers.push_back({index, access.memory});
      if (access.write)
        history.writers.push_back({index, access.memory});
    }

    // Latest first: what a wait implies is found implied.
    SmallVector<Value> waits;
    for (int other = needed.find_last(); other >= 0; other = needed.find_prev(other)) {
      if (before.test(other))
        continue;
      include(before, other);
      waits.push_back(entries[other].getEntryEvent());
    }
    std::reverse(waits.begin(), waits.end());
    entry.setWaits(waits);
  }

  void include(BitVector &before, unsigned other) {
    before |= reach[other];
    before.set(other);
  }

  /// Comparing memory is the dear part, so it comes last: on one stream it never happens.
  void collect(const std::vector<Past> &past, const EntryAccess &access, const BitVector &before,
               BitVector &needed) {
    for (const Past &other : past)
      if (!before.test(other.index) && !needed.test(other.index) &&
          mayOverlap(other.memory, access.memory, ranges, oneMember))
        needed.set(other.index);
  }

  SymbolRanges ranges;
  bool oneMember; ///< The block is the body of an exec.members.
  std::vector<EntryOpInterface> entries;
  DenseMap<Operation *, unsigned> indices;
  std::vector<BitVector> reach;
  DenseMap<int64_t, unsigned> lastOfStream;
  DenseMap<const void *, History> histories;
};

/// Members in flight write apart from each other: each write depends on slot or member.
LogicalResult checkInFlight(MembersOp members) {
  if (std::min<int64_t>(members.getSlots(), members.getCount()) < 2)
    return success();
  WalkResult result = members.getBody().walk([&](EntryOpInterface entry) {
    for (const EntryAccess &access : accessesOf(entry)) {
      // A tensor inside has a copy for each slot.
      Operation *root = access.memory.rootOp;
      bool own = isa<TensorOp>(root) && members->isProperAncestor(root);
      if (!access.write || own || dependsOnMember(access.memory))
        continue;
      entry->emitOpError("writes '") << memoryName(access.memory)
                                     << "' at the same place for each member, but " << members.getSlots()
                                     << " members are in flight; use member or slot in its offset";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

struct SchedulePass : impl::SchedulePassBase<SchedulePass> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    if (program.getBody().empty())
      return;
    Block &block = program.getBody().front();
    for (auto members : block.getOps<MembersOp>()) {
      if (members.getBody().empty())
        continue;
      if (failed(checkInFlight(members)))
        return signalPassFailure();
      Scheduler(members.getBody().front(), rangesOf(program, members), /*oneMember=*/true).run();
    }
    // Seen from outside, a members op touches what any of its members touches.
    Scheduler(block, widest(program), /*oneMember=*/false).run();
  }

  /// The bucket with member and slot as wide as any members op makes them.
  static SymbolRanges widest(ProgramOp program) {
    SymbolRanges ranges = rangesOf(program);
    for (auto members : program.getBody().front().getOps<MembersOp>()) {
      SymbolRanges inside = rangesOf(program, members);
      for (LaunchSymbol symbol : {LaunchSymbol::Member, LaunchSymbol::Slot}) {
        auto &range = ranges[static_cast<unsigned>(symbol)];
        auto &wider = inside[static_cast<unsigned>(symbol)];
        if (!range || wider->second > range->second)
          range = wider;
      }
    }
    return ranges;
  }
};

} // namespace
} // namespace k3
