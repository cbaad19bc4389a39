//===- Team.cpp - Accesses and synchronisation of a team ------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Team.h"

#include <cstring>

namespace k3::emu {

Team::Team(Machine &machine, Cta &cta, unsigned role, unsigned instance, unsigned team, unsigned firstWarp,
           unsigned warpCount, const AgentLayout &agents, bool knowsEarlierGrids)
    : machine(machine), cta(cta), role(role), instance(instance), teamNumber(team) {
  auto agent = [&](unsigned local) { return makeAgent(cta.number, local); };
  wgmmaAgent = agent(agents.queue(team, AgentLayout::Wgmma));
  bulkReadAgent = agent(agents.queue(team, AgentLayout::BulkRead));
  bulkWriteAgent = agent(agents.queue(team, AgentLayout::BulkWrite));
  for (unsigned w = 0; w < warpCount; ++w) {
    Warp warp{agent(firstWarp + w), agent(agents.cpAsync(firstWarp + w)), {}};
    warp.clocks.all.raise(warp.agent, warp.time);
    if (knowsEarlierGrids)
      for (Clock *clock : {&warp.clocks.all, &warp.clocks.proxyShared, &warp.clocks.proxyGlobal})
        clock->raise(kEarlierGrids, 1);
    warps.push_back(std::move(warp));
  }
}

std::string Team::name() const {
  std::string text = machine.agentName(warps[0].agent, 0);
  return text.substr(text.find('\'')); // without "warp 0 of"
}

void Team::setElected(bool on) {
  elected = on;
  ++warps[0].time;
  warps[0].clocks.all.raise(warps[0].agent, warps[0].time);
}

void Team::touch(const Accessor &by, Block &block, std::span<const Range> ranges, bool writes) {
  if (cancelled())
    return;
  auto onConflict = [&](Conflict kind, const AccessRecord &earlier, bool wrote, uint64_t offset,
                        unsigned size) {
    machine.conflict(kind, block, by.record, writes, earlier, wrote, offset, size);
  };
  if (writes && block.constant) {
    machine.finding(FindingKind::Race, static_cast<uint64_t>(by.record.op) << 32,
                    machine.describe(by.record) + " writes '" + block.name + "', which is constant");
    return;
  }
  Shadow *shadow = block.constant ? nullptr : block.shadow();
  for (const Range &range : ranges) {
    if (!block.inside(range.offset, range.size)) {
      machine.finding(FindingKind::Bounds, static_cast<uint64_t>(by.record.op) << 32,
                      machine.describe(by.record) + (writes ? " writes" : " reads") + " bytes [" +
                          std::to_string(range.offset) + ", " + std::to_string(range.offset + range.size) +
                          ") of '" + block.name + "', which has " + std::to_string(block.size));
      continue;
    }
    if (!shadow)
      continue;
    machine.report.checkedBytes += range.size;
    if (writes)
      shadow->write(by, range, machine.grids, onConflict);
    else
      shadow->read(by, range, machine.grids, onConflict);
  }
}

void Team::access(uint32_t op, Block &block, const WarpRanges &ranges, bool writes) {
  for (size_t w = 0; w < ranges.size() && w < warps.size(); ++w) {
    const Warp &warp = warps[w];
    Accessor by;
    by.record = {warp.agent, warp.time, op, kCollective, false, false};
    by.clock = &warp.clocks.all;
    by.inOrder = true;
    by.syncTime = warp.syncTime;
    touch(by, block, ranges[w], writes);
  }
}

void Team::release(Warp &warp, Clocks &into) {
  into.join(warp.clocks);
  ++warp.time;
  if (!elected)
    warp.syncTime = warp.time;
  warp.clocks.all.raise(warp.agent, warp.time);
}

void Team::acquire(Warp &warp, const Clocks &from) { warp.clocks.join(from); }

Mbarrier *Team::barrier(uint32_t op, Cta &owner, unsigned bar, unsigned slot) {
  if (bar < owner.mbars.size() && slot < owner.mbars[bar].size())
    return &owner.mbars[bar][slot];
  machine.finding(FindingKind::Bounds, op,
                  opText(op) + ": slot " + std::to_string(slot) + " of mbarrier " + barrierName(bar, slot) +
                      " does not exist");
  return nullptr;
}

std::string Team::barrierName(unsigned bar, unsigned slot) const {
  const std::vector<MbarSpec> &bars = machine.launches.back().kernel.mbars;
  return "'" + (bar < bars.size() ? bars[bar].name : std::to_string(bar)) + "'[" + std::to_string(slot) + "]";
}

void Team::arrive(uint32_t op, Cta &owner, unsigned bar, unsigned slot, bool perTeam) {
  machine.scheduler->point();
  Mbarrier *at = barrier(op, owner, bar, slot);
  if (!at || cancelled())
    return;
  std::span<Warp> who = active();
  if (perTeam) {
    teamSync();
    who = who.first(1);
  }
  for (Warp &warp : who) {
    Clocks bring;
    release(warp, bring);
    if (!at->arrive(1, bring))
      machine.finding(FindingKind::Barrier, op,
                      opText(op) + " by " + name() + ": mbarrier " + barrierName(bar, slot) +
                          " gets more than its " + std::to_string(at->arrivals) + " arrivals in phase " +
                          std::to_string(at->phase));
  }
}

void Team::expect(uint32_t op, unsigned bar, unsigned slot, int64_t bytes) {
  if (Mbarrier *at = barrier(op, cta, bar, slot))
    at->expect(bytes);
  bool wasElected = elected;
  elected = true; // one lane arrives, whoever is here
  arrive(op, cta, bar, slot);
  elected = wasElected;
}

Mbarrier::Look Team::judge(uint32_t op, const Mbarrier &at, unsigned bar, unsigned slot, int64_t use) {
  Mbarrier::Look look = at.look(use);
  if (look == Mbarrier::Look::Aliased)
    machine.finding(FindingKind::Barrier, static_cast<uint64_t>(op) << 1,
                    opText(op) + " by " + name() + ": parity wait aliases: waits for phase " +
                        std::to_string(use) + " of " + barrierName(bar, slot) + ", the barrier is in phase " +
                        std::to_string(at.phase));
  if (look == Mbarrier::Look::Missed)
    machine.finding(FindingKind::Barrier, static_cast<uint64_t>(op) << 1 | 1,
                    opText(op) + " by " + name() + ": phase " + std::to_string(use) + " of " +
                        barrierName(bar, slot) + " was missed, the barrier is in phase " +
                        std::to_string(at.phase));
  return look;
}

bool Team::wait(uint32_t op, unsigned bar, unsigned slot, int64_t use) {
  machine.scheduler->point();
  Mbarrier *at = barrier(op, cta, bar, slot);
  if (!at)
    return true;
  auto ready = [this, op, at, bar, slot, use] {
    Mbarrier::Look look = judge(op, *at, bar, slot, use);
    return look == Mbarrier::Look::Done || look == Mbarrier::Look::Missed;
  };
  auto what = [this, op, at, bar, slot, use] {
    return opText(op) + " by " + name() + " waits for phase " + std::to_string(use) + " of mbarrier " +
           barrierName(bar, slot) + ", which " + at->state();
  };
  if (!machine.scheduler->waitUntil(ready, what))
    return false;
  if (use >= 0)
    for (Warp &warp : active())
      acquire(warp, at->phaseClocks(use));
  return true;
}

bool Team::test(uint32_t op, unsigned bar, unsigned slot, int64_t use) {
  machine.scheduler->point();
  Mbarrier *at = barrier(op, cta, bar, slot);
  if (!at || cancelled())
    return true;
  if (judge(op, *at, bar, slot, use) != Mbarrier::Look::Done || machine.scheduler->whim())
    return false;
  if (use >= 0)
    for (Warp &warp : active())
      acquire(warp, at->phaseClocks(use));
  return true;
}

void Team::warpSync() {
  for (Warp &warp : active()) {
    ++warp.time;
    warp.syncTime = warp.time;
    warp.clocks.all.raise(warp.agent, warp.time);
  }
}

void Team::teamSync() {
  Clocks joined;
  for (Warp &warp : warps)
    release(warp, joined);
  for (Warp &warp : warps)
    acquire(warp, joined);
}

void Team::joinNamed(uint32_t op, unsigned id, unsigned n) {
  NamedBarrier &at = cta.named[id];
  if (at.warps != 0 && at.warps != n)
    machine.finding(FindingKind::Barrier, op,
                    opText(op) + " by " + name() + ": named barrier " + std::to_string(id) +
                        " is in use with " + std::to_string(at.warps) + " warps, this one says " +
                        std::to_string(n));
  at.warps = n;
  for (Warp &warp : active())
    release(warp, at.gathered);
  at.arrived += static_cast<uint32_t>(active().size());
  if (at.arrived > n)
    machine.finding(FindingKind::Barrier, op,
                    opText(op) + " by " + name() + ": named barrier " + std::to_string(id) + " of " +
                        std::to_string(n) + " warps gets " + std::to_string(at.arrived));
  if (at.arrived < n)
    return;
  at.released[at.generation++ % at.released.size()] = std::move(at.gathered);
  at.gathered = Clocks();
  at.arrived = at.warps = 0;
}

void Team::namedArrive(uint32_t op, unsigned id, unsigned n) {
  machine.scheduler->point();
  if (!cancelled())
    joinNamed(op, id, n);
}

bool Team::namedSync(uint32_t op, unsigned id, unsigned n) {
  machine.scheduler->point();
  if (cancelled())
    return false;
  NamedBarrier &at = cta.named[id];
  uint64_t generation = at.generation;
  joinNamed(op, id, n);
  bool ended = machine.scheduler->waitUntil([&at, generation] { return at.generation > generation; },
                                            [this, op, id, n, &at] {
                                              return opText(op) + " by " + name() +
                                                     " waits at named barrier " + std::to_string(id) + ": " +
                                                     std::to_string(at.arrived) + " of " + std::to_string(n) +
                                                     " warps have come";
                                            });
  if (ended)
    for (Warp &warp : active())
      acquire(warp, at.released[generation % at.released.size()]);
  return ended;
}

void Team::clusterArrive(uint32_t op, bool relaxed) {
  (void)op;
  machine.scheduler->point();
  ClusterBarrier &at = cta.cluster->barrier;
  clusterPhase = at.phase;
  Clocks nowhere;
  for (Warp &warp : active())
    release(warp, relaxed ? nowhere : at.gathered);
  at.arrived += static_cast<uint32_t>(active().size());
  at.update();
}

bool Team::clusterWait(uint32_t op) {
  machine.scheduler->point();
  ClusterBarrier &at = cta.cluster->barrier;
  uint64_t phase = clusterPhase;
  bool ended =
      machine.scheduler->waitUntil([&at, phase] { return at.phase > phase; },
                                   [this, op, &at] {
                                     return opText(op) + " by " + name() +
                                            " waits at the cluster barrier: " + std::to_string(at.arrived) +
                                            " of " + std::to_string(at.expected) + " warps have come";
                                   });
  if (ended)
    for (Warp &warp : active())
      acquire(warp, at.released[phase % at.released.size()]);
  return ended;
}

void Team::fenceProxy(bool shared, bool global) {
  for (Warp &warp : active()) {
    if (shared)
      warp.clocks.proxyShared.join(warp.clocks.all);
    if (global)
      warp.clocks.proxyGlobal.join(warp.clocks.all);
    // What the warp writes from now on is later than the fence.
    ++warp.time;
    warp.clocks.all.raise(warp.agent, warp.time);
  }
}

void Team::pdlWait() {
  for (Warp &warp : active())
    for (Clock *clock : {&warp.clocks.all, &warp.clocks.proxyShared, &warp.clocks.proxyGlobal})
      clock->raise(kEarlierGrids, 1);
}

uint32_t Team::signal(uint32_t op, Block &block, uint64_t offset, uint32_t n, bool acquires) {
  machine.scheduler->point();
  if (cancelled() || !block.inside(offset, 4))
    return 0;
  Warp &warp = warps[0];
  Clocks &word = machine.words[{&block, offset}];
  if (acquires)
    acquire(warp, word);
  Accessor by;
  by.record = {warp.agent, warp.time, op, kCollective, false, true};
  by.clock = &warp.clocks.all;
  by.inOrder = true;
  by.syncTime = warp.syncTime;
  Range range{offset, 4};
  touch(by, block, {&range, 1}, true);
  release(warp, word);
  uint32_t old = readWord(op, block, offset), sum = old + n;
  std::memcpy(block.data() + offset, &sum, 4);
  return old;
}

uint32_t Team::readWord(uint32_t op, Block &block, uint64_t offset) {
  if (block.poisoned(offset, 4))
    machine.finding(FindingKind::Poison, op,
                    opText(op) + ": the counter in " + block.describe(offset, 4) + " was never written");
  uint32_t value;
  std::memcpy(&value, block.data() + offset, 4);
  return value;
}

bool Team::await(uint32_t op, Block &block, uint64_t offset, uint32_t n) {
  machine.scheduler->point();
  if (cancelled() || !block.inside(offset, 4))
    return !cancelled();
  readWord(op, block, offset);
  auto value = [&block, offset] {
    uint32_t word;
    std::memcpy(&word, block.data() + offset, 4);
    return word;
  };
  if (!machine.scheduler->waitUntil([value, n] { return static_cast<int32_t>(value() - n) >= 0; },
                                    [this, op, value, n, &block, offset] {
                                      return opText(op) + " by " + name() + " waits for " +
                                             std::to_string(n) + " in " + block.describe(offset, 4) +
                                             ", which holds " + std::to_string(value());
                                    }))
    return false;
  for (Warp &warp : active()) {
    acquire(warp, machine.words[{&block, offset}]);
    Accessor by;
    by.record = {warp.agent, warp.time, op, kCollective, false, true};
    by.clock = &warp.clocks.all;
    by.inOrder = true;
    by.syncTime = warp.syncTime;
    Range range{offset, 4};
    touch(by, block, {&range, 1}, false);
  }
  return true;
}

void Team::finish() {
  while (!products.empty()) {
    products.front().second();
    products.pop_front();
  }
  if (bulk.newest > bulk.waited)
    machine.finding(FindingKind::Lifetime, static_cast<uint64_t>(role) << 32,
                    name() + " ends without a bulk_wait for group " + std::to_string(bulk.newest) +
                        ": its source in shared memory may be gone when it is read");
  // The copies still refer to this team.
  bool ended = machine.scheduler->waitUntil(
      [this] { return bulk.done(bulk.newest, false) && cp.done(cp.newest, false); },
      [] { return std::string(); });
  (void)ended;
  ClusterBarrier &at = cta.cluster->barrier;
  at.expected -= static_cast<uint32_t>(warps.size());
  at.update();
}

} // namespace k3::emu
