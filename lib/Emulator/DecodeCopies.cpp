//===- DecodeCopies.cpp - Copies by the copy engine -----------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Boxes.h"

using namespace mlir;

namespace k3::emu {

/// The box of a map's copy at run-time coordinates.
static Box mapBox(const Frame &frame, uint32_t number, unsigned map, const std::vector<unsigned> &coords,
                  tile::MapType type) {
  Box box{frame.values[map].array.get(), {}, type.getBox().vec(), {}, type.getElementBytes()};
  for (unsigned coord : coords) {
    frame.decide(number, frame.values[coord], "a coordinate");
    box.start.push_back(frame.values[coord].i);
  }
  box.limit = box.array->dims;
  return box;
}

/// `elements` consecutive elements of a view from the coordinates on, as a box of one row.
static std::pair<std::shared_ptr<Array>, Box> lineBox(const Frame &frame, uint32_t number, unsigned view,
                                                      const std::vector<unsigned> &coords, int64_t elements,
                                                      int64_t elementBytes) {
  const Array &array = *frame.values[view].array;
  int64_t at = 0;
  for (size_t d = 0; d < coords.size(); ++d) {
    frame.decide(number, frame.values[coords[d]], "a coordinate");
    at += frame.values[coords[d]].i * array.strides[d];
  }
  auto line = std::make_shared<Array>(array);
  line->strides = {1};
  return {line, Box{line.get(), {at}, {elements}, {Box::kUnlimited}, elementBytes}};
}

/// Bulk copies move 16-byte units between 16-byte aligned places.
static void checkAlignment(const Frame &frame, uint32_t number, uint64_t global, uint64_t shared,
                           uint64_t bytes) {
  if ((global | shared | bytes) % 16 != 0)
    frame.machine().finding(FindingKind::Bounds, static_cast<uint64_t>(number) << 1 | 1,
                            frame.machine().opText(number) + ": " + std::to_string(bytes) +
                                " bytes at byte " + std::to_string(global) + " of global and " +
                                std::to_string(shared) + " of shared memory are not multiples of 16");
}

/// A copy into shared memory of `owner` that completes on a barrier there.
static void issueLoad(Frame &frame, uint32_t number, const Value &target,
                      std::shared_ptr<const SharedTile> tile, const Value &barrier, const Value &cursor,
                      Box box, std::shared_ptr<const Array> array, Cta *owner) {
  box.array = array.get();
  Block &shared = *owner->shared;
  Span from{box.array->block, boxBytes(box, frame, number)};
  Span to{&shared, shifted(tile->bytes, target.use)};
  int64_t bytes = tile->elements * tile->elementBytes;
  frame.team.copyIn(number, std::move(from), std::move(to), *owner, static_cast<unsigned>(barrier.i),
                    static_cast<unsigned>(cursor.i), bytes,
                    [=, &shared, base = target.use, box = std::move(box)] {
                      (void)array; // kept alive for the box
                      toShared(fromBox(box), *tile, shared, base);
                    });
}

/// A copy out of shared memory in the open bulk group.
static void issueStore(Frame &frame, uint32_t number, const Value &source,
                       std::shared_ptr<const SharedTile> tile, Box box, std::shared_ptr<const Array> array,
                       std::optional<Elem> add) {
  box.array = array.get();
  Span from{source.block, shifted(tile->bytes, source.use)};
  Span to{box.array->block, boxBytes(box, frame, number)};
  auto staged = std::make_shared<Staged>();
  frame.team.copyOut(
      number, std::move(from), std::move(to),
      [=, block = source.block, base = source.use] { *staged = fromShared(*tile, *block, base); },
      [=, &team = frame.team, box = std::move(box)] {
        (void)array;
        if (std::optional<uint32_t> origin = toBox(*staged, box, add))
          team.machine.finding(
              FindingKind::Poison, static_cast<uint64_t>(number) << 32 | *origin,
              team.machine.opText(number) + " by " + team.name() + ": an undefined value is stored to '" +
                  box.array->block->name + "', it comes from " +
                  (*origin == 0 ? "memory that was never written" : team.machine.opText(*origin)));
      },
      add.has_value());
}

Expected<bool> Decoder::copies(Operation *op, Code &code) {
  auto add = [&](Step step) {
    code.steps.push_back(std::move(step));
    return true;
  };
  if (auto load = dyn_cast<tile::MapLoadOp>(op))
    return add([map = value(load.getMap()), coords = values(load.getCoords()),
                target = value(load.getTarget()), barrier = value(load.getBarrier()),
                cursor = value(load.getCursor()), type = load.getMap().getType(),
                tile = sharedTile(load.getTarget().getType()), number = text(op),
                multicast = load.getMulticast() ? std::optional(value(load.getMulticast()))
                                                : std::nullopt](Frame &frame) {
      Box box = mapBox(frame, frame.op(number), map, coords, type);
      const Value &to = frame.values[target];
      Cluster &cluster = *frame.team.cta.cluster;
      for (size_t rank = 0; rank < cluster.ctas.size(); ++rank) {
        Cta *owner = cluster.ctas[rank].get();
        if (multicast ? (frame.values[*multicast].i >> rank & 1) != 0 : owner == to.cta)
          issueLoad(frame, frame.op(number), to, tile, frame.values[barrier], frame.values[cursor], box,
                    frame.values[map].array, owner);
      }
      return !frame.team.cancelled();
    });
  if (auto store = dyn_cast<tile::MapStoreOp>(op)) {
    std::optional<Elem> sum;
    if (store.getAdd())
      sum = elemOf(store.getMap().getType().getElementType());
    return add([map = value(store.getMap()), coords = values(store.getCoords()),
                source = value(store.getSource()), type = store.getMap().getType(),
                tile = sharedTile(store.getSource().getType()), number = text(op), sum](Frame &frame) {
      Box box = mapBox(frame, frame.op(number), map, coords, type);
      issueStore(frame, frame.op(number), frame.values[source], tile, std::move(box), frame.values[map].array,
                 sum);
      return !frame.team.cancelled();
    });
  }
  if (auto load = dyn_cast<tile::BulkLoadOp>(op))
    return add([view = value(load.getView()), coords = values(load.getCoords()),
                target = value(load.getTarget()), barrier = value(load.getBarrier()),
                cursor = value(load.getCursor()), number = text(op),
                tile = sharedTile(load.getTarget().getType())](Frame &frame) {
      auto [line, box] = lineBox(frame, frame.op(number), view, coords, tile->elements, tile->elementBytes);
      const Value &to = frame.values[target];
      checkAlignment(frame, frame.op(number), line->offset + box.start[0] * box.elementBytes, to.use,
                     tile->elements * tile->elementBytes);
      issueLoad(frame, frame.op(number), to, tile, frame.values[barrier], frame.values[cursor],
                std::move(box), line, to.cta);
      return !frame.team.cancelled();
    });
  if (auto store = dyn_cast<tile::BulkStoreOp>(op))
    return add([view = value(store.getView()), coords = values(store.getCoords()),
                source = value(store.getSource()), number = text(op),
                tile = sharedTile(store.getSource().getType())](Frame &frame) {
      auto [line, box] = lineBox(frame, frame.op(number), view, coords, tile->elements, tile->elementBytes);
      const Value &from = frame.values[source];
      checkAlignment(frame, frame.op(number), line->offset + box.start[0] * box.elementBytes, from.use,
                     tile->elements * tile->elementBytes);
      issueStore(frame, frame.op(number), from, tile, std::move(box), line, std::nullopt);
      return !frame.team.cancelled();
    });
  return false;
}

} // namespace k3::emu
