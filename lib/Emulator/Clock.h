//===- Clock.h - Vector clocks of agents ------------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who knows what of whom. An agent is a warp, an asynchronous queue of a team (wgmma, bulk copies) or the
// copies that complete on one mbarrier; its events are numbered from 1. A clock holds per agent the newest
// event it contains. Agents are grouped by CTA, so a clock only stores the CTAs it has heard of.
//
//===----------------------------------------------------------------------===//

#ifndef K3_EMULATOR_CLOCK_H
#define K3_EMULATOR_CLOCK_H

#include <cstdint>
#include <span>
#include <vector>

namespace k3::emu {

/// CTA number (unique over all launches of a Machine) << 12 | agent within the CTA.
using AgentId = uint32_t;
constexpr unsigned kLocalAgentBits = 12;
constexpr uint32_t ctaOf(AgentId agent) { return agent >> kLocalAgentBits; }
constexpr uint32_t localOf(AgentId agent) { return agent & ((1u << kLocalAgentBits) - 1); }
constexpr AgentId makeAgent(uint32_t cta, uint32_t local) { return cta << kLocalAgentBits | local; }

/// Stands for every earlier grid; a clock with time 1 here has passed griddepcontrol.wait.
constexpr AgentId kEarlierGrids = 0;

class Clock {
public:
  uint32_t at(AgentId agent) const;
  /// Raises the component to at least `time`.
  void raise(AgentId agent, uint32_t time);
  /// Sets the component, up or down.
  void set(AgentId agent, uint32_t time);
  void join(const Clock &other);
  void clear() { chunks.clear(); }
  bool empty() const { return chunks.empty(); }

  /// The component-wise minimum: what every one of `clocks` contains.
  static Clock meet(std::span<const Clock *const> clocks);

private:
  struct Chunk {
    uint32_t cta;
    std::vector<uint32_t> times;
  };
  std::vector<Chunk> chunks; // sorted by CTA
  const Chunk *find(uint32_t cta) const;
  Chunk &obtain(uint32_t cta);
};

/// What happened before an agent (`all`), and which of its generic accesses the async proxy is known to see.
struct Clocks {
  Clock all, proxyShared, proxyGlobal;

  void join(const Clocks &other) {
    all.join(other.all);
    proxyShared.join(other.proxyShared);
    proxyGlobal.join(other.proxyGlobal);
  }
  void clear() {
    all.clear();
    proxyShared.clear();
    proxyGlobal.clear();
  }
};

} // namespace k3::emu

#endif // K3_EMULATOR_CLOCK_H
