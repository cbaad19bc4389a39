//===- Packing.cpp - Makes packed weights over checkpoint weights ---------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Graph/Packing.h"

#include "dialects/K3/K3Utils.h"

using namespace mlir;

namespace k3 {

Packer::Packer(ModuleOp module) : module(module), symbols(module) {}

std::string Packer::prefixOf(FlatSymbolRefAttr weight) {
  StringRef name = weight.getValue();
  size_t dot = name.rfind('.');
  return dot == StringRef::npos ? std::string() : name.take_front(dot + 1).str();
}

static Type withElement(Type type, Type element) {
  if (isa<MxType>(type))
    return type;
  return cast<RankedTensorType>(type).clone(element);
}

SmallVector<int64_t> Packer::shapeOf(FlatSymbolRefAttr symbol) const {
  Operation *op = symbols.lookup(symbol.getValue());
  if (auto packed = dyn_cast<PackedOp>(op))
    return SmallVector<int64_t>(getLogicalShape(packed.getType()));
  return SmallVector<int64_t>(getLogicalShape(getUsedType(cast<WeightOp>(op))));
}

PackedOp Packer::create(StringRef name, std::optional<uint64_t> members, Type type, Location loc) {
  OpBuilder builder(module.getContext());
  IntegerAttr count = members ? builder.getI64IntegerAttr(*members) : IntegerAttr();
  auto packed = PackedOp::create(builder, loc, builder.getStringAttr(name), count, TypeAttr::get(type), ShardAttr());
  packed.getBody().emplaceBlock();
  // Behind the last symbol, before the functions: declarations first.
  Block::iterator where = module.getBody()->end();
  for (Operation &op : *module.getBody())
    if (isa<func::FuncOp>(op)) {
      where = op.getIterator();
      break;
    }
  symbols.insert(packed, where);
  return packed;
}

Value Packer::get(OpBuilder &builder, FlatSymbolRefAttr symbol, Location loc) {
  auto weight = cast<WeightOp>(symbols.lookup(symbol.getValue()));
  return GetOp::create(builder, loc, getUsedType(weight), symbol);
}

FlatSymbolRefAttr Packer::pack(FlatSymbolRefAttr weight, Type element, ArrayRef<int64_t> shape) {
  Operation *source = symbols.lookup(weight.getValue());
  if (isa<PackedOp>(source))
    return weight;
  std::string name = (weight.getValue() + ".packed").str();
  FlatSymbolRefAttr result = FlatSymbolRefAttr::get(module.getContext(), name);
  if (symbols.lookup(name))
    return result;

  auto op = cast<WeightOp>(source);
  Type type = withElement(getUsedType(op), element);
  if (!shape.empty())
    type = withLogicalShape(type, shape);
  PackedOp packed = create(name, op.getMembers(), type, op.getLoc());
  OpBuilder builder = OpBuilder::atBlockBegin(&packed.getBody().front());
  Value value = get(builder, weight, op.getLoc());
  if (!shape.empty() && getLogicalShape(value.getType()) != shape)
    value = ReshapeOp::create(builder, op.getLoc(), withLogicalShape(value.getType(), shape), value);
  if (value.getType() != type)
    value = CastOp::create(builder, op.getLoc(), type, value);
  YieldOp::create(builder, op.getLoc(), value);
  return result;
}

FlatSymbolRefAttr Packer::concatRows(StringRef name, ArrayRef<FlatSymbolRefAttr> weights, Type element,
                                     int64_t rowMultiple, ArrayRef<int64_t> rowShape) {
  FlatSymbolRefAttr result = FlatSymbolRefAttr::get(module.getContext(), name);
  if (symbols.lookup(name))
    return result;

  auto first = cast<WeightOp>(symbols.lookup(weights.front().getValue()));
  SmallVector<int64_t> shape(getLogicalShape(first.getType()));
  shape[0] = 0;
  for (FlatSymbolRefAttr weight : weights)
    shape[0] += shapeOf(weight)[0];
  Type concatenated = withLogicalShape(first.getType(), shape);
  shape[0] = (shape[0] + rowMultiple - 1) / rowMultiple * rowMultiple;
  Type padded = withLogicalShape(first.getType(), shape);
  if (!rowShape.empty())
    shape.assign(1, shape[0]), llvm::append_range(shape, rowShape);
  Type reshaped = withLogicalShape(padded, shape);
  Type type = withElement(reshaped, element);

  PackedOp packed = create(name, first.getMembers(), type, first.getLoc());
  OpBuilder builder = OpBuilder::atBlockBegin(&packed.getBody().front());
  Location loc = first.getLoc();
  SmallVector<Value> parts;
  for (FlatSymbolRefAttr weight : weights)
    parts.push_back(get(builder, weight, loc));
  Value value = ConcatOp::create(builder, loc, concatenated, parts, /*dim=*/0);
  if (padded != concatenated)
    value = PadOp::create(builder, loc, padded, value, /*dim=*/0);
  if (reshaped != padded)
    value = ReshapeOp::create(builder, loc, reshaped, value);
  if (type != reshaped)
    value = CastOp::create(builder, loc, type, value);
  YieldOp::create(builder, loc, value);
  return result;
}

} // namespace k3
