//===- K3PackingOps.cpp - Verifiers of the ops that compute packed weights --===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `k3.reshape` also serves activations; the other ops here occur in packing alone.
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Verify.h"

using namespace mlir;
using namespace k3;

static LogicalResult verifyDim(Operation *op, int64_t dim, Type type) {
  int64_t rank = getLogicalShape(type).size();
  if (dim >= 0 && dim < rank)
    return success();
  return op->emitOpError() << "dim " << dim << " is not a dimension of " << type;
}

static LogicalResult verifySameElements(Operation *op, Type from, Type to) {
  if (haveSameElements(from, to))
    return success();
  return op->emitOpError() << "changes elements from " << from << " to " << to << ", that is k3.cast's work";
}

/// Equal shapes but for dimension `dim`.
static LogicalResult verifyOnlyDimDiffers(Operation *op, int64_t dim, Type from, Type to) {
  SmallVector<int64_t> expected(getLogicalShape(from));
  if (failed(verifyDim(op, dim, from)))
    return failure();
  expected[dim] = kAny;
  if (matchesShape(getLogicalShape(to), expected))
    return success();
  return op->emitOpError() << "gives " << shapeText(getLogicalShape(to)) << ", expected "
                           << shapeText(expected) << ", only dimension " << dim << " may change";
}

LogicalResult ConcatOp::verify() {
  if (getInputs().empty())
    return emitOpError() << "needs at least one input";
  Type result = getResult().getType();
  int64_t dim = getDim(), sum = 0;
  if (failed(verifyDim(*this, dim, result)))
    return failure();
  if (isa<MxType>(result) && dim + 1 == static_cast<int64_t>(getLogicalShape(result).size()))
    return emitOpError() << "joins MX tensors along rows only, not along the blocked dimension";
  for (Value input : getInputs()) {
    if (failed(verifySameElements(*this, input.getType(), result)) ||
        failed(verifyOnlyDimDiffers(*this, dim, input.getType(), result)))
      return failure();
    sum += shapeOf(input)[dim];
  }
  if (sum != getLogicalShape(result)[dim])
    return emitOpError() << "inputs sum to " << sum << " along dimension " << dim << ", the result has "
                         << getLogicalShape(result)[dim];
  return checkMxInPacking(*this);
}

LogicalResult PadOp::verify() {
  Type from = getInput().getType(), to = getResult().getType();
  int64_t dim = getDim();
  if (failed(verifySameElements(*this, from, to)) || failed(verifyOnlyDimDiffers(*this, dim, from, to)))
    return failure();
  if (getLogicalShape(to)[dim] < getLogicalShape(from)[dim])
    return emitOpError() << "pads dimension " << dim << " from " << getLogicalShape(from)[dim] << " down to "
                         << getLogicalShape(to)[dim];
  return checkMxInPacking(*this);
}

LogicalResult SliceOp::verify() {
  Type from = getInput().getType(), to = getResult().getType();
  int64_t dim = getDim(), offset = getOffset();
  if (failed(verifySameElements(*this, from, to)) || failed(verifyOnlyDimDiffers(*this, dim, from, to)))
    return failure();
  int64_t extent = getLogicalShape(from)[dim], taken = getLogicalShape(to)[dim];
  if (offset < 0 || offset + taken > extent)
    return emitOpError() << "takes [" << offset << ", " << offset + taken << ") of dimension " << dim
                         << ", which has " << extent;
  if (auto mx = dyn_cast<MxType>(from);
      mx && dim + 1 == static_cast<int64_t>(mx.getShape().size()) && offset % mx.getBlock() != 0)
    return emitOpError() << "offset " << offset << " is not a multiple of the MX block " << mx.getBlock();
  return checkMxInPacking(*this);
}

LogicalResult RankSliceOp::verify() {
  Type from = getInput().getType(), to = getResult().getType();
  int64_t dim = getDim();
  if (failed(verifySameElements(*this, from, to)) || failed(verifyOnlyDimDiffers(*this, dim, from, to)))
    return failure();
  std::optional<int64_t> size = getMesh(*this).getAxis(getAxis());
  if (!size)
    return emitOpError() << "axis '" << getAxis() << "' is not in the mesh";
  int64_t extent = getLogicalShape(from)[dim];
  if (extent % *size != 0)
    return emitOpError() << "dimension " << dim << " (" << extent << ") is not divisible by " << getAxis()
                         << " = " << *size;
  if (getLogicalShape(to)[dim] != extent / *size)
    return emitOpError() << "dimension " << dim << " of the result is " << getLogicalShape(to)[dim]
                         << ", expected " << extent << " / " << *size << " = " << extent / *size;
  return checkMxInPacking(*this);
}

LogicalResult TransposeOp::verify() {
  Type from = getInput().getType(), to = getResult().getType();
  ArrayRef<int64_t> shape = getLogicalShape(from);
  ArrayRef<int64_t> permutation = getPermutation();
  SmallVector<bool> seen(shape.size());
  for (int64_t dim : permutation)
    if (dim >= 0 && dim < static_cast<int64_t>(seen.size()))
      seen[dim] = true;
  if (permutation.size() != shape.size() || !llvm::all_of(seen, [](bool value) { return value; }))
    return emitOpError() << "needs a permutation of the " << shape.size() << " dimensions";
  if (isa<MxType>(from) && permutation.back() + 1 != static_cast<int64_t>(shape.size()))
    return emitOpError() << "leaves the blocked dimension of an MX tensor last";
  if (failed(verifySameElements(*this, from, to)))
    return failure();
  SmallVector<int64_t> expected;
  for (int64_t dim : permutation)
    expected.push_back(shape[dim]);
  if (failed(checkShape(*this, "result", getResult(), expected)))
    return failure();
  return checkMxInPacking(*this);
}

LogicalResult InterleaveOp::verify() {
  Type from = getFirst().getType(), to = getResult().getType();
  if (failed(checkPositive(*this, "group", static_cast<int64_t>(getGroup()))) ||
      failed(verifyDim(*this, 0, from)) || failed(verifySameElements(*this, from, to)))
    return failure();
  SmallVector<int64_t> expected(getLogicalShape(from));
  int64_t group = getGroup();
  if (expected[0] % group != 0)
    return emitOpError() << expected[0] << " rows are not a multiple of group " << group;
  if (isa<MxType>(from) && expected.size() < 2)
    return emitOpError() << "interleaves rows, the MX tensor has only the blocked dimension";
  expected[0] *= 2;
  if (failed(checkShape(*this, "result", getResult(), expected)))
    return failure();
  return checkMxInPacking(*this);
}

LogicalResult CastOp::verify() {
  Type from = getInput().getType(), to = getResult().getType();
  if (isa<MxType>(to) && from != to)
    return emitOpError() << "gives an MX tensor, packing never quantises";
  if (failed(checkShape(*this, "result", getResult(), getLogicalShape(from))))
    return failure();
  return checkMxInPacking(*this);
}

LogicalResult ReshapeOp::verify() {
  Type from = getInput().getType(), to = getResult().getType();
  if (failed(verifySameElements(*this, from, to)) || failed(checkMxInPacking(*this)))
    return failure();
  ArrayRef<int64_t> source = getLogicalShape(from), target = getLogicalShape(to);
  auto isDynamic = [](int64_t extent) { return ShapedType::isDynamic(extent); };
  bool isActivation = llvm::any_of(source, isDynamic) || llvm::any_of(target, isDynamic);
  if (isActivation) {
    if (source.empty() || target.empty() || source[0] != target[0])
      return emitOpError() << "dimension 0 of an activation stays, got " << shapeText(source) << " to "
                           << shapeText(target);
    source = source.drop_front();
    target = target.drop_front();
    if (llvm::any_of(source, isDynamic) || llvm::any_of(target, isDynamic))
      return emitOpError() << "only dimension 0 may be dynamic";
  }
  auto count = [](ArrayRef<int64_t> shape) {
    int64_t elements = 1;
    for (int64_t extent : shape)
      elements *= extent;
    return elements;
  };
  if (count(source) != count(target))
    return emitOpError() << "has " << count(source) << " elements" << (isActivation ? " a row" : "")
                         << ", the result " << count(target);
  return success();
}
