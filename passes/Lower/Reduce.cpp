//===- Reduce.cpp - Reductions, in the order that the op states ----------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Transform.h"
#include "passes/Lower/Emitter.h"

using namespace mlir;
using namespace k3;
using namespace k3::lower;

Value Emitter::combine(tile::ReduceKind kind, Value x, Value y) {
  bool isFloat = isa<FloatType>(x.getType());
  switch (kind) {
  case tile::ReduceKind::Add:
    return isFloat ? Value(LLVM::FAddOp::create(b, x, y)) : Value(LLVM::AddOp::create(b, x, y));
  case tile::ReduceKind::Max:
    return isFloat ? Value(LLVM::MaxNumOp::create(b, x, y)) : Value(LLVM::SMaxOp::create(b, x, y));
  case tile::ReduceKind::Min:
    return isFloat ? Value(LLVM::MinNumOp::create(b, x, y)) : Value(LLVM::SMinOp::create(b, x, y));
  }
  llvm_unreachable("a kind of reduction");
}

/// The registers of `source` that reduce to each register of the result, ascending.
static SmallVector<SmallVector<int32_t>> groups(const layout::RegLayout &source, int64_t dim, Type result) {
  auto dropped = [&](int32_t r) {
    layout::Coord at = source.apply({r, 0, 0});
    at.erase(at.begin() + dim);
    return at;
  };
  std::map<layout::Coord, SmallVector<int32_t>> found;
  for (int32_t r = 0; r < source.numRegs(); ++r)
    found[dropped(r)].push_back(r);
  SmallVector<SmallVector<int32_t>> list;
  if (!isa<RankedTensorType>(result)) {
    list.push_back(found.begin()->second);
    return list;
  }
  const layout::RegLayout &reduced = tile::layoutOf(result);
  for (int32_t r = 0; r < reduced.numRegs(); ++r)
    list.push_back(found.at(reduced.apply({r, 0, 0})));
  return list;
}

/// Whether lanes share the work of adding up: several scalars of one type, each spread over all lanes and
/// warps.
static bool folds(tile::ReduceOp op) {
  Type element = cast<RankedTensorType>(op.getValues()[0].getType()).getElementType();
  return op.getValues().size() >= 4 &&
         llvm::all_of(llvm::zip(op.getValues(), op.getResults()), [&](auto pair) {
           auto [value, result] = pair;
           const layout::RegLayout &layout = tile::layoutOf(value.getType());
           return !isa<RankedTensorType>(result.getType()) &&
                  cast<RankedTensorType>(value.getType()).getElementType() == element &&
                  layout.replication() == 1;
         });
}

/// Adds up to 2^k values over the lanes, so that lane l holds value l mod 2^k: at distance 2^j the lanes of a
/// pair exchange the half that the other one goes on with. The additions are those of the butterfly, at a
/// share of its shuffles.
Value Emitter::fold(tile::ReduceKind kind, Registers values) {
  for (int32_t bit = 0; bit < 5; ++bit) {
    Value distance = i32(1 << bit);
    if (values.size() == 1) {
      values[0] = combine(kind, values[0], shuffle(values[0], NVVM::ShflKind::bfly, distance));
      continue;
    }
    Value upper =
        once({-20 - bit}, [&] { return compare(LLVM::ICmpPredicate::ne, land(lane, 1u << bit), 0); });
    Registers half;
    for (size_t i = 0; i + 1 < values.size(); i += 2) {
      Value keep = LLVM::SelectOp::create(b, upper, values[i + 1], values[i]);
      Value send = LLVM::SelectOp::create(b, upper, values[i], values[i + 1]);
      half.push_back(combine(kind, keep, shuffle(send, NVVM::ShflKind::bfly, distance)));
    }
    values = half;
  }
  return values[0];
}

LogicalResult Emitter::lower(tile::ReduceOp op) {
  SmallVector<Registers> partial;
  for (auto [value, result] : llvm::zip(op.getValues(), op.getResults())) {
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.getElementType().isF32() && !type.getElementType().isInteger(32))
      return op.emitOpError() << "is not lowered for elements of " << type.getElementType();
    const layout::RegLayout &layout = tile::layoutOf(type);
    Registers registers = get(value), &sums = partial.emplace_back();
    for (ArrayRef<int32_t> group : groups(layout, op.getDim(), result.getType())) {
      // Four running sums: a chain of dependent additions would wait for each other.
      Registers running;
      for (auto [i, r] : llvm::enumerate(group)) {
        if (i < 4)
          running.push_back(registers[r]);
        else
          running[i % 4] = combine(op.getKind(), running[i % 4], registers[r]);
      }
      Value sum = running[0];
      if (running.size() > 1)
        sum = combine(op.getKind(), sum, running[1]);
      if (running.size() > 2)
        sum = combine(op.getKind(), sum,
                      running.size() > 3 ? combine(op.getKind(), running[2], running[3]) : running[2]);
      sums.push_back(sum);
    }
  }
  bool across = op.getAcross() != tile::Across::Lane;
  if (!across || !folds(op)) {
    for (auto [value, sums] : llvm::zip(op.getValues(), partial))
      for (int32_t bit = 0; bit < 5; ++bit)
        if (tile::layoutOf(value.getType()).lane()[bit][op.getDim()] != 0)
          for (Value &sum : sums)
            sum = combine(op.getKind(), sum, shuffle(sum, NVVM::ShflKind::bfly, i32(1 << bit)));
  }
  if (across && failed(exchange(op, partial)))
    return failure();
  for (auto [result, registers] : llvm::zip(op.getResults(), partial))
    set(result, registers);
  return success();
}

//===----------------------------------------------------------------------===//
// Across warps and CTAs
//===----------------------------------------------------------------------===//

Value Emitter::loadVector(Value pointer, Type unit, int64_t count) {
  Type type = count == 1 ? unit : Type(VectorType::get(count, unit));
  return LLVM::LoadOp::create(b, type, pointer,
                              static_cast<unsigned>(count * unit.getIntOrFloatBitWidth() / 8));
}

/// Per operand: warps that hold parts of the same sums, ascending, of every warp; where its lanes' values
/// stand.
namespace {
struct Exchange {
  SmallVector<SmallVector<int64_t>> members; ///< [position][warp]
  uint32_t lanes = 0;                        ///< Bits of the lane that tell values apart.
  int64_t column = 0;
};
} // namespace

static Exchange planExchange(Type value, int64_t dim) {
  const layout::RegLayout &layout = tile::layoutOf(value);
  Exchange plan;
  auto dropped = [&](int32_t l, int32_t w) {
    layout::Coord at = layout.apply({0, l, w});
    at.erase(at.begin() + dim);
    return at;
  };
  for (int32_t bit = 0; bit < 5; ++bit)
    if (dropped(1 << bit, 0) != dropped(0, 0))
      plan.lanes |= 1u << bit;
  for (int32_t w = 0; w < layout.numWarps(); ++w) {
    // Warps that hold copies of one part count once.
    std::set<layout::Coord> parts;
    size_t position = 0;
    for (int32_t other = 0; other < layout.numWarps(); ++other) {
      if (dropped(0, other) != dropped(0, w) || !parts.insert(layout.apply({0, 0, other})).second)
        continue;
      if (position == plan.members.size())
        plan.members.emplace_back();
      plan.members[position++].push_back(other);
    }
  }
  return plan;
}

LogicalResult Emitter::exchange(tile::ReduceOp op, MutableArrayRef<Registers> partial) {
  if (!op.getScratch())
    return op.emitOpError() << "has no scratch";
  const layout::SharedLayout &scratch = op.getScratch().getType().getLayout().getLayout();
  int64_t columns = 0, ctas = op.getAcross() == tile::Across::Cluster ? kernel.getClusterSize() : 1;
  SmallVector<Exchange> plans;
  bool scalars = true;
  for (auto [value, sums] : llvm::zip(op.getValues(), partial)) {
    Exchange plan = planExchange(value.getType(), op.getDim());
    plan.column = columns;
    columns += sums.size() << llvm::popcount(plan.lanes);
    scalars &= plan.lanes == 0 && plan.members.size() == static_cast<size_t>(team.warps);
    plans.push_back(std::move(plan));
  }
  if (scratch.shape() !=
      layout::Coord{static_cast<int32_t>(ctas * team.warps), static_cast<int32_t>(columns)})
    return op.emitOpError() << "needs scratch of [" << ctas * team.warps << ", " << columns << "]";
  int64_t pitch = scratch.shape()[0] > 1 ? scratch.offset({1, 0}) : 0;
  for (int32_t row = 0; row < scratch.shape()[0]; ++row)
    for (int32_t column = 0; column < columns; ++column)
      if (scratch.offset({row, column}) != row * pitch + 4 * column)
        return op.emitOpError() << "needs row-major scratch";

  // Write: every warp its row, in the memory of every CTA of the cluster.
  int64_t vector = columns % 4 == 0 && pitch % 16 == 0 ? 4 : columns % 2 == 0 && pitch % 8 == 0 ? 2 : 1;
  Value base = one(op.getScratch()), row = team.warp;
  if (ctas > 1)
    row = add(mul(NVVM::ClusterId::create(b, b.getI32Type()), team.warps), row);
  Value mine = add(base, pitch ? mul(row, pitch) : i32(0));
  auto laneOffset = [&](const Exchange &plan) {
    ThreadTerm term{{}, SmallVector<int64_t>(team.warps, 0), /*bits=*/false};
    for (int bit = 0, place = 0; bit < 5; ++bit)
      term.lane.push_back(plan.lanes >> bit & 1 ? int64_t(4) << place++ : 0);
    return threadTerm(op, term);
  };
  auto store = [&](Value value, Value address, int64_t offset, int64_t count) {
    for (int64_t cta = 0; cta < ctas; ++cta) {
      Value pointer = sharedPointer(address, offset);
      if (ctas > 1)
        pointer = NVVM::MapaOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), 7), pointer, i32(cta));
      LLVM::StoreOp::create(b, value, pointer, static_cast<unsigned>(4 * count));
    }
  };
  Value first = once({-5}, [&] { return compare(LLVM::ICmpPredicate::eq, lane, 0); });
  if (folds(op)) {
    // Groups of 16, 8, 4, 2 and 1 values; lane l of a group writes value l.
    for (int64_t from = 0; from < columns;) {
      int64_t size = std::min<int64_t>(16, llvm::bit_floor(static_cast<uint64_t>(columns - from)));
      Registers group;
      for (int64_t i = 0; i < size; ++i)
        group.push_back(partial[from + i][0]);
      Value sum = fold(op.getKind(), group);
      when(compare(LLVM::ICmpPredicate::ult, lane, size),
           [&] { store(sum, add(mine, shl(lane, 2)), 4 * from, 1); });
      from += size;
    }
  } else if (scalars) {
    when(first, [&] {
      Registers all;
      for (const Registers &sums : partial)
        llvm::append_range(all, sums);
      for (int64_t column = 0; column < columns; column += vector) {
        Value value = all[column];
        if (vector > 1) {
          value = LLVM::UndefOp::create(b, VectorType::get(vector, value.getType()));
          for (int64_t i = 0; i < vector; ++i)
            value = LLVM::InsertElementOp::create(b, value, bitcast(all[column + i], all[column].getType()),
                                                  i32(i));
        }
        store(value, mine, 4 * column, vector);
      }
    });
  } else {
    for (auto [plan, sums] : llvm::zip(plans, partial)) {
      Value offset = laneOffset(plan);
      if (!offset)
        return failure();
      uint32_t copies = 31 & ~plan.lanes;
      Value writes = copies ? compare(LLVM::ICmpPredicate::eq, land(lane, copies), 0) : Value();
      when(writes, [&] {
        for (auto [i, sum] : llvm::enumerate(sums))
          store(sum, add(mine, offset), 4 * (plan.column + (i << llvm::popcount(plan.lanes))), 1);
      });
    }
  }
  if (ctas > 1)
    clusterBarrier(/*aligned=*/false);
  else if (failed(teamSync(op)))
    return failure();

  // Read: warps ascending, then CTAs ascending.
  auto total = [&](function_ref<Value(int64_t row)> load, int64_t count) {
    Value sum;
    for (int64_t cta = 0; cta < ctas; ++cta) {
      Value ofCta;
      for (int64_t w = 0; w < count; ++w) {
        Value next = load(cta * team.warps + w);
        ofCta = ofCta ? combine(op.getKind(), ofCta, next) : next;
      }
      sum = sum ? combine(op.getKind(), sum, ofCta) : ofCta;
    }
    return sum;
  };
  bool oneType = llvm::all_of(
      partial, [&](const Registers &sums) { return sums[0].getType() == partial[0][0].getType(); });
  Type unit = partial[0][0].getType();
  int64_t rows = ctas * team.warps;
  if (scalars && oneType && columns > 4 && rows * (columns / vector) > rows + columns) {
    // Each lane adds up one column and gives it to all.
    Registers all;
    for (int64_t from = 0; from < columns; from += 32) {
      Value column = LLVM::UMinOp::create(b, add(lane, from), i32(columns - 1));
      Value address = add(base, shl(column, 2));
      Value pointer = sharedPointer(address);
      Value sum = total([&](int64_t row) { return loadVector(offsetPointer(pointer, row * pitch), unit, 1); },
                        team.warps);
      for (int64_t i = from; i < std::min(columns, from + 32); ++i)
        all.push_back(shuffle(sum, NVVM::ShflKind::idx, i32(i - from)));
    }
    for (auto [i, sums] : llvm::enumerate(partial))
      sums = {all[i]};
    return success();
  }
  if (scalars && oneType && vector > 1) {
    Value pointer = sharedPointer(base);
    std::map<std::pair<int64_t, int64_t>, Value> loaded;
    for (auto [i, sums] : llvm::enumerate(partial)) {
      sums = {total(
          [&, i = static_cast<int64_t>(i)](int64_t row) -> Value {
            Value &vectorOf = loaded[{row, i / vector}];
            if (!vectorOf)
              vectorOf =
                  loadVector(offsetPointer(pointer, row * pitch + i / vector * vector * 4), unit, vector);
            return LLVM::ExtractElementOp::create(b, vectorOf, i32(i % vector));
          },
          team.warps)};
    }
    return success();
  }
  for (auto [plan, sums] : llvm::zip(plans, partial)) {
    Value offset = laneOffset(plan);
    if (!offset)
      return failure();
    for (auto [i, sum] : llvm::enumerate(sums)) {
      int64_t column = plan.column + (static_cast<int64_t>(i) << llvm::popcount(plan.lanes));
      Type type = sum.getType();
      bool ok = true;
      sum = total(
          [&](int64_t row) -> Value {
            // Which warp is at this position differs where warps hold sums of their own.
            ArrayRef<int64_t> members = plan.members[row % team.warps];
            ThreadTerm term{SmallVector<int64_t, 5>(5, 0), {}, /*bits=*/false};
            for (int64_t member : members)
              term.warp.push_back((member - members[0]) * pitch);
            Value ofWarp = threadTerm(op, term);
            ok &= ofWarp != nullptr;
            if (!ofWarp)
              return sum;
            int64_t constant = (row / team.warps * team.warps + members[0]) * pitch + 4 * column;
            return loadVector(sharedPointer(add(add(base, offset), ofWarp), constant), type, 1);
          },
          plan.members.size());
      if (!ok)
        return failure();
    }
  }
  return success();
}
