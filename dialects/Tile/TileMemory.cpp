//===- TileMemory.cpp - Copies, loads and stores ----------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/TileVerify.h"

#include "lib/Layout/Access.h"
#include "lib/Layout/Descriptor.h"
#include "lib/Layout/Transform.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

//===----------------------------------------------------------------------===//
// Global memory by the copy engine
//===----------------------------------------------------------------------===//

LogicalResult StridedOp::verify() {
  ViewType source = getSource().getType(), view = getView().getType();
  if (source.getShape() != view.getShape() || source.getElementType() != view.getElementType())
    return emitOpError("changes the leading stride only, not extents or elements");
  SmallVector<int64_t> want = source.getAllStrides(), have = view.getAllStrides();
  want.front() = ShapedType::kDynamic;
  if (view.getRank() < 2 || want != have)
    return emitOpError("the leading stride of the result is '?', all others are those of the source");
  return success();
}

/// A copy by map writes and reads shared memory row by row, chunks of 16 bytes XORed as the map says.
static LogicalResult checkBox(Operation *op, MapType map, SharedType shared, Value memory) {
  if (failed(checkOneStage(op, shared)))
    return failure();
  ArrayRef<int64_t> box = map.getBox(), shape = shared.getShape();
  // Leading extents of 1 may be left out of the tile.
  ArrayRef<int64_t> rest = box.take_back(std::min(box.size(), shape.size())),
                    outer = box.drop_back(rest.size());
  if (rest != shape || llvm::any_of(outer, [](int64_t extent) { return extent != 1; }))
    return op->emitOpError() << "the box is " << shapeText(box) << ", the shared tile " << shapeText(shape);
  if (map.getElementType() != shared.getElementType())
    return op->emitOpError() << "the map holds " << map.getElementType() << ", the shared tile "
                             << shared.getElementType();
  int64_t row = box.back() * map.getElementBytes();
  if (map.getSwizzle() && row != map.getSwizzle())
    return op->emitOpError() << "a row of the box has " << row << " bytes, a swizzle of " << map.getSwizzle()
                             << " needs as many";
  int64_t alignment = map.getSwizzle() ? 8 * map.getSwizzle() : 128;
  if (addressAlignment(memory) % alignment != 0)
    return op->emitOpError() << "the shared tile starts at a multiple of " << addressAlignment(memory)
                             << " bytes, the copy needs " << alignment;
  auto swizzle = map.getSwizzle() == 128  ? layout::Swizzle::B128
                 : map.getSwizzle() == 64 ? layout::Swizzle::B64
                 : map.getSwizzle() == 32 ? layout::Swizzle::B32
                                          : layout::Swizzle::None;
  const layout::SharedLayout &tile = shared.getLayout().getLayout();
  Status status = Proofs::once(op->getContext(), {Proofs::Box, keyOf(map), keyOf(shared)}, [&] {
    for (int64_t i = 0, end = ShapedType::getNumElements(shape); i < end; ++i) {
      int64_t byte = i * map.getElementBytes();
      if (swizzle != layout::Swizzle::None)
        byte = layout::swizzleAddress(swizzle, byte);
      layout::Coord coord = layout::coordOf(i, tile.shape());
      if (tile.offset(coord) != byte)
        return unsupported("the copy has element " + layout::coordText(coord) + " at byte " +
                           std::to_string(byte) + ", the layout at byte " +
                           std::to_string(tile.offset(coord)));
    }
    return Status::success();
  });
  return status.ok() ? success() : refuse(op, status);
}

LogicalResult MapLoadOp::verify() {
  if (failed(checkInElect(*this)) ||
      failed(checkCoords(*this, getCoords().size(), getMap().getType().getRank())) ||
      failed(checkPhase(*this, getBarrier().getType(), getCursor().getType())))
    return failure();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (getMulticast() && kernel && kernel.getClusterSize() == 1)
    return emitOpError("multicast reaches the CTAs of a cluster, the kernel has none");
  return checkBox(*this, getMap().getType(), getTarget().getType(), getTarget());
}

void MapLoadOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getMap(), /*write=*/false, Proxy::Async, Completion::Mbarrier});
  accesses.push_back({getTarget(), /*write=*/true, Proxy::Async, Completion::Mbarrier});
}

LogicalResult MapStoreOp::verify() {
  if (failed(checkInElect(*this)) ||
      failed(checkCoords(*this, getCoords().size(), getMap().getType().getRank())))
    return failure();
  return checkBox(*this, getMap().getType(), getSource().getType(), getSource());
}

void MapStoreOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getSource(), /*write=*/false, Proxy::Async, Completion::BulkGroup});
  if (getAdd()) // it reads what it adds to
    accesses.push_back({getMap(), /*write=*/false, Proxy::Async, Completion::BulkGroup});
  accesses.push_back({getMap(), /*write=*/true, Proxy::Async, Completion::BulkGroup});
}

/// Contiguous bytes on both sides.
static LogicalResult checkBulk(Operation *op, ViewType view, ValueRange coords, SharedType shared,
                               Value memory) {
  if (failed(checkInElect(op)) || failed(checkOneStage(op, shared)) ||
      failed(checkPlace(op, view, coords, shared.getShape(), shared.getElementType(), {}, /*limited=*/false)))
    return failure();
  const layout::SharedLayout &tile = shared.getLayout().getLayout();
  int64_t count = ShapedType::getNumElements(shared.getShape()), bytes = shared.getElementBytes();
  if (count * bytes % 16 != 0)
    return op->emitOpError() << "moves " << count * bytes << " bytes, which is no multiple of 16";
  Status dense = Proofs::once(op->getContext(), {Proofs::Dense, keyOf(shared)}, [&] {
    for (int64_t i = 0; i < count; ++i) {
      layout::Coord coord = layout::coordOf(i, tile.shape());
      if (tile.offset(coord) != i * bytes)
        return unsupported("moves contiguous bytes, the shared layout has element " +
                           layout::coordText(coord) + " at byte " + std::to_string(tile.offset(coord)) +
                           " instead of " + std::to_string(i * bytes));
    }
    return Status::success();
  });
  if (!dense.ok())
    return refuse(op, dense);
  SmallVector<int64_t> strides = view.getAllStrides();
  int64_t next = 1;
  for (size_t back = 1; back <= shared.getShape().size(); ++back) {
    int64_t extent = shared.getShape()[shared.getShape().size() - back],
            stride = strides[strides.size() - back];
    if (extent > 1 && stride != next)
      return op->emitOpError() << "moves contiguous bytes, the view is not dense along dimension "
                               << strides.size() - back;
    next *= extent;
  }
  if (addressAlignment(memory) % 16 != 0)
    return op->emitOpError() << "the shared tile starts at a multiple of " << addressAlignment(memory)
                             << " bytes, the copy needs 16";
  return checkAligned16(op, view, coords);
}

LogicalResult BulkLoadOp::verify() {
  if (failed(checkPhase(*this, getBarrier().getType(), getCursor().getType())))
    return failure();
  return checkBulk(*this, getView().getType(), getCoords(), getTarget().getType(), getTarget());
}

void BulkLoadOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getView(), /*write=*/false, Proxy::Async, Completion::Mbarrier});
  accesses.push_back({getTarget(), /*write=*/true, Proxy::Async, Completion::Mbarrier});
}

LogicalResult BulkStoreOp::verify() {
  return checkBulk(*this, getView().getType(), getCoords(), getSource().getType(), getSource());
}

void BulkStoreOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getSource(), /*write=*/false, Proxy::Async, Completion::BulkGroup});
  accesses.push_back({getView(), /*write=*/true, Proxy::Async, Completion::BulkGroup});
}

LogicalResult BulkPrefetchOp::verify() {
  ViewType view = getView().getType();
  if (failed(checkInElect(*this)))
    return failure();
  if (static_cast<int64_t>(getCoords().size()) != view.getRank())
    return emitOpError() << "has " << getCoords().size() << " coordinates, the view has " << view.getRank()
                         << " dimensions";
  if (getBytes() < 16 || getBytes() % 16 != 0)
    return emitOpError() << "moves " << getBytes() << " bytes, which is no multiple of 16";
  return checkAligned16(*this, view, getCoords());
}

static LogicalResult checkGroups(Operation *op, int64_t pending) {
  if (pending < 0)
    return op->emitOpError() << "waits until at most " << pending << " groups are left";
  return success();
}

LogicalResult BulkWaitOp::verify() {
  if (failed(checkInElect(*this)))
    return failure();
  return checkGroups(*this, getPending());
}

//===----------------------------------------------------------------------===//
// Global memory by lanes
//===----------------------------------------------------------------------===//

LogicalResult CpAsyncOp::verify() {
  SharedType target = getTarget().getType();
  if (failed(checkOneStage(*this, target)) ||
      failed(checkPlace(*this, getView().getType(), getCoords(), target.getShape(), target.getElementType(),
                        getLimit(),
                        /*limited=*/true)))
    return failure();
  const layout::RegLayout &lanes = getLanes().getLayout();
  const layout::SharedLayout &shared = target.getLayout().getLayout();
  if (lanes.shape() != shared.shape())
    return emitOpError() << "the lanes cover " << layout::coordText(lanes.shape()) << ", the tile is "
                         << layout::coordText(shared.shape());
  if (roleOf(*this) && lanes.numWarps() != teamWarps(*this))
    return emitOpError() << "the lanes are those of " << lanes.numWarps() << " warps, the team has "
                         << teamWarps(*this);
  int32_t pack = 16 / static_cast<int32_t>(target.getElementBytes());
  bool packs = lanes.numRegs() % pack == 0;
  for (int32_t r = 0; packs && r < lanes.numRegs(); ++r) {
    layout::Coord first = lanes.apply({r / pack * pack, 0, 0}), here = lanes.apply({r, 0, 0});
    first.back() += r % pack;
    packs = first == here;
  }
  if (!packs)
    return emitOpError() << "a lane copies 16 bytes at a time: " << pack
                         << " registers in a row have to be neighbours along the last dimension";
  if (layout::vectorBytes(lanes, shared, layout::Coord(lanes.rank(), 0)) != 16 ||
      addressAlignment(getTarget()) % 16 != 0)
    return emitOpError(
        "a lane copies 16 bytes at a time: in the shared layout they are not neighbours at a multiple of 16");
  return checkAligned16(*this, getView().getType(), getCoords());
}

void CpAsyncOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  // Unlike the bulk copies, cp.async goes through the generic proxy (PTX ISA 9.0, "Async proxy").
  accesses.push_back({getView(), /*write=*/false, Proxy::Generic, Completion::CpAsyncGroup});
  accesses.push_back({getTarget(), /*write=*/true, Proxy::Generic, Completion::CpAsyncGroup});
}

LogicalResult CpAsyncWaitOp::verify() { return checkGroups(*this, getPending()); }

LogicalResult LoadOp::verify() {
  auto tile = cast<RankedTensorType>(getResult().getType());
  return checkPlace(*this, getView().getType(), getCoords(), tile.getShape(), tile.getElementType(),
                    getLimit(), /*limited=*/true);
}

void LoadOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getView(), /*write=*/false, Proxy::Generic, Completion::Op});
}

LogicalResult StoreOp::verify() {
  auto tile = cast<RankedTensorType>(getValue().getType());
  if (getCache() == CacheHint::ReadOnly)
    return emitOpError("cache read_only is for loads");
  return checkPlace(*this, getView().getType(), getCoords(), tile.getShape(), tile.getElementType(),
                    getLimit(), /*limited=*/true);
}

void StoreOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getView(), /*write=*/true, Proxy::Generic, Completion::Op});
}

LogicalResult GatherLoadOp::verify() {
  ViewType view = getView().getType();
  auto rows = cast<RankedTensorType>(getRows().getType()),
       tile = cast<RankedTensorType>(getResult().getType());
  if (view.getRank() != 2 || tile.getRank() != 2 || rows.getRank() != 1)
    return emitOpError("picks rows: view and result have two dimensions, the index tile has one");
  if (view.getElementType() != tile.getElementType() || !rows.getElementType().isInteger(32))
    return emitOpError() << "the result holds what the view does, " << view.getElementType()
                         << ", and the index tile i32";
  if (!ShapedType::isDynamic(view.getShape()[1]) && tile.getShape()[1] > view.getShape()[1])
    return emitOpError() << "the result has " << tile.getShape()[1] << " columns, the view "
                         << view.getShape()[1];
  Expected<layout::RegLayout> index = layout::reduced(layoutOf(tile), 1);
  if (!index)
    return refuse(*this, index.status());
  if (!(layoutOf(rows) == *index))
    return emitOpError() << "the index tile needs the layout of the result reduced along dimension 1: "
                         << LayoutAttr::get(getContext(), *index);
  return success();
}

void GatherLoadOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getView(), /*write=*/false, Proxy::Generic, Completion::Op});
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// The address of every register is made of constants of lane, warp and register.
static LogicalResult checkShared(Operation *op, Type tileType, SharedType shared) {
  auto tile = cast<RankedTensorType>(tileType);
  if (failed(checkSameTile(op, tile, shared)))
    return failure();
  Status status = Proofs::once(
      op->getContext(), {Proofs::Addresses, keyOf(layoutAttr(tile)), keyOf(shared.getLayout())}, [&] {
        layout::Coord origin(shared.getShape().size(), 0);
        return layout::compose(layoutOf(tile), shared.getLayout().getLayout(), origin).takeStatus();
      });
  return status.ok() ? success() : refuse(op, status);
}

LogicalResult LoadSharedOp::verify() {
  return checkShared(*this, getResult().getType(), getSource().getType());
}

void LoadSharedOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getSource(), /*write=*/false, Proxy::Generic, Completion::Op});
}

LogicalResult StoreSharedOp::verify() {
  return checkShared(*this, getValue().getType(), getTarget().getType());
}

void StoreSharedOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getTarget(), /*write=*/true, Proxy::Generic, Completion::Op});
}

Expected<layout::MatrixAccess> k3::tile::matrixAccess(RankedTensorType tile, SharedType shared, bool trans) {
  int32_t regs = layoutOf(tile).numRegs();
  return layout::matrixAccess(layoutOf(tile), shared.getLayout().getLayout(),
                              layout::Coord(tile.getRank(), 0), trans,
                              regs % 8 == 0   ? 4
                              : regs % 4 == 0 ? 2
                                              : 1);
}

static LogicalResult checkMatrices(Operation *op, Type tileType, SharedType shared, Value memory,
                                   bool trans) {
  auto tile = cast<RankedTensorType>(tileType);
  if (failed(checkSameTile(op, tile, shared)))
    return failure();
  if (addressAlignment(memory) % 16 != 0)
    return op->emitOpError() << "the shared tile starts at a multiple of " << addressAlignment(memory)
                             << " bytes, a row of a matrix needs 16";
  Status status = Proofs::once(op->getContext(),
                               {Proofs::Matrices, keyOf(layoutAttr(tile)), keyOf(shared.getLayout()), trans},
                               [&] { return matrixAccess(tile, shared, trans).takeStatus(); });
  return status.ok() ? success() : refuse(op, status);
}

LogicalResult LdmatrixOp::verify() {
  return checkMatrices(*this, getResult().getType(), getSource().getType(), getSource(), getTrans());
}

void LdmatrixOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getSource(), /*write=*/false, Proxy::Generic, Completion::Op});
}

LogicalResult StmatrixOp::verify() {
  return checkMatrices(*this, getValue().getType(), getTarget().getType(), getTarget(), getTrans());
}

void StmatrixOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getTarget(), /*write=*/true, Proxy::Generic, Completion::Op});
}
