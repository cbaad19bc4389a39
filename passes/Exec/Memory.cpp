//===- Memory.cpp - Which bytes a view means ----------------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Exec/Memory.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace k3::exec;

SymbolRanges k3::exec::rangesOf(ProgramOp program, MembersOp members) {
  SymbolRanges ranges;
  for (unsigned i = 0; i < launchSymbolCount; ++i)
    ranges[i] = program.getLimit(static_cast<LaunchSymbol>(i));
  if (members) {
    int64_t count = members.getCount(), slots = members.getSlots();
    ranges[static_cast<unsigned>(LaunchSymbol::Member)] = std::pair<int64_t, int64_t>(0, count - 1);
    ranges[static_cast<unsigned>(LaunchSymbol::Slot)] =
        std::pair<int64_t, int64_t>(0, std::min(slots, count) - 1);
  }
  return ranges;
}

SymbolAssignment k3::exec::upperEnds(const SymbolRanges &ranges) {
  SymbolAssignment values;
  for (unsigned i = 0; i < launchSymbolCount; ++i)
    if (ranges[i])
      values[i] = ranges[i]->second;
  return values;
}

using Interval = std::optional<std::pair<int64_t, int64_t>>;

static Interval multiply(std::pair<int64_t, int64_t> a, std::pair<int64_t, int64_t> b) {
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (int64_t x : {a.first, a.second}) {
    for (int64_t y : {b.first, b.second}) {
      int64_t product = 0;
      if (__builtin_mul_overflow(x, y, &product))
        return std::nullopt;
      low = std::min(low, product);
      high = std::max(high, product);
    }
  }
  return std::pair(low, high);
}

Interval k3::exec::bounds(AffineExpr expression, const SymbolRanges &ranges) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return std::pair(constant.getValue(), constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return ranges[symbol.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return std::nullopt;
  Interval left = bounds(binary.getLHS(), ranges), right = bounds(binary.getRHS(), ranges);
  if (!left || !right)
    return std::nullopt;
  std::pair<int64_t, int64_t> sum;
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    if (__builtin_add_overflow(left->first, right->first, &sum.first) ||
        __builtin_add_overflow(left->second, right->second, &sum.second))
      return std::nullopt;
    return sum;
  case AffineExprKind::Mul:
    return multiply(*left, *right);
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv: {
    if (right->first != right->second || right->first < 1)
      return std::nullopt;
    bool up = expression.getKind() == AffineExprKind::CeilDiv;
    auto divide = [&](int64_t value) {
      return up ? llvm::divideCeilSigned(value, right->first) : llvm::divideFloorSigned(value, right->first);
    };
    return std::pair(divide(left->first), divide(left->second));
  }
  case AffineExprKind::Mod:
    if (right->first != right->second || right->first < 1)
      return std::nullopt;
    return std::pair<int64_t, int64_t>(0, right->first - 1);
  default:
    return std::nullopt;
  }
}

AffineExpr MemoryRef::size() const { return (rows - 1) * rowStride + rowBytes; }

/// The identity of the memory that a root op names.
static const void *identityOf(Operation *op) {
  auto named = [&](StringRef space, StringRef name) {
    return StringAttr::get(op->getContext(), (space + "/" + name).str()).getAsOpaquePointer();
  };
  return TypeSwitch<Operation *, const void *>(op)
      .Case([&](BufferOp buffer) { return named(stringifySpace(buffer.getSpace()), buffer.getName()); })
      .Case([&](IoOp io) { return named("io", io.getName()); })
      .Case([&](PackedOp packed) { return named("packed", packed.getSymbol()); })
      .Case([&](StateOp state) { return named("state", state.getSymbol()); })
      .Default([](Operation *other) { return static_cast<const void *>(other); });
}

/// Bytes of an array with these extents, all constant.
static int64_t denseBytes(ArrayRef<AffineExpr> extents, int64_t element) {
  for (AffineExpr extent : extents)
    element *= cast<AffineConstantExpr>(extent).getValue();
  return element;
}

MemoryRef k3::exec::resolve(Value view) {
  Operation *op = view.getDefiningOp();
  ArrayRef<AffineExpr> dims = getViewDims(view).getResults();
  int64_t element = cast<ViewType>(view.getType()).getElementBytes();
  MemoryRef memory;
  memory.begin = getAffineConstantExpr(0, view.getContext());
  memory.rows = dims.empty() ? memory.begin + 1 : dims[0];
  memory.rowBytes = denseBytes(dims.drop_front(dims.empty() ? 0 : 1), element);
  memory.rowStride = dims.size() > 1 ? *getRowStride(view) * element : element;
  while (auto viewOp = dyn_cast<ViewOp>(op)) {
    memory.begin =
        memory.begin + viewOp.getOffset().getResult(0) * viewOp.getView().getType().getElementBytes();
    op = viewOp.getSource().getDefiningOp();
  }
  if (auto packed = dyn_cast<PackedOp>(op); packed && packed.getMember()) {
    int64_t bytes = denseBytes(packed.getDims().getResults(), packed.getView().getType().getElementBytes());
    memory.begin = memory.begin + packed.getMember()->getResult(0) * bytes;
  }
  memory.begin = simplifyAffineExpr(memory.begin, 0, launchSymbolCount);
  memory.root = identityOf(op);
  memory.rootOp = op;
  return memory;
}

bool k3::exec::dependsOnMember(const MemoryRef &memory) {
  return memory.begin.isFunctionOfSymbol(static_cast<unsigned>(LaunchSymbol::Member)) ||
         memory.begin.isFunctionOfSymbol(static_cast<unsigned>(LaunchSymbol::Slot));
}

bool k3::exec::mayOverlap(const MemoryRef &a, const MemoryRef &b, const SymbolRanges &ranges,
                          bool sameMember) {
  if (a.root != b.root)
    return false;
  Interval aSize = bounds(a.size(), ranges), bSize = bounds(b.size(), ranges);
  AffineExpr difference = simplifyAffineExpr(b.begin - a.begin, 0, launchSymbolCount);
  auto distance = dyn_cast<AffineConstantExpr>(difference);
  if (!distance || (!sameMember && (dependsOnMember(a) || dependsOnMember(b)))) {
    Interval aBegin = bounds(a.begin, ranges), bBegin = bounds(b.begin, ranges);
    if (!aSize || !bSize || !aBegin || !bBegin)
      return true;
    return aBegin->first < bBegin->second + bSize->second && bBegin->first < aBegin->second + aSize->second;
  }
  int64_t d = distance.getValue();
  if ((aSize && d >= aSize->second) || (bSize && -d >= bSize->second))
    return false;
  if (a.rowStride != b.rowStride || a.rowStride == 0)
    return true;
  // Columns of one matrix: b's segment of each row lies behind a's and ends before the next row of a.
  int64_t column = ((d % a.rowStride) + a.rowStride) % a.rowStride;
  return !(column >= a.rowBytes && column + b.rowBytes <= a.rowStride);
}

SmallVector<EntryAccess> k3::exec::accessesOf(EntryOpInterface entry) {
  SmallVector<EntryAccess> accesses;
  for (const ViewAccess &access : entry.getViewAccesses())
    accesses.push_back({resolve(access.view), access.read, access.write});
  return accesses;
}

std::string k3::exec::memoryName(const MemoryRef &memory) {
  return TypeSwitch<Operation *, std::string>(memory.rootOp)
      .Case<TensorOp, BufferOp, IoOp>([](auto op) { return op.getName().str(); })
      .Case<PackedOp, StateOp>([](auto op) { return op.getSymbol().str(); })
      .Default([](Operation *) { return std::string("?"); });
}
