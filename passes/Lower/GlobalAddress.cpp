//===- GlobalAddress.cpp - Addresses of the registers of a tile in a view ------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Lower/GlobalAddress.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace k3;
using namespace k3::lower;

Value Emitter::element(Operation *op, Value view, ValueRange coords) {
  auto type = cast<tile::ViewType>(view.getType());
  Registers registers = get(view);
  Value offset = i64(0);
  for (auto [coord, stride] : llvm::zip(coords, type.getAllStrides())) {
    Value at = toI64(one(coord));
    if (!ShapedType::isDynamic(stride)) {
      offset = add(offset, mul(at, stride));
      continue;
    }
    if (!registers[1]) {
      op->emitOpError() << "uses a view whose stride nothing gives; tile.strided does";
      return {};
    }
    offset = add(offset, Value(LLVM::MulOp::create(b, at, registers[1])));
  }
  return bytesBehind(registers[0], mul(offset, type.getElementBytes()));
}

LogicalResult GlobalAddress::addThread(Operation *op, Value start, size_t first) {
  size_t warps = coords.thread[0].warp.size();
  ThreadTerm known{SmallVector<int64_t, 5>(5, 0), SmallVector<int64_t>(warps, 0), /*bits=*/false};
  for (size_t d = first; d < strides.size(); ++d) {
    if (ShapedType::isDynamic(strides[d]))
      continue;
    int64_t bytes = strides[d] * elementBytes;
    for (int i = 0; i < 5; ++i)
      known.lane[i] += coords.thread[d].lane[i] * bytes;
    for (size_t w = 0; w < warps; ++w)
      known.warp[w] += coords.thread[d].warp[w] * bytes;
  }
  Value thread = e.threadTerm(op, known);
  if (!thread)
    return failure();
  base = e.bytesBehind(start, thread);
  return success();
}

FailureOr<GlobalAddress> GlobalAddress::make(Emitter &e, Operation *op, Value view, ValueRange places,
                                             ValueRange limits, const layout::RegLayout &layout) {
  FailureOr<Coordinates> coords = coordinates(op, layout);
  if (failed(coords))
    return failure();
  GlobalAddress address(e, std::move(*coords));
  auto type = cast<tile::ViewType>(view.getType());
  int64_t leading = type.getRank() - layout.rank();
  address.elementBytes = type.getElementBytes();
  for (int64_t stride : ArrayRef(type.getAllStrides()).drop_front(leading))
    address.strides.push_back(stride);
  Value start = e.element(op, view, places);
  if (!start || failed(address.addThread(op, start, 0)))
    return failure();
  for (int64_t d = 0; d < layout.rank(); ++d) {
    Value thread = e.threadTerm(op, address.coords.thread[d]);
    if (!thread)
      return failure();
    if (ShapedType::isDynamic(address.strides[d])) {
      address.stride = e.mul(e.get(view)[1], address.elementBytes);
      address.row = e.toI64(thread);
    }
    if (!limits.empty()) {
      Value left = LLVM::SubOp::create(e.b, e.one(limits[d]), e.one(places[leading + d]));
      address.remaining.push_back(LLVM::SubOp::create(e.b, left, thread));
    }
  }
  address.chooseVector(layout, places.back(), limits.empty() ? Value() : limits.back());
  return address;
}

FailureOr<GlobalAddress> GlobalAddress::gather(Emitter &e, Operation *op, Value view, ValueRange rows,
                                               const layout::RegLayout &rowLayout, Value column,
                                               const layout::RegLayout &layout) {
  FailureOr<Coordinates> coords = coordinates(op, layout);
  if (failed(coords))
    return failure();
  GlobalAddress address(e, std::move(*coords));
  auto type = cast<tile::ViewType>(view.getType());
  address.elementBytes = type.getElementBytes();
  address.strides = type.getAllStrides();
  Registers registers = e.get(view);
  bool dynamic = ShapedType::isDynamic(address.strides[0]);
  if (dynamic && !registers[1])
    return op->emitOpError() << "uses a view whose stride nothing gives; tile.strided does";
  address.stride =
      dynamic ? e.mul(registers[1], address.elementBytes) : e.i64(address.strides[0] * address.elementBytes);
  address.chooseVector(layout, column, Value());
  address.strides[0] = ShapedType::kDynamic;
  Value start = e.bytesBehind(registers[0], e.mul(e.toI64(e.one(column)), address.elementBytes));
  if (failed(address.addThread(op, start, 1)))
    return failure();
  std::map<int32_t, Value> held;
  for (int32_t r = 0; r < rowLayout.numRegs(); ++r)
    held[rowLayout.apply({r, 0, 0})[0]] = rows[r];
  for (int64_t row : address.coords.reg[0])
    address.rows[row] = held.at(row);
  return address;
}

void GlobalAddress::chooseVector(const layout::RegLayout &layout, Value place, Value limit) {
  int64_t last = layout.rank() - 1;
  auto allowed = [&](int64_t width) {
    if (width * elementBytes > 16 || layout.numRegs() % width != 0)
      return false;
    // Neighbours in registers are neighbours in memory, and every vector begins at a multiple of its width.
    for (int32_t r = 0; r < layout.numRegs(); ++r)
      for (int64_t d = 0; d <= last; ++d) {
        int64_t first = coords.reg[d][r / width * width];
        if (coords.reg[d][r] != first + (d == last ? r % width : 0) || (d == last && first % width != 0))
          return false;
      }
    auto even = [&](int64_t value) { return value % width == 0; };
    if (!llvm::all_of(coords.thread[last].lane, even) || !llvm::all_of(coords.thread[last].warp, even))
      return false;
    for (int64_t stride : ArrayRef(strides).drop_back())
      if (!ShapedType::isDynamic(stride) && stride % width != 0)
        return false;
    // A place that is not known is a multiple of the vector (a precondition of the pass).
    APInt constant;
    return !matchPattern(place, m_ConstantInt(&constant)) || Emitter::multipleOf(place) >= width;
  };
  while (allowed(2 * vector))
    vector *= 2;
  whole = !limit || (Emitter::multipleOf(limit) >= vector && Emitter::multipleOf(place) >= vector);
}

Value GlobalAddress::pointer(int64_t reg) {
  int64_t offset = 0, ownRow = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    if (ShapedType::isDynamic(strides[d]))
      ownRow = coords.reg[d][reg];
    else
      offset += coords.reg[d][reg] * strides[d] * elementBytes;
  }
  Value &made = pointers[ownRow];
  if (!made) {
    made = base;
    if (stride) {
      Value at = rows.empty() ? e.add(row, ownRow) : e.toI64(rows.at(ownRow));
      made = e.bytesBehind(base, LLVM::MulOp::create(e.b, at, stride));
    }
  }
  return e.offsetPointer(made, offset);
}

Value GlobalAddress::inside(int64_t reg, int64_t count) {
  Value condition;
  auto require = [&](int64_t d, int64_t coord, Value number, LLVM::ICmpPredicate predicate, int64_t bound) {
    Value &known = conditions[{d, coord}];
    if (!known)
      known = e.compare(predicate, number, bound);
    condition = e.both(condition, known);
  };
  if (!rows.empty()) {
    int64_t ownRow = coords.reg[0][reg];
    require(0, ownRow, rows.at(ownRow), LLVM::ICmpPredicate::sge, 0);
  }
  for (auto [d, number] : llvm::enumerate(remaining)) {
    int64_t last = coords.reg[d][reg] + (d + 1 == remaining.size() ? count - 1 : 0);
    require(d, last, number, LLVM::ICmpPredicate::sgt, last);
  }
  return condition;
}

Value GlobalAddress::left(int64_t d, int64_t reg) { return e.add(remaining[d], -coords.reg[d][reg]); }
