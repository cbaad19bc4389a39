//===- K3SymbolOps.cpp - Verifiers of weights, packed weights, state and packing ops --===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Verify.h"

using namespace mlir;
using namespace k3;

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// What a weight may be: a static, non-empty tensor or an MX tensor.
static LogicalResult verifyWeightType(Operation *op, Type type) {
  if (isa<MxType>(type))
    return success();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return op->emitOpError() << "needs a static tensor or an MX tensor, got " << type;
  Type element = tensor.getElementType();
  if (!element.isF32() && !element.isBF16() && !element.isF16() && !element.isInteger(8))
    return op->emitOpError() << "elements are f32, bf16, f16 or i8, got " << element;
  return success();
}

static LogicalResult verifyMembers(Operation *op, std::optional<uint64_t> members) {
  return members ? checkPositive(op, "number of members", static_cast<int64_t>(*members)) : success();
}

LogicalResult WeightOp::verify() {
  if (failed(verifyWeightType(*this, getType())) || failed(verifyMembers(*this, getMembers())))
    return failure();
  bool isPattern = getPattern().contains("{e}");
  if (getMembers() && !isPattern)
    return emitOpError() << "family of " << *getMembers() << " members needs '{e}' in the name pattern";
  if (!getMembers() && isPattern)
    return emitOpError() << "name pattern with '{e}' needs a family, write @" << getSymName() << "[members]";
  if (getPattern().empty())
    return emitOpError() << "needs the name of a tensor";
  if (getUsed()) {
    ArrayRef<int64_t> shape = getLogicalShape(getType());
    int64_t used = *getUsed();
    if (shape.empty() || used < 1)
      return emitOpError() << "used " << used << " must be between 1 and dimension 0";
    if (used > shape[0])
      return emitOpError() << "used " << used << " exceeds dimension 0 (" << shape[0] << ")";
  }
  return checkShard(*this, getShardingAttr(), getType(), /*divides=*/true);
}

LogicalResult PackedOp::verifyRegions() {
  if (failed(verifyWeightType(*this, getType())) || failed(verifyMembers(*this, getMembers())) ||
      failed(checkShard(*this, getShardingAttr(), getType(), /*divides=*/false)))
    return failure();
  Block &body = getBody().front();
  if (body.getNumArguments() != 0)
    return emitOpError() << "region takes no arguments, it reads weights with k3.get";
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  if (!yield)
    return emitOpError() << "region must end in k3.yield";
  if (yield.getValue().getType() != getType())
    return emitOpError() << "region yields " << yield.getValue().getType() << ", the symbol is declared as "
                         << getType();
  return success();
}

LogicalResult GetOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (!isInPacking(*this))
    return emitOpError() << "reads a checkpoint weight outside packing; a step names weights by symbol";
  SymbolChecker check(*this, tables);
  Operation *found = check.find(getWeightAttr());
  if (!found)
    return failure();
  auto weight = dyn_cast<WeightOp>(found);
  if (!weight)
    return emitOpError() << "names " << getWeightAttr() << ", which is not a k3.weight";
  if (Type type = getUsedType(weight); type != getValue().getType())
    return emitOpError() << "of " << getWeightAttr() << " gives " << type << ", the result is "
                         << getValue().getType();
  auto packed = (*this)->getParentOfType<PackedOp>();
  if (!packed || !weight.getMembers() || weight.getMembers() == packed.getMembers())
    return success();
  if (!packed.getMembers())
    return emitOpError() << "reads family " << getWeightAttr() << " of " << *weight.getMembers()
                         << " members, @" << packed.getSymName() << " is a single weight";
  return emitOpError() << "member region reads family " << getWeightAttr() << " of " << *weight.getMembers()
                       << " members, the packed family has " << *packed.getMembers();
}

LogicalResult StorePackedOp::verifySymbolUses(SymbolTableCollection &tables) {
  SymbolChecker check(*this, tables);
  Operation *found = check.find(getPackedAttr());
  if (!found)
    return failure();
  auto packed = dyn_cast<PackedOp>(found);
  if (!packed)
    return emitOpError() << "names " << getPackedAttr() << ", which is not a k3.packed";
  if (packed.getType() != getValue().getType())
    return emitOpError() << "stores " << getValue().getType() << ", " << getPackedAttr() << " is declared as "
                         << packed.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

LogicalResult StateOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape())
    return emitOpError() << "needs a static tensor, got " << getType();
  Type element = type.getElementType();
  bool isPaged = getKind() == StateKind::Paged;
  if (!element.isF32() && !element.isBF16() && !(isPaged && isa<Float8E4M3FNType>(element)))
    return emitOpError() << stringifyStateKind(getKind()) << " state is f32 or bf16"
                         << (isPaged ? " or f8E4M3FN" : "") << ", got " << element;
  if (isPaged != getPage().has_value())
    return emitOpError() << (isPaged ? "paged state needs 'page'" : "only paged state has 'page'");
  if (isPaged && failed(checkPositive(*this, "page", static_cast<int64_t>(*getPage()))))
    return failure();
  switch (getKind()) {
  case StateKind::Recurrent:
    if (type.getRank() != 3)
      return emitOpError() << "recurrent state is [heads, V, K], got rank " << type.getRank();
    break;
  case StateKind::Conv:
    if (type.getRank() != 2)
      return emitOpError() << "conv state is [window rows, channels], got rank " << type.getRank();
    if (type.getDimSize(0) != 3)
      return emitOpError() << "conv state of width 4 - 1 rows expected 3, got " << type.getDimSize(0);
    break;
  case StateKind::Paged:
    if (type.getRank() != 1)
      return emitOpError() << "paged state is what one token keeps, one dimension, got rank "
                           << type.getRank();
    break;
  }
  return checkShard(*this, getShardingAttr(), type, /*divides=*/false);
}

LogicalResult CopyStateOp::verify() {
  if (failed(checkRank(*this, "src", getSrc(), 1)))
    return failure();
  return checkShape(*this, "dst", getDst(), shapeOf(getSrc()));
}

LogicalResult CopyStateOp::verifySymbolUses(SymbolTableCollection &tables) {
  return success(static_cast<bool>(SymbolChecker(*this, tables).state(getStateAttr())));
}
