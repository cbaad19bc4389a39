//===- Barrier.h - mbarriers, named barriers, cluster barriers --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of barriers and what passes through them. Phases are counted without bound, so that a wait on the
// parity of a phase can be compared with the phase it means.
//
//===----------------------------------------------------------------------===//

#ifndef K3_EMULATOR_BARRIER_H
#define K3_EMULATOR_BARRIER_H

#include "lib/Emulator/Clock.h"

#include <array>
#include <string>

namespace k3::emu {

/// One slot of an mbarrier. A phase ends when all arrivals came and the bytes announced are the bytes copied.
class Mbarrier {
public:
  Mbarrier(uint32_t arrivals, AgentId copies) : copyAgent(copies), arrivals(arrivals), pending(arrivals) {}

  /// What a wait for the end of phase `want` would see in hardware, which compares parities only.
  enum class Look {
    Done,    ///< the phase has ended
    Wait,    ///< not yet
    Aliased, ///< the test passes although the phase has not ended
    Missed,  ///< the phase has ended, but so have others, and the test blocks
  };
  Look look(int64_t want) const;

  /// `count` arrivals that bring `clocks`; false if more came than the phase takes.
  bool arrive(uint32_t count, const Clocks &clocks);
  void expect(int64_t bytes) { tx += bytes; }
  /// The copies of this slot, numbered in the order in which they happen.
  uint32_t nextCopy() { return ++copies; }
  void complete(int64_t bytes, const Clocks &clocks);
  /// What the end of phase `n` publishes.
  const Clocks &phaseClocks(int64_t n) const;
  /// "in phase 3: 1 of 8 arrivals missing, 4096 bytes missing".
  std::string state() const;

  const AgentId copyAgent;
  const uint32_t arrivals;
  int64_t phase = 0;

private:
  int64_t pending, tx = 0;
  uint32_t copies = 0;
  Clocks gathered;
  std::array<Clocks, 8> ended;
  void endPhase();
};

/// bar.sync / bar.arrive of one id: `warps` arrivals make a generation.
struct NamedBarrier {
  uint32_t warps = 0; ///< of the live generation; 0: nobody has come
  uint32_t arrived = 0;
  uint64_t generation = 0;
  Clocks gathered;
  std::array<Clocks, 8> released;
};

/// barrier.cluster: every warp that has not ended arrives once per phase.
struct ClusterBarrier {
  uint32_t expected = 0, arrived = 0;
  uint64_t phase = 0;
  Clocks gathered;
  std::array<Clocks, 4> released;
  void update();
};

} // namespace k3::emu

#endif // K3_EMULATOR_BARRIER_H
