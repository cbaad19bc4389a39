//===- K3CoreOps.cpp - Verifiers of products, norms, shapes and of what surrounds a step --===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Verify.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace k3;

//===----------------------------------------------------------------------===//
// Products, norms, shapes
//===----------------------------------------------------------------------===//

LogicalResult LinearOp::verify() {
  if (failed(checkRank(*this, "x", getX(), 2)) ||
      failed(checkShape(*this, "y", getY(), {shapeOf(getX())[0], kAny})) ||
      failed(checkShard(*this, getShardingAttr(), getY().getType(), /*divides=*/false)))
    return failure();
  return checkPartialUses(getY(), getShardingAttr());
}

LogicalResult LinearOp::verifySymbolUses(SymbolTableCollection &tables) {
  std::optional<WeightInfo> weight = SymbolChecker(*this, tables).weight(getWeightAttr());
  if (!weight)
    return failure();
  ArrayRef<int64_t> shape = getLogicalShape(weight->type);
  int64_t inputs = shapeOf(getX())[1], outputs = shapeOf(getY())[1];
  if (shape.size() != 2)
    return emitOpError() << "weight " << getWeightAttr() << " is " << shapeText(shape)
                         << ", expected a matrix";
  if (shape[1] != inputs)
    return emitOpError() << "weight " << getWeightAttr() << " is " << shapeText(shape) << ", x has " << inputs
                         << " columns";
  if (shape[0] != outputs)
    return emitOpError() << "weight " << getWeightAttr() << " is " << shapeText(shape) << ", y has "
                         << outputs << " columns";
  return success();
}

LogicalResult RmsNormOp::verify() {
  if (shapeOf(getX()).empty())
    return emitOpError() << "needs at least one dimension";
  if (failed(checkShape(*this, "y", getY(), shapeOf(getX()))))
    return failure();
  return checkPositive(*this, "eps", getEps());
}

LogicalResult RmsNormOp::verifySymbolUses(SymbolTableCollection &tables) {
  return SymbolChecker(*this, tables).shape("weight", getWeightAttr(), {shapeOf(getX()).back()});
}

LogicalResult L2NormOp::verify() {
  if (shapeOf(getX()).empty())
    return emitOpError() << "needs at least one dimension";
  if (!getScale().isFinite())
    return emitOpError() << "scale must be finite";
  return checkPositive(*this, "eps", getEps());
}

LogicalResult SplitOp::verify() {
  if (failed(checkRank(*this, "input", getInput(), 2)))
    return failure();
  if (getParts().empty())
    return emitOpError() << "needs at least one part";
  int64_t sum = 0;
  auto element = cast<RankedTensorType>(getInput().getType()).getElementType();
  for (auto [index, part] : llvm::enumerate(getParts())) {
    ArrayRef<int64_t> shape = shapeOf(part);
    if (shape.size() < 2 || shape[0] != shapeOf(getInput())[0] ||
        llvm::any_of(shape.drop_front(), [](int64_t extent) { return ShapedType::isDynamic(extent); }))
      return emitOpError() << "part " << index << " is " << shapeText(shape)
                           << ", expected the rows of the input and static columns";
    if (cast<RankedTensorType>(part.getType()).getElementType() != element)
      return emitOpError() << "part " << index << " has another element type than the input";
    int64_t columns = 1;
    for (int64_t extent : shape.drop_front())
      columns *= extent;
    sum += columns;
  }
  if (sum != shapeOf(getInput())[1])
    return emitOpError() << "parts sum to " << sum << ", the input has " << shapeOf(getInput())[1];
  return success();
}

LogicalResult GatherRowsOp::verify() {
  if (failed(checkRank(*this, "x", getX(), 2)) || failed(checkRank(*this, "rows", getRows(), 1)))
    return failure();
  return checkShape(*this, "out", getOut(), {shapeOf(getRows())[0], shapeOf(getX())[1]});
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// At least one axis, and each is one of the mesh.
static LogicalResult verifyAxes(Operation *op, ArrayAttr axes) {
  if (axes.empty())
    return op->emitOpError() << "needs at least one mesh axis";
  for (Attribute axis : axes)
    if (!getMesh(op).getAxis(cast<StringAttr>(axis).getValue()))
      return op->emitOpError() << "axis '" << cast<StringAttr>(axis).getValue() << "' is not in the mesh";
  return success();
}

/// A sum over ranks takes an unreduced value, where the producer of its operand can tell.
static LogicalResult verifyPartialOperand(Operation *op, ArrayAttr axes) {
  Operation *producer = op->getOperand(0).getDefiningOp();
  ShardAttr shard;
  if (auto linear = dyn_cast_or_null<LinearOp>(producer))
    shard = linear.getShardingAttr();
  else if (auto experts = dyn_cast_or_null<ExpertsOp>(producer))
    shard = experts.getShardingAttr();
  else
    return success();
  for (Attribute axis : axes)
    if (!shard || !llvm::is_contained(shard.getPartial(), axis))
      return op->emitOpError() << "operand is not partial over [" << cast<StringAttr>(axis).getValue() << "]";
  return success();
}

/// The result is the input with dimension `dim` times `multiply` / `divide`.
static LogicalResult verifyScaledDim(Operation *op, int64_t dim, int64_t multiply, int64_t divide) {
  auto input = cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (dim < 0 || dim >= input.getRank())
    return op->emitOpError() << "dim " << dim << " is not a dimension of " << input;
  SmallVector<int64_t> expected(input.getShape());
  if (!ShapedType::isDynamic(expected[dim])) {
    if (expected[dim] * multiply % divide != 0)
      return op->emitOpError() << "dimension " << dim << " (" << expected[dim] << ") is not divisible by "
                               << divide << " ranks";
    expected[dim] = expected[dim] * multiply / divide;
  }
  if (input.getElementType() != result.getElementType())
    return op->emitOpError() << "changes elements from " << input.getElementType() << " to "
                             << result.getElementType();
  return checkShape(op, "result", op->getResult(0), expected);
}

LogicalResult AllReduceOp::verify() {
  if (failed(verifyAxes(*this, getAxes())))
    return failure();
  if (getInput().getType() != getResult().getType())
    return emitOpError() << "result is " << getResult().getType() << ", expected " << getInput().getType();
  return success();
}

LogicalResult AllGatherOp::verify() {
  if (failed(verifyAxes(*this, getAxes())))
    return failure();
  return verifyScaledDim(*this, getDim(), *getAxesSize(getMesh(*this), getAxes()), 1);
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyAxes(*this, getAxes())))
    return failure();
  return verifyScaledDim(*this, getDim(), 1, *getAxesSize(getMesh(*this), getAxes()));
}

/// Collectives name mesh axes, which verify() checks, and no symbols; what produced their operand is checked
/// here.
LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyPartialOperand(*this, getAxes());
}
LogicalResult ReduceScatterOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyPartialOperand(*this, getAxes());
}
LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &) { return success(); }

//===----------------------------------------------------------------------===//
// Around the step
//===----------------------------------------------------------------------===//

LogicalResult TapOp::verify() {
  if (getName().empty())
    return emitOpError() << "needs a name";
  for (Operation *before = (*this)->getPrevNode(); before; before = before->getPrevNode())
    if (auto tap = dyn_cast<TapOp>(before); tap && tap.getNameAttr() == getNameAttr())
      return emitOpError() << "name '" << getName() << "' is used twice";
  return success();
}

LogicalResult SampleOp::verify() {
  if (failed(checkRank(*this, "logits", getLogits(), 2)))
    return failure();
  std::pair<StringRef, Value> perRow[] = {{"temperature", getTemperature()},
                                          {"top_p", getTopP()},
                                          {"seed", getSeed()},
                                          {"step", getStep()},
                                          {"ids", getIds()}};
  for (auto [name, value] : perRow)
    if (failed(checkShape(*this, name, value, {shapeOf(getLogits())[0]})))
      return failure();
  return success();
}
