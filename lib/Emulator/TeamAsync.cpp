//===- TeamAsync.cpp - Copies in flight and wgmma of a team ---------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Team.h"

namespace k3::emu {

Clocks Team::snapshot(const Warp &warp) const {
  // One lane issues for all: of its own warp it knows what came before the last warp_sync.
  Clocks clocks = warp.clocks;
  clocks.all.set(warp.agent, warp.syncTime - 1);
  return clocks;
}

void Team::touchAsync(const AccessRecord &record, const Clocks &clocks, const Span &span, bool writes) {
  if (!span.block)
    return;
  Accessor by;
  by.record = record;
  by.clock = &clocks.all;
  by.proxy = span.block->space == Space::Shared ? &clocks.proxyShared : &clocks.proxyGlobal;
  touch(by, *span.block, span.ranges, writes);
}

void Team::copyIn(uint32_t op, Span from, Span to, Cta &owner, unsigned bar, unsigned slot, int64_t bytes,
                  std::function<void()> move) {
  machine.scheduler->point();
  Mbarrier *at = barrier(op, owner, bar, slot);
  if (!at || cancelled())
    return;
  ++owner.copiesInFlight;
  machine.scheduler->defer([this, op, from = std::move(from), to = std::move(to), &owner, at, bytes,
                            move = std::move(move), clocks = snapshot(warps[0])]() mutable {
    AccessRecord record{at->copyAgent, at->nextCopy(), op, kCollective, true, false};
    touchAsync(record, clocks, from, false);
    touchAsync(record, clocks, to, true);
    move();
    clocks.all.raise(record.agent, record.time);
    at->complete(bytes, clocks);
    --owner.copiesInFlight;
  });
}

bool Team::CopyQueue::done(uint32_t upTo, bool readOnly) const {
  for (const auto &[group, left] : busy)
    if (group <= upTo && (left.reads != 0 || (!readOnly && left.writes != 0)))
      return false;
  return true;
}

void Team::copied(CopyQueue &queue, uint32_t group, bool write) {
  Group &left = queue.busy[group];
  --(write ? left.writes : left.reads);
  if (left.reads == 0 && left.writes == 0)
    queue.busy.erase(group);
}

void Team::copyOut(uint32_t op, Span from, Span to, std::function<void()> take, std::function<void()> put,
                   bool adds) {
  machine.scheduler->point();
  if (cancelled())
    return;
  uint32_t group = bulk.newest = bulk.open;
  ++bulk.busy[group].reads;
  ++bulk.busy[group].writes;
  machine.scheduler->defer([this, op, group, adds, from = std::move(from), to = std::move(to),
                            take = std::move(take), put = std::move(put),
                            clocks = snapshot(warps[0])]() mutable {
    touchAsync({bulkReadAgent, group, op, kCollective, true, false}, clocks, from, false);
    take();
    copied(bulk, group, false);
    // The destination is written later than the source is read.
    machine.scheduler->defer(
        [this, op, group, adds, to = std::move(to), put = std::move(put), clocks = std::move(clocks)] {
          touchAsync({bulkWriteAgent, group, op, kCollective, true, adds}, clocks, to, true);
          put();
          copied(bulk, group, true);
        });
  });
}

bool Team::bulkWait(uint32_t op, unsigned allowed, bool readOnly) {
  machine.scheduler->point();
  uint32_t closed = bulk.open - 1, upTo = closed > allowed ? closed - allowed : 0;
  if (!machine.scheduler->waitUntil(
          [this, upTo, readOnly] { return bulk.done(upTo, readOnly); },
          [this, op] { return opText(op) + " by " + name() + " waits for bulk copies"; }))
    return false;
  bulk.waited = std::max(bulk.waited, upTo);
  warps[0].clocks.all.raise(bulkReadAgent, upTo);
  if (!readOnly)
    warps[0].clocks.all.raise(bulkWriteAgent, upTo);
  return true;
}

void Team::cpAsync(uint32_t op, Block &from, const WarpRanges &reads, Block &to, const WarpRanges &writes,
                   std::function<void()> move) {
  machine.scheduler->point();
  if (cancelled())
    return;
  uint32_t group = cp.newest = cp.open;
  ++cp.busy[group].reads;
  std::vector<Clocks> clocks;
  for (const Warp &warp : warps)
    clocks.push_back(warp.clocks);
  machine.scheduler->defer(
      [this, op, group, &from, reads, &to, writes, move = std::move(move), clocks = std::move(clocks)] {
        for (size_t w = 0; w < warps.size(); ++w) {
          // The generic proxy, but at a time of its own choice.
          AccessRecord record{warps[w].cpAsync, group, op, kCollective, false, false};
          if (w < reads.size())
            touchAsync(record, clocks[w], {&from, reads[w]}, false);
          if (w < writes.size())
            touchAsync(record, clocks[w], {&to, writes[w]}, true);
        }
        move();
        copied(cp, group, false);
      });
}

bool Team::cpAsyncWait(uint32_t op, unsigned allowed) {
  machine.scheduler->point();
  uint32_t closed = cp.open - 1, upTo = closed > allowed ? closed - allowed : 0;
  if (!machine.scheduler->waitUntil(
          [this, upTo] { return cp.done(upTo, false); },
          [this, op] { return opText(op) + " by " + name() + " waits for cp.async"; }))
    return false;
  for (Warp &warp : warps)
    warp.clocks.all.raise(warp.cpAsync, upTo);
  return true;
}

uint32_t Team::wgmma(uint32_t op, const std::vector<Span> &operands, std::function<void()> compute) {
  uint32_t group = openGroup;
  if (cancelled())
    return group;
  // All warps issue together, so each of them must know that the operands are complete.
  std::vector<Clocks> each;
  std::vector<const Clock *> all, proxy;
  for (const Warp &warp : warps)
    each.push_back(snapshot(warp));
  for (const Clocks &clocks : each) {
    all.push_back(&clocks.all);
    proxy.push_back(&clocks.proxyShared);
  }
  Clocks clocks;
  clocks.all = Clock::meet(all);
  clocks.proxyShared = Clock::meet(proxy);
  auto event = [this, op, group, operands, compute = std::move(compute), clocks = std::move(clocks)] {
    for (const Span &operand : operands)
      touchAsync({wgmmaAgent, group, op, kCollective, true, false}, clocks, operand, false);
    if (compute)
      compute();
  };
  if (machine.options.schedule.lateProducts)
    products.emplace_back(group, std::move(event));
  else
    event();
  return group;
}

void Team::wgmmaWait(unsigned allowed) {
  uint32_t closed = openGroup - 1, upTo = closed > allowed ? closed - allowed : 0;
  while (!products.empty() && products.front().first <= upTo) {
    products.front().second();
    products.pop_front();
  }
  retiredGroup = std::max(retiredGroup, upTo);
  for (Warp &warp : warps)
    warp.clocks.all.raise(wgmmaAgent, retiredGroup);
}

} // namespace k3::emu
