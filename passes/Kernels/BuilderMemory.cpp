//===- BuilderMemory.cpp - Copies, tiles, products, order -------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Kernels/Builder.h"

#include "lib/Layout/Transform.h"

using namespace mlir;
using namespace k3;
using namespace k3::kernels;

template <typename V> static SmallVector<Value> values(ArrayRef<V> list) {
  return llvm::map_to_vector(list, [](const V &each) -> Value { return each.v; });
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

Tile KernelBuilder::load(View view, Coords at, const layout::RegLayout &layout, Access access) {
  Type type = tile::tileType(layout, view.type().getElementType());
  return Tile{{this, tile::LoadOp::create(b, loc, type, view.v, values(at), values(access.limit), access.cache, access.raw)}};
}

void KernelBuilder::store(Tile value, View view, Coords at, Access access) {
  tile::StoreOp::create(b, loc, value.v, view.v, values(at), values(access.limit), access.cache);
}

void KernelBuilder::cpAsync(View view, Coords at, Shared target, const layout::RegLayout &lanes, ArrayRef<Scalar> limit) {
  tile::CpAsyncOp::create(b, loc, view.v, values(at), target.v, values(limit), tile::LayoutAttr::get(b.getContext(), lanes));
}
void KernelBuilder::cpAsyncCommit() { tile::CpAsyncCommitOp::create(b, loc); }
void KernelBuilder::cpAsyncWait(int64_t pending) { tile::CpAsyncWaitOp::create(b, loc, static_cast<uint64_t>(pending)); }

void KernelBuilder::copy(TensorMap map, Coords at, Shared target, Barrier barrier, Cursor cursor, Policy policy) {
  tile::MapLoadOp::create(b, loc, map.v, values(at), target.v, barrier.v, cursor.v, Value(), policy.v);
}
void KernelBuilder::copy(View view, Coords at, Shared target, Barrier barrier, Cursor cursor, Policy policy) {
  tile::BulkLoadOp::create(b, loc, view.v, values(at), target.v, barrier.v, cursor.v, policy.v);
}
void KernelBuilder::copyOut(Shared source, TensorMap map, Coords at) {
  tile::MapStoreOp::create(b, loc, source.v, map.v, values(at), Value(), false);
}
void KernelBuilder::copyOut(Shared source, View view, Coords at) {
  tile::BulkStoreOp::create(b, loc, source.v, view.v, values(at), Value());
}
void KernelBuilder::prefetch(View view, Coords at, int64_t bytes) {
  tile::BulkPrefetchOp::create(b, loc, view.v, values(at), static_cast<uint64_t>(bytes));
}
void KernelBuilder::bulkCommit() { tile::BulkCommitOp::create(b, loc); }
void KernelBuilder::bulkWait(int64_t pending, bool read) {
  tile::BulkWaitOp::create(b, loc, static_cast<uint64_t>(pending), read);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Tile KernelBuilder::load(Shared source, const layout::RegLayout &layout) {
  return Tile{{this, tile::LoadSharedOp::create(b, loc, tile::tileType(layout, source.type().getElementType()), source.v)}};
}
void KernelBuilder::store(Tile value, Shared target) { tile::StoreSharedOp::create(b, loc, value.v, target.v); }
Tile KernelBuilder::ldmatrix(Shared source, const layout::RegLayout &layout) {
  Type type = tile::tileType(layout, source.type().getElementType());
  return Tile{{this, tile::LdmatrixOp::create(b, loc, type, source.v, false)}};
}
void KernelBuilder::stmatrix(Tile value, Shared target) { tile::StmatrixOp::create(b, loc, value.v, target.v, false); }

/// Vectors of eight bf16, narrower for short rows that they would not fill; then as many rounds of the team as `warps` allow,
/// and no more warps than those need.
static std::pair<int64_t, int64_t> vectorAndWarps(int64_t extent, int64_t warps) {
  int64_t vector = 8;
  while (vector > 2 && 32 * vector > extent)
    vector /= 2;
  int64_t units = llvm::divideCeil(extent, 32 * vector), rounds = llvm::divideCeil(units, warps);
  return {vector, llvm::divideCeil(units, rounds)};
}

static layout::RegLayout blocked(int64_t extent, std::pair<int64_t, int64_t> shape) {
  auto [vector, warps] = shape;
  int64_t padded = llvm::alignTo(extent, 32 * vector * warps);
  return known(layout::rows(static_cast<int32_t>(vector), static_cast<int32_t>(padded), static_cast<int32_t>(warps)));
}

RowLanes::RowLanes(int64_t extent, int64_t warps)
    : layout(blocked(extent, vectorAndWarps(extent, warps))), warps(layout.numWarps()), exact(layout.shape()[0] == extent) {}

layout::SharedLayout kernels::rowShared(int64_t extent, int64_t elementBytes) {
  auto bytes = static_cast<int32_t>(elementBytes);
  return known(layout::SharedLayout::make(bytes, {{}}, {{0, static_cast<int32_t>(extent), bytes}}));
}

Ring::Ring(KernelBuilder &k, StringRef name, int64_t stages, int64_t releases)
    : k(k), stages(stages), full(k.barrier((name + "_full").str(), stages, 1)),
      empty(k.barrier((name + "_empty").str(), stages, releases)) {}

Shared Ring::add(StringRef name, const layout::SharedLayout &layout, Type element) {
  return k.alloc(name, layout, element, stages);
}

void Ring::acquire(Cursor at, int64_t bytes) const {
  empty.waitFree(at);
  full.expect(at, bytes);
}

//===----------------------------------------------------------------------===//
// Register tiles
//===----------------------------------------------------------------------===//

Tile KernelBuilder::splat(Scalar value, const layout::RegLayout &layout) {
  return Tile{{this, tile::SplatOp::create(b, loc, tile::tileType(layout, value.v.getType()), value.v)}};
}

Tile KernelBuilder::concat(ArrayRef<Tile> parts, int64_t dim) {
  if (parts.size() == 1)
    return parts.front();
  layout::RegLayout whole = known(layout::concat(parts.front().layout(), static_cast<int32_t>(dim),
                                                 static_cast<int32_t>(parts.size())));
  return Tile{{this, tile::ConcatOp::create(b, loc, tile::tileType(whole, parts.front().element()), values(parts),
                                              static_cast<uint64_t>(dim))}};
}

static SmallVector<Scalar> sums(KernelBuilder &k, ArrayRef<Tile> tiles, Shared scratch, tile::Across across) {
  SmallVector<Type> types(tiles.size(), k.f32);
  auto op = tile::ReduceOp::create(k.b, k.loc, types, values(tiles), scratch.v, uint64_t(0), tile::ReduceKind::Add, across,
                                       IntegerAttr());
  return llvm::map_to_vector(op.getResults(), [&](Value value) { return Scalar{{&k, value}}; });
}

SmallVector<Scalar> KernelBuilder::sum(ArrayRef<Tile> tiles, Shared scratch) {
  return sums(*this, tiles, scratch, scratch ? tile::Across::Team : tile::Across::Lane);
}
SmallVector<Scalar> KernelBuilder::sumCluster(ArrayRef<Tile> tiles, Shared scratch) {
  return sums(*this, tiles, scratch, tile::Across::Cluster);
}

Tile KernelBuilder::sumLanes(Tile value, int64_t dim) {
  layout::RegLayout rest = known(layout::reduced(value.layout(), static_cast<int32_t>(dim)));
  auto op = tile::ReduceOp::create(b, loc, TypeRange{tile::tileType(rest, value.element())}, ValueRange{value.v}, Value(),
                                     static_cast<uint64_t>(dim), tile::ReduceKind::Add, tile::Across::Lane, IntegerAttr());
  return Tile{{this, op.getResult(0)}};
}

Shared KernelBuilder::reduceScratch(StringRef name, int64_t warps, int64_t count, int64_t stages) {
  return alloc(name, known(layout::rowMajor(static_cast<int32_t>(warps), static_cast<int32_t>(count), 4)), f32, stages);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Pending KernelBuilder::wgmma(Shared a, Shared b, Pending acc) {
  auto columns = static_cast<int32_t>(b.type().getShape()[0]);
  auto tile = tile::tileType(known(layout::acc(columns)), f32);
  auto type = tile::PendingType::get(this->b.getContext(), tile);
  return Pending{{this, tile::WgmmaOp::create(this->b, loc, type, a.v, b.v, acc.v, false, false)}};
}
void KernelBuilder::wgmmaCommit() { tile::WgmmaCommitOp::create(b, loc); }
void KernelBuilder::wgmmaWait(int64_t pending) {
  tile::WgmmaWaitOp::create(b, loc, TypeRange{}, static_cast<uint64_t>(pending), ValueRange{}, ValueRange{});
}
SmallVector<Tile> KernelBuilder::wgmmaWait(int64_t pending, ArrayRef<Pending> list) {
  SmallVector<Type> types;
  for (Pending each : list)
    types.push_back(cast<tile::PendingType>(each.v.getType()).getTile());
  auto op = tile::WgmmaWaitOp::create(b, loc, types, static_cast<uint64_t>(pending), values(list), ValueRange{});
  return llvm::map_to_vector(op.getResults(), [&](Value value) { return Tile{{this, value}}; });
}
Tile KernelBuilder::mma(Tile a, Tile b, Tile c) { return Tile{{this, tile::MmaOp::create(this->b, loc, a.v, b.v, c.v)}}; }

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

void KernelBuilder::teamSync() { tile::TeamSyncOp::create(b, loc); }
void KernelBuilder::warpSync() { tile::WarpSyncOp::create(b, loc); }
void KernelBuilder::namedSync(StringRef name, int64_t warps, bool arrive) {
  tile::NamedSyncOp::create(b, loc, name, static_cast<uint64_t>(warps), arrive, false, IntegerAttr());
}
void KernelBuilder::clusterSync() {
  tile::ClusterArriveOp::create(b, loc, false);
  tile::ClusterWaitOp::create(b, loc);
}
void KernelBuilder::pdlWait() {
  if (dependent && has(arch::Feature::Pdl))
    tile::PdlWaitOp::create(b, loc);
}
void KernelBuilder::pdlLaunch() {
  if (dependent && has(arch::Feature::Pdl))
    tile::PdlLaunchOp::create(b, loc);
}
