//===- DecodeAccess.cpp - Loads and stores of lanes -----------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Boxes.h"

using namespace mlir;

namespace k3::emu {

namespace {
/// A tile at run-time coordinates of a view, with limits.
struct TilePlace {
  unsigned view;
  std::vector<unsigned> coords, limits;
  std::vector<int64_t> shape;
  int64_t elementBytes;

  Box box(const Frame &frame, uint32_t number) const {
    Box box{frame.values[view].array.get(), {}, {}, {}, elementBytes};
    size_t rank = box.array->strides.size(), lead = rank - shape.size();
    for (unsigned coord : coords) {
      frame.decide(number, frame.values[coord], "a coordinate");
      box.start.push_back(frame.values[coord].i);
    }
    box.extent.assign(rank, 1);
    box.limit.assign(rank, Box::kUnlimited);
    for (size_t d = 0; d < shape.size(); ++d) {
      box.extent[lead + d] = shape[d];
      if (limits.empty())
        continue;
      frame.decide(number, frame.values[limits[d]], "a limit");
      box.limit[lead + d] = frame.values[limits[d]].i;
    }
    return box;
  }
};
} // namespace

static void put(Frame &frame, unsigned to, TensorRef tensor) {
  Value made;
  made.tensor = std::move(tensor);
  frame.values[to] = std::move(made);
}

Expected<bool> Decoder::access(Operation *op, Code &code) {
  auto add = [&](Step step) {
    code.steps.push_back(std::move(step));
    return true;
  };
  auto refuse = [&](const char *why) {
    return unsupported("kernel '" + program.spec.name + "': " + op->getName().getStringRef().str() + " at " +
                       place(op->getLoc()) + " " + why);
  };
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    auto type = cast<RankedTensorType>(load.getResult().getType());
    tile::ViewType view = load.getView().getType();
    if (type.getRank() > view.getRank() || view.getElementType() != type.getElementType())
      return refuse("has a tile that is no part of the view");
    TilePlace where{value(load.getView()), values(load.getCoords()), values(load.getLimit()),
                    type.getShape().vec(), view.getElementBytes()};
    auto rows =
        std::make_shared<std::vector<std::vector<RowRun>>>(warpRows(tile::layoutOf(type), Holders::All));
    return add([where, rows, type, to = value(load.getResult()), number = text(op)](Frame &frame) {
      Box box = where.box(frame, frame.op(number));
      frame.team.read(frame.op(number), *box.array->block, boxBytes(box, *rows, frame, frame.op(number)));
      TensorRef tensor = makeTensor(type, frame);
      toTensor(fromBox(box), *tensor);
      put(frame, to, std::move(tensor));
      return true;
    });
  }
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    auto type = cast<RankedTensorType>(store.getValue().getType());
    tile::ViewType view = store.getView().getType();
    if (type.getRank() > view.getRank() || view.getElementType() != type.getElementType())
      return refuse("has a tile that is no part of the view");
    TilePlace where{value(store.getView()), values(store.getCoords()), values(store.getLimit()),
                    type.getShape().vec(), view.getElementBytes()};
    auto rows =
        std::make_shared<std::vector<std::vector<RowRun>>>(warpRows(tile::layoutOf(type), Holders::First));
    return add([where, rows, from = value(store.getValue()), number = text(op)](Frame &frame) {
      Box box = where.box(frame, frame.op(number));
      frame.team.write(frame.op(number), *box.array->block, boxBytes(box, *rows, frame, frame.op(number)));
      if (std::optional<uint32_t> origin = toBox(fromTensor(*frame.values[from].tensor), box))
        frame.poisonFinding(frame.op(number), *origin,
                            "an undefined value is stored to '" + box.array->block->name + "'");
      return true;
    });
  }
  if (auto gather = dyn_cast<tile::GatherLoadOp>(op)) {
    auto type = cast<RankedTensorType>(gather.getResult().getType());
    tile::ViewType view = gather.getView().getType();
    if (type.getRank() != 2 || view.getRank() != 2)
      return refuse("is not of rank 2");
    auto rows =
        std::make_shared<std::vector<std::vector<RowRun>>>(warpRows(tile::layoutOf(type), Holders::All));
    return add([=, table = value(gather.getView()), picks = value(gather.getRows()),
                column = value(gather.getColumn()), to = value(gather.getResult()), number = text(op),
                size = view.getElementBytes()](Frame &frame) {
      const Tensor &picked = *frame.values[picks].tensor;
      TensorRef tensor = makeTensor(type, frame);
      frame.decide(frame.op(number), frame.values[column], "the column");
      int64_t width = type.getShape()[1];
      auto rowBox = [&](int64_t r) {
        if (picked.poisoned(r))
          frame.poisonFinding(frame.op(number), picked.origin, "a row number is an undefined value");
        return Box{frame.values[table].array.get(),
                   {picked.n[r], frame.values[column].i},
                   {1, width},
                   {Box::kUnlimited, Box::kUnlimited},
                   size};
      };
      WarpRanges ranges;
      for (const std::vector<RowRun> &runs : *rows) {
        ranges.emplace_back();
        for (const RowRun &run : runs) {
          if (picked.n[run.first / width] < 0)
            continue;
          Box::Part part = rowBox(run.first / width).part(0, run.first % width, run.count);
          if (part.count > 0)
            ranges.back().push_back({part.offset, static_cast<uint32_t>(part.count * size), kAnyLane});
        }
      }
      frame.team.read(frame.op(number), *frame.values[table].array->block, ranges);
      for (int64_t r = 0; r < type.getShape()[0]; ++r) {
        if (picked.n[r] < 0)
          continue;
        Box box = rowBox(r);
        boxBytes(box, frame, frame.op(number)); // reports a row outside
        Staged staged = fromBox(box);
        decodeElements(*tensor, r * width, staged.bytes.data(), width);
        for (auto [byte, origin] : staged.poison)
          tensor->setPoison(r * width + static_cast<int64_t>(byte) / size, origin);
      }
      put(frame, to, std::move(tensor));
      return true;
    });
  }
  if (isa<tile::LoadSharedOp, tile::LdmatrixOp>(op)) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto shared = cast<tile::SharedType>(op->getOperand(0).getType());
    if (type.getShape() != shared.getShape())
      return refuse("has a tile of another shape than its source");
    auto tile = sharedTile(shared);
    auto ranges = std::make_shared<WarpRanges>(
        sharedRanges(tile::layoutOf(type), *tile, Holders::All, isa<tile::LdmatrixOp>(op)));
    return add(
        [=, from = value(op->getOperand(0)), to = value(op->getResult(0)), number = text(op)](Frame &frame) {
          const Value &source = frame.values[from];
          frame.team.read(frame.op(number), *source.block, shifted(*ranges, source.use));
          TensorRef tensor = makeTensor(type, frame);
          toTensor(fromShared(*tile, *source.block, source.use), *tensor);
          put(frame, to, std::move(tensor));
          return true;
        });
  }
  if (isa<tile::StoreSharedOp, tile::StmatrixOp>(op)) {
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    auto shared = cast<tile::SharedType>(op->getOperand(1).getType());
    if (type.getShape() != shared.getShape())
      return refuse("has a tile of another shape than its target");
    auto tile = sharedTile(shared);
    auto ranges = std::make_shared<WarpRanges>(
        sharedRanges(tile::layoutOf(type), *tile, Holders::First, isa<tile::StmatrixOp>(op)));
    return add(
        [=, from = value(op->getOperand(0)), to = value(op->getOperand(1)), number = text(op)](Frame &frame) {
          const Value &target = frame.values[to];
          frame.team.write(frame.op(number), *target.block, shifted(*ranges, target.use));
          toShared(fromTensor(*frame.values[from].tensor), *tile, *target.block, target.use);
          return true;
        });
  }
  if (auto copy = dyn_cast<tile::CpAsyncOp>(op)) {
    tile::SharedType shared = copy.getTarget().getType();
    const layout::RegLayout &lanes = copy.getLanes().getLayout();
    auto tile = sharedTile(shared);
    TilePlace where{value(copy.getView()), values(copy.getCoords()), values(copy.getLimit()),
                    shared.getShape().vec(), shared.getElementBytes()};
    auto rows = std::make_shared<std::vector<std::vector<RowRun>>>(warpRows(lanes, Holders::First));
    auto ranges = std::make_shared<WarpRanges>(sharedRanges(lanes, *tile, Holders::First, true));
    return add(
        [=, view = value(copy.getView()), to = value(copy.getTarget()), number = text(op)](Frame &frame) {
          std::shared_ptr<const Array> array = frame.values[view].array;
          Box box = where.box(frame, frame.op(number));
          box.array = array.get();
          const Value &target = frame.values[to];
          Block *block = target.block;
          frame.team.cpAsync(frame.op(number), *array->block, boxBytes(box, *rows, frame, frame.op(number)),
                             *block, shifted(*ranges, target.use), [=, base = target.use] {
                               (void)array;
                               toShared(fromBox(box), *tile, *block, base);
                             });
          return !frame.team.cancelled();
        });
  }
  return false;
}

} // namespace k3::emu
