//===- Address.cpp - What lane and warp contribute to numbers and addresses ----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Lower/Emitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace k3;
using namespace k3::lower;

Value Emitter::once(std::vector<int64_t> key, llvm::function_ref<Value()> make) {
  auto found = terms.find({team.setup, key});
  if (found != terms.end())
    return found->second;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(team.setup->getTerminator());
  Value made = make();
  terms[{team.setup, std::move(key)}] = made;
  return made;
}

//===----------------------------------------------------------------------===//
// Linear functions of the bits of a lane or a warp
//===----------------------------------------------------------------------===//

static int64_t evaluate(ArrayRef<int64_t> perBit, int64_t index, bool bits) {
  int64_t sum = 0;
  for (size_t i = 0; i < perBit.size(); ++i)
    if (index >> i & 1)
      sum = bits ? sum ^ perBit[i] : sum + perBit[i];
  return sum;
}

/// Sum (or XOR) of perBit[i] over the bits i of `source`.
static Value linear(Value source, ArrayRef<int64_t> perBit, bool bits,
                    function_ref<Value(Value, int64_t)> mask, function_ref<Value(Value, int64_t)> shift,
                    function_ref<Value(Value, int64_t)> times, function_ref<Value(Value, Value)> join) {
  Value sum;
  auto take = [&](Value part) { sum = sum ? join(sum, part) : part; };
  std::map<int64_t, int64_t> shifts; // Distance -> bits of the source that move by it.
  for (size_t i = 0; i < perBit.size();) {
    // A run of doubling values is a product; a power of two, or an XOR, is made of shifts.
    size_t end = i + 1;
    while (perBit[i] != 0 && end < perBit.size() && perBit[end] == perBit[i] << (end - i))
      ++end;
    if (!bits && perBit[i] != 0 && !layout::isPowerOfTwo(perBit[i])) {
      Value run = mask(source, ((int64_t(1) << end) - 1) & ~((int64_t(1) << i) - 1));
      take(times(shift(run, -static_cast<int64_t>(i)), perBit[i]));
    } else {
      for (size_t j = i; j < end; ++j)
        for (int64_t p = 0; p < 32; ++p)
          if (perBit[j] >> p & 1)
            shifts[p - static_cast<int64_t>(j)] |= int64_t(1) << j;
    }
    i = end;
  }
  for (auto [distance, which] : shifts)
    take(shift(mask(source, which), distance));
  return sum;
}

Value Emitter::threadTerm(Operation *op, const ThreadTerm &term) {
  if (static_cast<int64_t>(term.warp.size()) != team.warps) {
    op->emitOpError() << "has a layout of " << term.warp.size() << " warps in a team of " << team.warps;
    return {};
  }
  // Warps: bits of the low part, a multiple of the rest.
  int64_t count = term.warp.size(), low = 1;
  SmallVector<int64_t> lowBits;
  auto rest = [&] { return low < count ? term.warp[low] : 0; };
  auto fits = [&] {
    for (int64_t w = 0; w < count; ++w)
      if (term.warp[w] != evaluate(lowBits, w & (low - 1), term.bits) + w / low * rest())
        return false;
    return true;
  };
  while (!fits() && low < count) {
    lowBits.push_back(term.warp[low]);
    low *= 2;
  }
  if (!fits()) {
    op->emitOpError() << "is not lowered: the addresses of its warps follow no rule";
    return {};
  }
  std::vector<int64_t> key{term.bits};
  key.insert(key.end(), term.lane.begin(), term.lane.end());
  key.insert(key.end(), term.warp.begin(), term.warp.end());
  return once(std::move(key), [&] {
    auto part = [&](Value source, ArrayRef<int64_t> perBit) {
      return linear(
          source, perBit, term.bits, [&](Value x, int64_t m) { return land(x, m); },
          [&](Value x, int64_t s) { return shl(x, s); }, [&](Value x, int64_t f) { return mul(x, f); },
          [&](Value x, Value y) { return term.bits ? lxor(x, y) : add(x, y); });
    };
    Value ofLane = part(lane, term.lane), ofWarp;
    if (low > 1)
      ofWarp = part(team.warp, lowBits);
    if (rest()) {
      Value high = mul(shr(team.warp, layout::log2Exact(low)), rest());
      ofWarp = ofWarp ? add(ofWarp, high) : high;
    }
    if (!ofLane || !ofWarp)
      return ofLane ? ofLane : ofWarp ? ofWarp : i32(0);
    return term.bits ? lxor(ofLane, ofWarp) : add(ofLane, ofWarp);
  });
}

FailureOr<Coordinates> k3::lower::coordinates(Operation *op, const layout::RegLayout &layout) {
  Coordinates result;
  for (int32_t d = 0; d < layout.rank(); ++d) {
    auto at = [&](int32_t r, int32_t l, int32_t w) -> int64_t { return layout.apply({r, l, w})[d]; };
    ThreadTerm &thread = result.thread.emplace_back(ThreadTerm{{}, {}, /*bits=*/false});
    SmallVector<int64_t> &regs = result.reg.emplace_back();
    for (int32_t i = 0; i < 5; ++i)
      thread.lane.push_back(at(0, 1 << i, 0));
    for (int32_t w = 0; w < layout.numWarps(); ++w)
      thread.warp.push_back(at(0, 0, w));
    for (int32_t r = 0; r < layout.numRegs(); ++r)
      regs.push_back(at(r, 0, 0));
    for (int32_t w = 0; w < layout.numWarps(); ++w)
      for (int32_t l = 0; l < layout::numLanes; ++l)
        for (int32_t r = 0; r < layout.numRegs(); ++r)
          if (at(r, l, w) != regs[r] + evaluate(thread.lane, l, false) + thread.warp[w])
            return op->emitOpError()
                   << "is not lowered: coordinates of the layout are not sums over register, lane and warp";
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Sets and tables of lanes
//===----------------------------------------------------------------------===//

Value Emitter::laneIn(uint32_t lanes) {
  if (lanes == ~0u)
    return {};
  return once({-1, lanes}, [&] {
    return compare(LLVM::ICmpPredicate::ne, land(LLVM::LShrOp::create(b, i32(lanes), lane), 1), 0);
  });
}

Value Emitter::laneTable(ArrayRef<int32_t> table) {
  std::vector<int64_t> key{-2};
  key.insert(key.end(), table.begin(), table.end());
  return once(std::move(key), [&]() -> Value {
    Value sum;
    for (int bit = 0; bit < 31; ++bit) {
      uint32_t set = 0;
      for (size_t l = 0; l < table.size(); ++l)
        set |= static_cast<uint32_t>(table[l] >> bit & 1) << l;
      if (set == 0)
        continue;
      Value part =
          set == ~0u ? i32(int64_t(1) << bit) : shl(land(LLVM::LShrOp::create(b, i32(set), lane), 1), bit);
      sum = sum ? add(sum, part) : part;
    }
    return sum ? sum : i32(0);
  });
}

Value Emitter::owns(const layout::RegLayout &layout) {
  Value condition;
  if (uint32_t copies = layout.replicatedLanes())
    condition = once({-3, copies}, [&] { return compare(LLVM::ICmpPredicate::eq, land(lane, copies), 0); });
  uint32_t owners = 0;
  for (int32_t w = 0; w < layout.numWarps(); ++w)
    if (layout.locate(layout.apply({0, 0, w})).warp == w)
      owners |= 1u << w;
  if (llvm::popcount(owners) == layout.numWarps())
    return condition;
  return both(condition, once({-4, owners}, [&] {
                return compare(LLVM::ICmpPredicate::ne,
                               land(LLVM::LShrOp::create(b, i32(owners), team.warp), 1), 0);
              }));
}

//===----------------------------------------------------------------------===//
// What is known of a number
//===----------------------------------------------------------------------===//

static constexpr int64_t anyMultiple = int64_t(1) << 20; // Of zero.

static int64_t powerIn(int64_t value) {
  return value == 0 ? anyMultiple : std::min(anyMultiple, value & -value);
}

int64_t Emitter::multipleOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return powerIn(constant.getSExtValue());
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto loop = dyn_cast<scf::ForOp>(value.getParentBlock()->getParentOp());
    if (loop && value == loop.getInductionVar())
      return std::min(multipleOf(loop.getLowerBound()), multipleOf(loop.getStep()));
    return isa<tile::SharedType>(value.getType()) ? 16 : 1;
  }
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](arith::AddIOp op) { return std::min(multipleOf(op.getLhs()), multipleOf(op.getRhs())); })
      .Case([](arith::SubIOp op) { return std::min(multipleOf(op.getLhs()), multipleOf(op.getRhs())); })
      .Case([](arith::MulIOp op) {
        return std::min(anyMultiple, multipleOf(op.getLhs()) * multipleOf(op.getRhs()));
      })
      .Case([](arith::SelectOp op) {
        return std::min(multipleOf(op.getTrueValue()), multipleOf(op.getFalseValue()));
      })
      .Case<arith::MinSIOp, arith::MaxSIOp>(
          [](auto op) { return std::min(multipleOf(op.getLhs()), multipleOf(op.getRhs())); })
      .Case([](tile::AllocOp op) { return powerIn(op.getOffset().value_or(1)); })
      .Case([](tile::SlotOp op) {
        return std::min(multipleOf(op.getBuffer()), powerIn(op.getBuffer().getType().getStageStride()));
      })
      .Case([](tile::PartOp op) { return std::min(multipleOf(op.getSource()), powerIn(op.getStride())); })
      .Case([](tile::AliasOp op) { return std::min(multipleOf(op.getSource()), powerIn(op.getOffset())); })
      .Case([](tile::PeerOp op) { return multipleOf(op.getSource()); })
      .Default([](Operation *) { return int64_t(1); });
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

FailureOr<SharedAddress> SharedAddress::make(Emitter &e, Operation *op, Value shared,
                                             const layout::AddressMap &map) {
  SharedAddress address(e, map);
  ThreadTerm bits{{}, {}, true}, sums{{}, {}, false};
  for (const layout::AddressTerm &term : map.lane) {
    bits.lane.push_back(term.bits);
    sums.lane.push_back(term.add);
    address.threadMask |= term.bits;
  }
  bool adds = llvm::any_of(map.warp, [](const layout::AddressTerm &term) { return term.add != 0; }) ||
              llvm::any_of(map.lane, [](const layout::AddressTerm &term) { return term.add != 0; });
  for (const layout::AddressTerm &term : map.warp) {
    bits.warp.push_back(term.bits);
    sums.warp.push_back(term.add);
    address.threadMask |= term.bits;
  }
  address.thread = e.threadTerm(op, bits);
  Value sum = e.threadTerm(op, sums);
  if (!address.thread || !sum)
    return failure();
  int64_t mixed = 0;
  for (const layout::AddressTerm &term : map.reg)
    mixed |= (term.bits ^ map.base.bits) & address.threadMask;
  address.swizzleInPlace = !adds && mixed < Emitter::multipleOf(shared);
  address.base = e.add(e.one(shared), sum);
  if (address.swizzleInPlace)
    address.base = e.add(address.base, address.thread);
  address.peer = Emitter::isPeer(shared);
  return address;
}

Value SharedAddress::pointer(int64_t reg) {
  int64_t bits = map.reg[reg].bits ^ map.base.bits, mixed = bits & threadMask;
  Value &made = pointers[mixed];
  if (!made) {
    Value address = swizzleInPlace ? e.lxor(base, mixed) : e.add(base, e.lxor(thread, mixed));
    made = peer ? e.clusterPointer(address) : e.sharedPointer(address);
  }
  return e.offsetPointer(made, (bits & ~threadMask) + map.base.add + map.reg[reg].add);
}
