//===- Convert.cpp - Tiles in another layout: by other names, by shuffles, through shared memory --===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Convert.h"
#include "lib/Layout/Transform.h"
#include "passes/Lower/Emitter.h"

using namespace mlir;
using namespace k3;
using namespace k3::lower;

static uint32_t lanesWhere(ArrayRef<int32_t> list, int32_t value) {
  uint32_t lanes = 0;
  for (auto [l, each] : llvm::enumerate(list))
    lanes |= static_cast<uint32_t>(each == value) << l;
  return lanes;
}

static SmallVector<int32_t> distinct(ArrayRef<int32_t> list) {
  SmallVector<int32_t> found;
  for (int32_t value : list)
    if (value >= 0 && !llvm::is_contained(found, value))
      found.push_back(value);
  return found;
}

LogicalResult Emitter::byShuffles(tile::ConvertOp op) {
  RankedTensorType from = op.getSource().getType(), to = op.getResult().getType();
  Type element = from.getElementType();
  auto plan =
      layout::planConversion(tile::layoutOf(from), tile::layoutOf(to), element.getIntOrFloatBitWidth());
  if (!plan)
    return op.emitOpError() << plan.status().text();
  if (plan->via != layout::Via::Shuffle)
    return op.emitOpError() << "says shuffle, the layouts do not need or do not allow it";
  // Registers of `unit` elements, as the plan counts them.
  int64_t per = perRegister(element);
  Type narrow = b.getIntegerType(element.getIntOrFloatBitWidth()), wide = element;
  Registers units = get(op.getSource());
  if (plan->unit != per) {
    Registers elements = unpack(units, narrow, tile::layoutOf(from).numRegs());
    units.clear();
    for (size_t first = 0; first < elements.size(); first += plan->unit)
      llvm::append_range(units, pack(ArrayRef(elements).slice(first, plan->unit), narrow));
  }
  if (per > 1)
    wide = b.getI32Type();
  Registers results(tile::layoutOf(to).numRegs() / plan->unit);
  for (const layout::ShuffleRound &round : plan->rounds) {
    Value moved;
    for (int32_t reg : distinct(round.send)) {
      Value holds = moved ? laneIn(lanesWhere(round.send, reg)) : Value();
      moved = moved ? Value(LLVM::SelectOp::create(b, holds, units[reg], moved)) : units[reg];
    }
    if (!round.local()) {
      if (std::optional<int32_t> distance = round.laneXor()) {
        moved = shuffle(moved, NVVM::ShflKind::bfly, i32(*distance));
      } else {
        SmallVector<int32_t> source;
        for (auto [l, each] : llvm::enumerate(round.source))
          source.push_back(each < 0 ? static_cast<int32_t>(l) : each);
        moved = shuffle(moved, NVVM::ShflKind::idx, laneTable(source));
      }
    }
    for (int32_t reg : distinct(round.receive)) {
      // Lanes that take something else here have their element from another round.
      Value takes = laneIn(lanesWhere(round.receive, reg));
      results[reg] =
          results[reg] && takes ? Value(LLVM::SelectOp::create(b, takes, moved, results[reg])) : moved;
    }
  }
  if (plan->unit != per) {
    Registers elements;
    for (Value unit : results)
      llvm::append_range(elements, unpack(unit, narrow, plan->unit));
    results = pack(elements, narrow);
  }
  set(op.getResult(), results);
  return success();
}

LogicalResult Emitter::lower(tile::ConvertOp op) {
  RankedTensorType from = op.getSource().getType(), to = op.getResult().getType();
  switch (op.getVia()) {
  case tile::ConvertVia::Relabel: {
    auto regs = layout::relabel(tile::layoutOf(from), tile::layoutOf(to));
    if (!regs)
      return op.emitOpError() << "says relabel, but registers of the result hold elements of other lanes";
    set(op.getResult(), permute(get(op.getSource()), from.getElementType(), *regs));
    return success();
  }
  case tile::ConvertVia::Shuffle:
    return byShuffles(op);
  case tile::ConvertVia::Shared: {
    if (!op.getScratch())
      return op.emitOpError() << "has no scratch";
    if (failed(storeShared(op, get(op.getSource()), from, op.getScratch())) || failed(teamSync(op)))
      return failure();
    FailureOr<Registers> registers = loadShared(op, to, op.getScratch());
    if (failed(registers))
      return failure();
    set(op.getResult(), *registers);
    return success();
  }
  }
  llvm_unreachable("a way of converting");
}
