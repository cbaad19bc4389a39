//===- DecodeSync.cpp - Barriers, fences, flags ---------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Decoder.h"

#include <cstring>

using namespace mlir;

namespace k3::emu {

namespace {
/// Where an element of a view lies.
struct ElementPlace {
  Block *block;
  uint64_t offset;
};
} // namespace

static ElementPlace elementAt(Frame &frame, uint32_t number, unsigned view,
                              const std::vector<unsigned> &coords, int64_t elementBytes) {
  const Array &array = *frame.values[view].array;
  int64_t at = 0;
  for (size_t d = 0; d < coords.size(); ++d) {
    frame.decide(number, frame.values[coords[d]], "a coordinate");
    at += frame.values[coords[d]].i * array.strides[d];
  }
  uint64_t offset = array.offset + at * elementBytes;
  if (at >= 0 && offset + elementBytes <= array.end)
    return {array.block, offset};
  frame.machine().finding(FindingKind::Bounds, number,
                          frame.machine().opText(number) + ": element " + std::to_string(at) + " of '" +
                              array.block->name + "', which has " +
                              std::to_string((array.end - array.offset) / elementBytes));
  return {nullptr, 0};
}

Expected<bool> Decoder::synchronisation(Operation *op, Code &code) {
  auto add = [&](Step step) {
    code.steps.push_back(std::move(step));
    return true;
  };
  if (auto expect = dyn_cast<tile::MbarExpectOp>(op))
    return add([bar = value(expect.getBarrier()), at = value(expect.getCursor()),
                bytes = static_cast<int64_t>(expect.getBytes()), number = text(op)](Frame &frame) {
      frame.team.expect(frame.op(number), static_cast<unsigned>(frame.values[bar].i),
                        static_cast<unsigned>(frame.values[at].i), bytes);
      return true;
    });
  if (auto arrive = dyn_cast<tile::MbarArriveOp>(op))
    return add([bar = value(arrive.getBarrier()), at = value(arrive.getCursor()), number = text(op),
                peer = arrive.getPeer() ? std::optional(value(arrive.getPeer())) : std::nullopt,
                perTeam = arrive.getArrival() == tile::Arrival::PerTeam](Frame &frame) {
      Cta *owner = &frame.team.cta;
      if (peer) {
        const Value &rank = frame.values[*peer];
        frame.decide(frame.op(number), rank, "the rank");
        if (rank.i < 0 || rank.i >= static_cast<int64_t>(owner->cluster->ctas.size())) {
          frame.machine().finding(FindingKind::Bounds, frame.op(number),
                                  frame.machine().opText(frame.op(number)) + ": rank " +
                                      std::to_string(rank.i));
          return true;
        }
        owner = owner->cluster->ctas[rank.i].get();
      }
      frame.team.arrive(frame.op(number), *owner, static_cast<unsigned>(frame.values[bar].i),
                        static_cast<unsigned>(frame.values[at].i), perTeam);
      return true;
    });
  if (auto wait = dyn_cast<tile::MbarWaitOp>(op))
    return add([bar = value(wait.getBarrier()), at = value(wait.getCursor()), number = text(op),
                before = wait.getProducer() ? 1 : 0](Frame &frame) {
      const Value &cursor = frame.values[at];
      return frame.team.wait(frame.op(number), static_cast<unsigned>(frame.values[bar].i),
                             static_cast<unsigned>(cursor.i), cursor.use - before);
    });
  if (isa<tile::WarpSyncOp>(op))
    return add([](Frame &frame) {
      frame.team.warpSync();
      return true;
    });
  if (isa<tile::TeamSyncOp>(op))
    return add([](Frame &frame) {
      frame.team.teamSync();
      return true;
    });
  if (auto sync = dyn_cast<tile::NamedSyncOp>(op)) {
    // A barrier per name, and per instance where the kernel says so.
    std::string name = sync.getName().str();
    unsigned id = barrierIds.try_emplace({name, 0}, static_cast<unsigned>(barrierIds.size())).first->second;
    return add([id, number = text(op), warps = static_cast<unsigned>(sync.getWarps()),
                arrive = sync.getArrive(), own = sync.getPerInstance()](Frame &frame) {
      unsigned barrier = id * 64 + (own ? frame.team.instance : 0);
      if (!arrive)
        return frame.team.namedSync(frame.op(number), barrier, warps);
      frame.team.namedArrive(frame.op(number), barrier, warps);
      return true;
    });
  }
  if (auto arrive = dyn_cast<tile::ClusterArriveOp>(op))
    return add([number = text(op), relaxed = arrive.getRelaxed()](Frame &frame) {
      frame.team.clusterArrive(frame.op(number), relaxed);
      return true;
    });
  if (isa<tile::ClusterWaitOp>(op))
    return add([number = text(op)](Frame &frame) { return frame.team.clusterWait(frame.op(number)); });
  if (auto fence = dyn_cast<tile::FenceProxyOp>(op))
    return add([shared = fence.getSpace() == tile::Space::Shared](Frame &frame) {
      // The fence of global memory is fence.proxy.async without a space: it covers both.
      frame.team.fenceProxy(true, !shared);
      return true;
    });
  if (auto signal = dyn_cast<tile::SignalOp>(op))
    return add([view = value(signal.getView()), coords = values(signal.getCoords()),
                by = value(signal.getValue()), number = text(op)](Frame &frame) {
      ElementPlace place = elementAt(frame, frame.op(number), view, coords, 4);
      frame.decide(frame.op(number), frame.values[by], "the count");
      if (!frame.team.isElected())
        frame.team.teamSync();
      if (place.block)
        frame.team.signal(frame.op(number), *place.block, place.offset,
                          static_cast<uint32_t>(frame.values[by].i));
      return true;
    });
  if (auto await = dyn_cast<tile::AwaitOp>(op))
    return add([view = value(await.getView()), coords = values(await.getCoords()),
                least = value(await.getValue()), number = text(op)](Frame &frame) {
      ElementPlace place = elementAt(frame, frame.op(number), view, coords, 4);
      frame.decide(frame.op(number), frame.values[least], "the count");
      return !place.block || frame.team.await(frame.op(number), *place.block, place.offset,
                                              static_cast<uint32_t>(frame.values[least].i));
    });
  if (auto atomic = dyn_cast<tile::AtomicAddOp>(op))
    return add([view = value(atomic.getView()), coords = values(atomic.getCoords()),
                by = value(atomic.getValue()), to = value(atomic.getOld()), number = text(op)](Frame &frame) {
      ElementPlace place = elementAt(frame, frame.op(number), view, coords, 4);
      frame.decide(frame.op(number), frame.values[by], "the count");
      Value old;
      bool all = !frame.team.isElected();
      if (all)
        frame.team.teamSync();
      if (place.block)
        old.i = static_cast<int32_t>(frame.team.signal(frame.op(number), *place.block, place.offset,
                                                       static_cast<uint32_t>(frame.values[by].i),
                                                       /*acquire=*/true));
      if (all)
        frame.team.teamSync(); // the old value reaches every lane
      frame.values[to] = old;
      return !frame.team.cancelled();
    });
  if (auto flag = dyn_cast<tile::AssertFlagOp>(op))
    return add([condition = value(flag.getCondition()), view = value(flag.getView()),
                coords = values(flag.getCoords()), set = static_cast<uint32_t>(flag.getCode()),
                number = text(op)](Frame &frame) {
      const Value &holds = frame.values[condition];
      frame.decide(frame.op(number), holds, "the condition");
      if (holds.i)
        return true;
      ElementPlace place = elementAt(frame, frame.op(number), view, coords, 4);
      if (!place.block)
        return true;
      WarpRanges ranges(1, {Range{place.offset, 4, kAnyLane}});
      frame.team.write(frame.op(number), *place.block, ranges);
      std::memcpy(place.block->data() + place.offset, &set, 4);
      place.block->clearPoison(place.offset, 4);
      return true;
    });
  if (isa<tile::PdlWaitOp>(op))
    return add([](Frame &frame) {
      frame.team.pdlWait();
      return true;
    });
  if (isa<tile::PdlLaunchOp, tile::BulkPrefetchOp>(op))
    return true;
  if (isa<tile::BulkCommitOp>(op))
    return add([](Frame &frame) {
      frame.team.bulkCommit();
      return true;
    });
  if (auto wait = dyn_cast<tile::BulkWaitOp>(op))
    return add([number = text(op), pending = static_cast<unsigned>(wait.getPending()), read = wait.getRead()](
                   Frame &frame) { return frame.team.bulkWait(frame.op(number), pending, read); });
  if (isa<tile::CpAsyncCommitOp>(op))
    return add([](Frame &frame) {
      frame.team.cpAsyncCommit();
      return true;
    });
  if (auto wait = dyn_cast<tile::CpAsyncWaitOp>(op))
    return add([number = text(op), pending = static_cast<unsigned>(wait.getPending())](Frame &frame) {
      return frame.team.cpAsyncWait(frame.op(number), pending);
    });
  return false;
}

} // namespace k3::emu
