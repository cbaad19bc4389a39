//===- Team.h - What a team of warps can do ---------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A team executes whole operations: all its warps step together, but each has its own clock, so an order that
// only one of them has established does not help the others. Inside `elected` only one lane of the first warp
// acts. Functions that wait return false when the run was cancelled (a deadlock elsewhere): return at once.
//
//===----------------------------------------------------------------------===//

#ifndef K3_EMULATOR_TEAM_H
#define K3_EMULATOR_TEAM_H

#include "lib/Emulator/Machine.h"

namespace k3::emu {

/// The bytes an operation touches, warp by warp of the team.
using WarpRanges = std::vector<std::vector<Range>>;

/// A part of a block.
struct Span {
  Block *block = nullptr;
  std::vector<Range> ranges;
};

class Team {
public:
  Team(Machine &machine, Cta &cta, unsigned role, unsigned instance, unsigned team, unsigned firstWarp,
       unsigned warpCount, const AgentLayout &agents, bool knowsEarlierGrids);

  Machine &machine;
  Cta &cta;
  const unsigned role, instance;
  unsigned warpCount() const { return static_cast<unsigned>(warps.size()); }
  bool cancelled() const { return machine.scheduler->cancelled(); }
  std::string name() const;

  /// One lane of the first warp until setElected(false).
  void setElected(bool on);
  bool isElected() const { return elected; }

  // Generic accesses. Both check bounds and order; the caller moves the values.
  void read(uint32_t op, Block &block, const WarpRanges &ranges) { access(op, block, ranges, false); }
  void write(uint32_t op, Block &block, const WarpRanges &ranges) { access(op, block, ranges, true); }

  // mbarriers of `owner`, which is this CTA or a peer.
  void arrive(uint32_t op, Cta &owner, unsigned bar, unsigned slot, bool perTeam = false);
  void expect(uint32_t op, unsigned bar, unsigned slot, int64_t bytes);
  /// Waits for the end of phase `use`; at once for the -1 of a producer's first pass.
  [[nodiscard]] bool wait(uint32_t op, unsigned bar, unsigned slot, int64_t use);
  /// Whether the phase has ended, as hardware's test; may say no although it has.
  bool test(uint32_t op, unsigned bar, unsigned slot, int64_t use);

  // Other synchronisation.
  void warpSync();
  void teamSync();
  [[nodiscard]] bool namedSync(uint32_t op, unsigned id, unsigned warps);
  void namedArrive(uint32_t op, unsigned id, unsigned warps);
  void clusterArrive(uint32_t op, bool relaxed);
  [[nodiscard]] bool clusterWait(uint32_t op);
  void fenceProxy(bool shared, bool global);
  void pdlWait();

  // Ordered 32-bit words of global memory.
  /// Adds `n` with release; returns the old value. With `acquire` also an acquire.
  uint32_t signal(uint32_t op, Block &block, uint64_t offset, uint32_t n, bool acquire = false);
  /// Waits until the word is at least `n` (as a signed difference), then acquires.
  [[nodiscard]] bool await(uint32_t op, Block &block, uint64_t offset, uint32_t n);

  // Asynchronous copies. `move` moves the values and their poison.
  /// Completes `bytes` on an mbarrier slot of `owner`.
  void copyIn(uint32_t op, Span from, Span to, Cta &owner, unsigned bar, unsigned slot, int64_t bytes,
              std::function<void()> move);
  /// Belongs to the open bulk group. `take` reads the source, `put` writes the destination.
  /// `adds`: the destination is added to, which needs no order among such copies.
  void copyOut(uint32_t op, Span from, Span to, std::function<void()> take, std::function<void()> put,
               bool adds = false);
  void bulkCommit() { ++bulk.open; }
  [[nodiscard]] bool bulkWait(uint32_t op, unsigned allowed, bool readOnly);
  /// cp.async of the generic proxy, with its own groups.
  void cpAsync(uint32_t op, Block &from, const WarpRanges &reads, Block &to, const WarpRanges &writes,
               std::function<void()> move);
  void cpAsyncCommit() { ++cp.open; }
  [[nodiscard]] bool cpAsyncWait(uint32_t op, unsigned allowed);

  // wgmma. Operands in shared memory are read by the queue; `compute` makes the values.
  /// Returns the number of the group the product belongs to.
  uint32_t wgmma(uint32_t op, const std::vector<Span> &operands, std::function<void()> compute);
  void wgmmaFence() { ++fences; }
  /// Counts wgmma fences: a register tensor made at fence n may be used from fence n + 1 on.
  uint64_t fenceCount() const { return fences; }
  void wgmmaCommit() { ++openGroup; }
  void wgmmaWait(unsigned allowed);
  /// Whether the results of a group may be read.
  bool retired(uint32_t group) const { return group <= retiredGroup; }
  /// The number of the newest closed group.
  uint32_t committed() const { return openGroup - 1; }

private:
  friend class Machine;
  struct Warp {
    AgentId agent, cpAsync;
    Clocks clocks;
    uint32_t time = 1, syncTime = 1;
  };
  /// Copies of a group that have not happened, at first and at second stage.
  struct Group {
    unsigned reads = 0, writes = 0;
  };
  struct CopyQueue {
    uint32_t open = 1;   ///< the number of the open group
    uint32_t newest = 0; ///< the newest group with a copy in it
    uint32_t waited = 0; ///< the newest group whose source reads were waited for
    std::map<uint32_t, Group> busy;
    bool done(uint32_t upTo, bool readOnly) const;
  };
  std::vector<Warp> warps;
  unsigned teamNumber;
  bool elected = false;
  AgentId wgmmaAgent, bulkReadAgent, bulkWriteAgent;
  CopyQueue bulk, cp;
  uint32_t openGroup = 1, retiredGroup = 0;
  uint64_t fences = 0;
  std::deque<std::pair<uint32_t, std::function<void()>>> products;
  uint64_t clusterPhase = 0;

  std::span<Warp> active() { return {warps.data(), elected ? 1 : warps.size()}; }
  void access(uint32_t op, Block &block, const WarpRanges &ranges, bool writes);
  void touch(const Accessor &by, Block &block, std::span<const Range> ranges, bool writes);
  /// Publishes what a warp did, and begins a new time.
  void release(Warp &warp, Clocks &into);
  void acquire(Warp &warp, const Clocks &from);
  /// The clocks of an async operation issued now by the first warp.
  Clocks snapshot(const Warp &warp) const;
  std::string opText(uint32_t op) const { return machine.opText(op); }
  void copied(CopyQueue &queue, uint32_t group, bool write);
  void touchAsync(const AccessRecord &record, const Clocks &clocks, const Span &span, bool writes);
  Mbarrier *barrier(uint32_t op, Cta &owner, unsigned bar, unsigned slot);
  uint32_t readWord(uint32_t op, Block &block, uint64_t offset);
  void joinNamed(uint32_t op, unsigned id, unsigned warps);
  std::string barrierName(unsigned bar, unsigned slot) const;
  /// What the test of a phase says; wrong phases are reported.
  Mbarrier::Look judge(uint32_t op, const Mbarrier &at, unsigned bar, unsigned slot, int64_t use);
  void finish();
};

} // namespace k3::emu

#endif // K3_EMULATOR_TEAM_H
