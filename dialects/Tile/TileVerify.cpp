//===- TileVerify.cpp - What the verifiers of several tile ops share ------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/TileVerify.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

Status Proofs::once(MLIRContext *context, const Key &key, function_ref<Status()> prove) {
  const auto *proofs = context->getLoadedDialect<TileDialect>()->getRegisteredInterface<Proofs>();
  {
    std::lock_guard<std::mutex> lock(proofs->mutex);
    if (auto found = proofs->known.find(key); found != proofs->known.end())
      return found->second;
  }
  // Two threads may prove the same; they come to the same end.
  Status status = prove();
  std::lock_guard<std::mutex> lock(proofs->mutex);
  return proofs->known.emplace(key, std::move(status)).first->second;
}

std::string k3::tile::shapeText(ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(llvm::map_range(shape, [](int64_t extent) { return std::to_string(extent); }), ", ") +
         "]";
}

LogicalResult k3::tile::refuse(Operation *op, const Status &status, StringRef what) {
  return op->emitOpError() << what << status.text();
}

LogicalResult k3::tile::checkInElect(Operation *op) {
  if (op->getParentOfType<ElectOp>())
    return success();
  return op->emitOpError("is issued by one lane: put it into tile.elect");
}

LogicalResult k3::tile::checkPhase(Operation *op, MbarType barrier, Type cursor) {
  auto ring = dyn_cast<CursorType>(cursor);
  if (!ring || ring.getSlots() == barrier.getSlots())
    return success();
  return op->emitOpError() << "the cursor runs over " << ring.getSlots() << " slots, the barrier has "
                           << barrier.getSlots();
}

LogicalResult k3::tile::checkOneStage(Operation *op, SharedType shared) {
  if (shared.getStages() == 1)
    return success();
  return op->emitOpError() << "takes one stage of shared memory, not " << shared.getStages()
                           << ": pick one by tile.slot";
}

LogicalResult k3::tile::checkCoords(Operation *op, size_t coords, int64_t rank) {
  if (static_cast<int64_t>(coords) == rank)
    return success();
  return op->emitOpError() << "has " << coords << " coordinates, the array has " << rank << " dimensions";
}

LogicalResult k3::tile::checkSameTile(Operation *op, RankedTensorType tile, SharedType shared) {
  if (failed(checkOneStage(op, shared)))
    return failure();
  if (tile.getShape() != shared.getShape() || tile.getElementType() != shared.getElementType())
    return op->emitOpError() << "the tile is " << shapeText(tile.getShape()) << " of "
                             << tile.getElementType() << ", the shared one " << shapeText(shared.getShape())
                             << " of " << shared.getElementType();
  return success();
}

LogicalResult k3::tile::checkPlace(Operation *op, ViewType view, ValueRange coords, ArrayRef<int64_t> shape,
                                   Type element, ValueRange limits, bool limited) {
  if (failed(checkCoords(op, coords.size(), view.getRank())))
    return failure();
  if (static_cast<int64_t>(shape.size()) > view.getRank())
    return op->emitOpError() << "the tile has " << shape.size() << " dimensions, the view only "
                             << view.getRank();
  if (element != view.getElementType())
    return op->emitOpError() << "the tile holds " << element << ", the view " << view.getElementType();
  if (limited && !limits.empty() && limits.size() != shape.size())
    return op->emitOpError() << "has " << limits.size() << " limits, one for each of the tile's "
                             << shape.size() << " dimensions is needed";
  ArrayRef<int64_t> last = view.getShape().take_back(shape.size());
  for (auto [d, extents] : llvm::enumerate(llvm::zip(shape, last))) {
    auto [extent, known] = extents;
    if (limits.empty() && !ShapedType::isDynamic(known) && extent > known)
      return op->emitOpError() << "moves " << extent << " elements along dimension " << d
                               << " of the tile, the view has " << known
                               << (limited ? ": say the limit" : "");
  }
  return success();
}

LogicalResult k3::tile::checkAligned16(Operation *op, ViewType view, ValueRange coords) {
  SmallVector<int64_t> strides = view.getAllStrides();
  for (auto [d, stride, coord] : llvm::enumerate(strides, coords)) {
    APInt value;
    bool constant = matchPattern(coord, m_ConstantInt(&value));
    if (ShapedType::isDynamic(stride) || (constant && value.isZero()))
      continue; // a stride of run time is the caller's promise
    bool isLast = d + 1 == coords.size();
    int64_t bytes = stride * view.getElementBytes();
    if (constant && bytes * value.getSExtValue() % 16 != 0)
      return op->emitOpError() << "starts " << bytes * value.getSExtValue() << " bytes into dimension " << d
                               << " of the view, which is no multiple of 16";
    if (!constant && !isLast && bytes % 16 != 0)
      return op->emitOpError() << "neighbours along dimension " << d << " of the view are " << bytes
                               << " bytes apart, which is no multiple of 16";
  }
  return success();
}
