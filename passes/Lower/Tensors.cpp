//===- Tensors.cpp - Register tiles: making them, other names for registers ----------===//
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

LogicalResult Emitter::lower(tile::SplatOp op) {
  set(op.getResult(), Registers(types(op.getResult().getType()).size(), one(op.getValue())));
  return success();
}

LogicalResult Emitter::lower(tile::IotaOp op) {
  FailureOr<Coordinates> coords = coordinates(op, tile::layoutOf(op.getResult().getType()));
  Value thread = failed(coords) ? Value() : threadTerm(op, coords->thread[op.getDim()]);
  if (!thread)
    return failure();
  Registers results;
  for (int64_t constant : coords->reg[op.getDim()])
    results.push_back(add(thread, constant));
  set(op.getResult(), results);
  return success();
}

/// For every register of `result` the register of `source` that holds the element at `place` of its
/// coordinates, in the same lane and warp.
template <typename At>
static std::vector<int32_t> pick(const layout::RegLayout &result, const layout::RegLayout &source, At at) {
  std::map<layout::Coord, int32_t> held;
  for (int32_t r = 0; r < source.numRegs(); ++r)
    held[source.apply({r, 0, 0})] = r;
  std::vector<int32_t> regs;
  for (int32_t r = 0; r < result.numRegs(); ++r)
    regs.push_back(held.at(at(result.apply({r, 0, 0}))));
  return regs;
}

LogicalResult Emitter::lower(tile::ExpandOp op) {
  RankedTensorType type = op.getResult().getType(), source = op.getSource().getType();
  std::vector<int32_t> regs = pick(tile::layoutOf(type), tile::layoutOf(source), [&](layout::Coord coord) {
    coord.erase(coord.begin() + op.getDim());
    return coord;
  });
  set(op.getResult(), permute(get(op.getSource()), type.getElementType(), regs));
  return success();
}

LogicalResult Emitter::lower(tile::SliceOp op) {
  RankedTensorType type = op.getResult().getType(), source = op.getSource().getType();
  auto slice =
      layout::slice(tile::layoutOf(source), op.getDim(), op.getOffset(), type.getDimSize(op.getDim()));
  if (!slice)
    return op.emitOpError() << slice.status().text();
  // The result's registers in the order of its own layout.
  auto order = layout::relabel(slice->layout, tile::layoutOf(type));
  if (!order)
    return op.emitOpError() << "has a result in another layout than the slice";
  std::vector<int32_t> regs;
  for (int32_t r : *order)
    regs.push_back(slice->regs[r]);
  set(op.getResult(), permute(get(op.getSource()), type.getElementType(), regs));
  return success();
}

LogicalResult Emitter::lower(tile::ConcatOp op) {
  RankedTensorType type = op.getResult().getType();
  auto part = cast<RankedTensorType>(op.getSources().front().getType());
  auto whole = layout::concat(tile::layoutOf(part), op.getDim(), op.getSources().size());
  if (!whole)
    return op.emitOpError() << whole.status().text();
  auto order = layout::relabel(*whole, tile::layoutOf(type));
  if (!order)
    return op.emitOpError() << "has a result in another layout than its parts side by side";
  // Parts with an odd number of packed elements do not end at a register: element by element.
  Type element = type.getElementType();
  int64_t count = tile::layoutOf(part).numRegs();
  Registers all;
  if (count % perRegister(element) == 0) {
    all = permute(get(op.getSources()), element, *order);
  } else {
    Registers elements, ordered;
    for (Value source : op.getSources())
      llvm::append_range(elements, unpack(get(source), element, count));
    for (int32_t r : *order)
      ordered.push_back(elements[r]);
    all = pack(ordered, element);
  }
  set(op.getResult(), all);
  return success();
}

LogicalResult Emitter::lower(tile::TransOp op) {
  RankedTensorType type = op.getResult().getType();
  auto turned = layout::transposed(tile::layoutOf(op.getSource().getType()), std::vector<int32_t>{1, 0});
  if (!turned)
    return op.emitOpError() << turned.status().text();
  auto order = layout::relabel(*turned, tile::layoutOf(type));
  if (!order)
    return op.emitOpError() << "has a result in another layout than the transpose";
  set(op.getResult(), permute(get(op.getSource()), type.getElementType(), *order));
  return success();
}

LogicalResult Emitter::lower(tile::BitcastOp op) {
  Registers results;
  for (auto [value, type] : llvm::zip(get(op.getSource()), types(op.getResult().getType())))
    results.push_back(bitcast(value, type));
  set(op.getResult(), results);
  return success();
}
