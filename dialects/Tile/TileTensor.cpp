//===- TileTensor.cpp - Register tiles --------------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/TileVerify.h"

#include "lib/Layout/Convert.h"
#include "lib/Layout/Named.h"
#include "lib/Layout/Text.h"
#include "lib/Layout/Transform.h"

#include <array>
#include <set>

using namespace mlir;
using namespace k3;
using namespace k3::tile;

/// An exchange through scratch: written, the team (or cluster) synchronised, read.
static void exchange(Value scratch, SmallVectorImpl<MemoryAccess> &accesses) {
  if (!scratch)
    return;
  accesses.push_back({scratch, /*write=*/true, Proxy::Generic, Completion::Op});
  accesses.push_back({scratch, /*write=*/false, Proxy::Generic, Completion::Op});
}

static RankedTensorType tileOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The layout that an op's result must have follows from its operand, or there is none.
static LogicalResult checkResult(Operation *op, Type result, const Expected<layout::RegLayout> &layout,
                                 Type element) {
  if (!layout)
    return refuse(op, layout.status());
  RankedTensorType expected = tileType(*layout, element);
  if (result != expected)
    return op->emitOpError() << "the result is " << expected << ", not " << result;
  return success();
}

static LogicalResult checkDim(Operation *op, int64_t dim, int64_t rank) {
  if (dim >= 0 && dim < rank)
    return success();
  return op->emitOpError() << "has no dimension " << dim << ", the tile has " << rank;
}

LogicalResult SplatOp::verify() {
  if (tileOf(getResult()).getElementType() != getValue().getType())
    return emitOpError() << "the tile holds " << tileOf(getResult()).getElementType() << ", the scalar is "
                         << getValue().getType();
  return success();
}

LogicalResult IotaOp::verify() {
  if (!tileOf(getResult()).getElementType().isInteger(32))
    return emitOpError() << "coordinates are i32, not " << tileOf(getResult()).getElementType();
  return checkDim(*this, getDim(), tileOf(getResult()).getRank());
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

/// Elements of a tile that one warp holds.
static int64_t elementsOfWarp(const layout::RegLayout &layout) {
  std::set<layout::Coord> held;
  for (int32_t l = 0; l < layout::numLanes; ++l)
    for (int32_t r = 0; r < layout.numRegs(); ++r)
      held.insert(layout.apply({r, l, 0}));
  return static_cast<int64_t>(held.size());
}

/// [warps, values] of every CTA that takes part, row-major.
static LogicalResult checkScratch(ReduceOp op, Type element, int64_t warps, int64_t values) {
  auto kernel = op->getParentOfType<KernelOp>();
  int64_t rows = warps * (op.getAcross() == Across::Cluster && kernel ? kernel.getClusterSize() : 1);
  auto layout = layout::rowMajor(static_cast<int32_t>(rows), static_cast<int32_t>(values), 4);
  auto expected =
      SharedType::get(op.getContext(), {rows, values}, element, SmemAttr::get(op.getContext(), *layout), 1);
  if (op.getScratch().getType() != expected)
    return op.emitOpError() << "the scratch is " << expected << ", not " << op.getScratch().getType();
  return success();
}

LogicalResult ReduceOp::verify() {
  if (getValues().empty() || getValues().size() != getResults().size())
    return emitOpError() << "has " << getValues().size() << " tiles and " << getResults().size()
                         << " results, must be one for one";
  RankedTensorType tile = tileOf(getValues().front());
  Type element = tile.getElementType();
  int32_t dim = static_cast<int32_t>(getDim());
  if (llvm::any_of(getValues(), [&](Value value) { return value.getType() != tile; }))
    return emitOpError("reduces tiles of one type");
  if (!element.isF32() && !element.isInteger(32))
    return emitOpError() << "reduces f32 or i32, not " << element;
  if (failed(checkDim(*this, getDim(), tile.getRank())))
    return failure();
  // Of a tile of rank 1 the result is a scalar.
  const layout::RegLayout &layout = layoutOf(tile);
  int64_t values = 1;
  if (tile.getRank() > 1) {
    Expected<layout::RegLayout> reduced = layout::reduced(layout, dim);
    for (Value result : getResults())
      if (failed(checkResult(*this, result.getType(), reduced, element)))
        return failure();
    values = elementsOfWarp(*reduced);
  } else if (llvm::any_of(getResults(), [&](Value result) { return result.getType() != element; })) {
    return emitOpError() << "the result is a scalar " << element;
  }
  if ((getAcross() == Across::Lane) == static_cast<bool>(getScratch()))
    return emitOpError(getScratch() ? "within lanes needs no scratch"
                                    : "across warps needs a scratch buffer");
  if (getScratch())
    return checkScratch(*this, element, layout.numWarps(),
                        values * static_cast<int64_t>(getResults().size()));
  for (int32_t w = 1; w < layout.numWarps(); ++w)
    if (layout.apply({0, 0, w})[static_cast<size_t>(dim)] != 0)
      return emitOpError() << "dimension " << dim << " runs across warps: say across<team>";
  return success();
}

void ReduceOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) { exchange(getScratch(), accesses); }
SmallVector<arch::Feature> ReduceOp::getRequiredFeatures() {
  return getAcross() == Across::Cluster ? SmallVector<arch::Feature>{arch::Feature::Cluster}
                                        : SmallVector<arch::Feature>();
}
//===----------------------------------------------------------------------===//
// Other names for the same registers
//===----------------------------------------------------------------------===//

LogicalResult ExpandOp::verify() {
  RankedTensorType source = tileOf(getSource()), result = tileOf(getResult());
  if (source.getElementType() != result.getElementType() || source.getRank() + 1 != result.getRank())
    return emitOpError() << "adds one dimension to a tile, of the same elements; " << source
                         << " is not expanded to " << result;
  if (failed(checkDim(*this, getDim(), result.getRank())))
    return failure();
  Expected<layout::RegLayout> reduced = layout::reduced(layoutOf(result), static_cast<int32_t>(getDim()));
  if (!reduced)
    return refuse(*this, reduced.status());
  if (!(layoutOf(source) == *reduced))
    return emitOpError() << "the operand needs the layout of the result reduced along dimension " << getDim()
                         << ": " << LayoutAttr::get(getContext(), *reduced);
  return success();
}

LogicalResult SliceOp::verify() {
  RankedTensorType source = tileOf(getSource()), result = tileOf(getResult());
  if (source.getRank() != result.getRank())
    return emitOpError() << "has " << result.getRank() << " dimensions, the source " << source.getRank();
  if (failed(checkDim(*this, getDim(), source.getRank())))
    return failure();
  if (source.getElementType() != result.getElementType())
    return emitOpError() << "keeps the elements, " << source.getElementType() << ", not "
                         << result.getElementType();
  Proofs::Key key = {Proofs::Slice, keyOf(layoutAttr(source)), keyOf(layoutAttr(result)), getDim(),
                     getOffset()};
  Status status = Proofs::once(getContext(), key, [&]() -> Status {
    K3_ASSIGN(auto part, layout::slice(layoutOf(source), static_cast<int32_t>(getDim()),
                                       static_cast<int32_t>(getOffset()),
                                       static_cast<int32_t>(result.getShape()[getDim()])));
    if (part.layout == layoutOf(result))
      return Status::success();
    return badInput("the part has layout " + layout::print(part.layout) + ", the result " +
                    layout::print(layoutOf(result)));
  });
  return status.ok() ? success() : refuse(*this, status);
}

LogicalResult ConcatOp::verify() {
  if (getSources().empty())
    return emitOpError("joins at least one tile");
  RankedTensorType part = tileOf(getSources().front());
  if (llvm::any_of(getSources(), [&](Value source) { return source.getType() != part; }))
    return emitOpError("joins tiles of one type");
  if (failed(checkDim(*this, getDim(), part.getRank())))
    return failure();
  auto whole = layout::concat(layoutOf(part), static_cast<int32_t>(getDim()),
                              static_cast<int32_t>(getSources().size()));
  return checkResult(*this, getResult().getType(), whole, part.getElementType());
}

LogicalResult TransOp::verify() {
  RankedTensorType source = tileOf(getSource());
  if (source.getRank() != 2)
    return emitOpError() << "transposes two dimensions, the tile has " << source.getRank();
  return checkResult(*this, getResult().getType(),
                     layout::transposed(layoutOf(source), std::array<int32_t, 2>{1, 0}),
                     source.getElementType());
}

//===----------------------------------------------------------------------===//
// ConvertOp
//===----------------------------------------------------------------------===//

LogicalResult ConvertOp::verify() {
  RankedTensorType source = tileOf(getSource()), result = tileOf(getResult());
  if (source.getShape() != result.getShape() || source.getElementType() != result.getElementType())
    return emitOpError("changes the layout only, not shape or elements");
  if ((getVia() == ConvertVia::Shared) != static_cast<bool>(getScratch()))
    return emitOpError(getScratch() ? "only the way through shared memory takes a scratch"
                                    : "the way through shared memory needs a scratch");
  if (getScratch())
    return checkSameTile(*this, source, cast<SharedType>(getScratch().getType()));
  auto plan = layout::planConversion(layoutOf(source), layoutOf(result),
                                     static_cast<int32_t>(source.getElementTypeBitWidth()));
  if (!plan)
    return refuse(*this, plan.status());
  constexpr StringLiteral ways[] = {"relabel", "relabel", "shuffle", "shared"}; // by layout::Via
  StringRef way = ways[static_cast<size_t>(plan->via)];
  if (way != stringifyConvertVia(getVia()))
    return emitOpError() << "via " << stringifyConvertVia(getVia())
                         << " does not fill every register, or moves more than needed: the way is " << way;
  return success();
}

void ConvertOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) { exchange(getScratch(), accesses); }
//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

LogicalResult BitcastOp::verify() {
  RankedTensorType source = tileOf(getSource()), result = tileOf(getResult());
  if (source.getShape() != result.getShape() || source.getEncoding() != result.getEncoding() ||
      source.getElementTypeBitWidth() != result.getElementTypeBitWidth())
    return emitOpError() << "keeps shape, layout and width of the elements; " << source << " is not "
                         << result;
  return success();
}

LogicalResult RcpOp::verify() {
  if (!getElementTypeOrSelf(getValue().getType()).isF32())
    return emitOpError() << "is of f32, not " << getValue().getType();
  return success();
}
