//===- Values.cpp - Arithmetic of kernel builder code -----------*- C++ -*-===//
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

namespace {

template <typename OpTy, typename Result, typename... Operands> Result make(Result like, Operands... operands) {
  KernelBuilder &k = *like.k;
  return Result{{&k, OpTy::create(k.b, k.loc, operands...)->getResult(0)}};
}

bool isInt(Val value) { return getElementTypeOrSelf(value.v.getType()).isInteger(32); }

/// `OpI` on i32, `OpF` on floats.
template <typename OpI, typename OpF, typename V> V arithmetic(V a, V b) {
  return isInt(a) ? make<OpI>(a, a.v, b.v) : make<OpF>(a, a.v, b.v);
}

Scalar number(Scalar like, double value) {
  return isInt(like) ? like.k->i32(static_cast<int64_t>(value)) : like.k->f32c(value);
}
Tile number(Tile like, double value) { return like.k->splat(like.k->f32c(value), like.layout()); }
Tile spread(Tile like, Scalar value) { return like.k->splat(value, like.layout()); }

Scalar compare(arith::CmpIPredicate predicate, Scalar a, Scalar b) {
  return make<arith::CmpIOp>(a, predicate, a.v, b.v);
}

arith::FastMathFlagsAttr approximate(Val x) {
  return arith::FastMathFlagsAttr::get(x.k->b.getContext(), arith::FastMathFlags::afn);
}

} // namespace

namespace k3::kernels {

Scalar operator+(Scalar a, Scalar b) { return arithmetic<arith::AddIOp, arith::AddFOp>(a, b); }
Scalar operator-(Scalar a, Scalar b) { return arithmetic<arith::SubIOp, arith::SubFOp>(a, b); }
Scalar operator*(Scalar a, Scalar b) { return arithmetic<arith::MulIOp, arith::MulFOp>(a, b); }
Scalar operator+(Scalar a, double b) { return a + number(a, b); }
Scalar operator-(Scalar a, double b) { return a - number(a, b); }
Scalar operator*(Scalar a, double b) { return a * number(a, b); }
Scalar operator/(Scalar a, Scalar b) { return make<arith::DivUIOp>(a, a.v, b.v); }
Scalar operator%(Scalar a, Scalar b) { return make<arith::RemUIOp>(a, a.v, b.v); }
Scalar operator/(Scalar a, int64_t b) { return a / a.k->i32(b); }
Scalar operator%(Scalar a, int64_t b) { return a % a.k->i32(b); }
Scalar operator<(Scalar a, Scalar b) { return compare(arith::CmpIPredicate::slt, a, b); }
Scalar operator<(Scalar a, int64_t b) { return a < a.k->i32(b); }
Scalar operator==(Scalar a, int64_t b) { return compare(arith::CmpIPredicate::eq, a, a.k->i32(b)); }
Scalar operator&(Scalar a, Scalar b) { return make<arith::AndIOp>(a, a.v, b.v); }
Scalar min(Scalar a, Scalar b) { return arithmetic<arith::MinSIOp, arith::MinimumFOp>(a, b); }
Scalar min(Scalar a, int64_t b) { return min(a, a.k->i32(b)); }
Scalar max(Scalar a, Scalar b) { return arithmetic<arith::MaxSIOp, arith::MaximumFOp>(a, b); }
Scalar select(Scalar condition, Scalar then, Scalar otherwise) {
  return make<arith::SelectOp>(then, condition.v, then.v, otherwise.v);
}
Scalar ceilDiv(Scalar a, int64_t b) { return (a + a.k->i32(b - 1)) / b; }

Tile operator+(Tile a, Tile b) { return arithmetic<arith::AddIOp, arith::AddFOp>(a, b); }
Tile operator-(Tile a, Tile b) { return arithmetic<arith::SubIOp, arith::SubFOp>(a, b); }
Tile operator*(Tile a, Tile b) { return arithmetic<arith::MulIOp, arith::MulFOp>(a, b); }
Tile operator+(Tile a, Scalar b) { return a + spread(a, b); }
Tile operator*(Tile a, Scalar b) { return a * spread(a, b); }
Tile operator+(Tile a, double b) { return a + number(a, b); }
Tile operator*(Tile a, double b) { return a * number(a, b); }
Tile min(Tile a, double b) { return make<arith::MinimumFOp>(a, a.v, number(a, b).v); }
Tile max(Tile a, double b) { return make<arith::MaximumFOp>(a, a.v, number(a, b).v); }
Tile fma(Tile a, Tile b, Tile c) { return make<math::FmaOp>(a, a.v, b.v, c.v); }
Tile fma(Tile a, Scalar b, Tile c) { return fma(a, spread(a, b), c); }

Tile exp2(Tile x) { return make<math::Exp2Op>(x, x.v, approximate(x)); }
Tile rcp(Tile x) { return make<tile::RcpOp>(x, x.v); }
Scalar exp2(Scalar x) { return make<math::Exp2Op>(x, x.v, approximate(x)); }
Scalar rsqrt(Scalar x) { return make<math::RsqrtOp>(x, x.v, approximate(x)); }
Scalar rcp(Scalar x) { return make<tile::RcpOp>(x, x.v); }

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

Tile Tile::to(Type to) const {
  if (to == element())
    return *this;
  RankedTensorType result = tile::tileType(layout(), to);
  if (to.getIntOrFloatBitWidth() > element().getIntOrFloatBitWidth())
    return make<arith::ExtFOp>(*this, result, v);
  return make<arith::TruncFOp>(*this, result, v);
}

Tile Tile::slice(int64_t dim, int64_t offset, int64_t extent) const {
  if (offset == 0 && extent == this->extent(dim))
    return *this;
  auto d = static_cast<int32_t>(dim);
  Expected<layout::Slice> part = layout::slice(layout(), d, static_cast<int32_t>(offset), static_cast<int32_t>(extent));
  if (part)
    return make<tile::SliceOp>(*this, tile::tileType(part->layout, element()), v, static_cast<uint64_t>(dim),
                               static_cast<uint64_t>(offset), false);
  // Not one part of the layout's core, but several: 72 of 144 columns are nine eights.
  const int64_t piece = (offset | extent) & -(offset | extent);
  if (piece == extent)
    llvm::report_fatal_error(llvm::Twine("a kernel asked for a part that does not exist: ") + part.status().text());
  SmallVector<Tile> pieces;
  for (int64_t at = offset; at < offset + extent; at += piece)
    pieces.push_back(slice(dim, at, piece));
  return k->concat(pieces, dim);
}

Tile Tile::trans() const {
  const int32_t order[] = {1, 0};
  return make<tile::TransOp>(*this, tile::tileType(known(layout::transposed(layout(), order)), element()), v);
}

//===----------------------------------------------------------------------===//
// Shared memory, cursors, barriers
//===----------------------------------------------------------------------===//

Cursor Cursor::next(int64_t by) const { return make<tile::AdvanceOp>(*this, v, by); }

Shared Shared::operator[](Cursor cursor) const { return make<tile::SlotOp>(*this, v, cursor.v); }
Shared Shared::operator[](Scalar number) const { return make<tile::SlotOp>(*this, v, number.v); }
Shared Shared::operator[](int64_t number) const { return (*this)[k->i32(number)]; }

Shared Shared::part(int64_t dim, int64_t size, Scalar index) const {
  if (type().getShape()[dim] == size)
    return *this;
  tile::SharedType result = known(tile::PartOp::partType(type(), dim, size));
  return make<tile::PartOp>(*this, result, v, index.v, static_cast<uint64_t>(dim));
}
Shared Shared::part(int64_t dim, int64_t size, int64_t index) const { return part(dim, size, k->i32(index)); }

Shared Shared::as(const layout::SharedLayout &layout, Type element, int64_t offset, int64_t stages) const {
  SmallVector<int64_t> shape(layout.shape().begin(), layout.shape().end());
  auto attr = tile::SmemAttr::get(v.getContext(), layout);
  auto result = tile::SharedType::get(v.getContext(), shape, element, attr, stages);
  if (result == type())
    return *this;
  return make<tile::AliasOp>(*this, result, v, static_cast<uint64_t>(offset));
}

Shared Shared::peer(Scalar rank) const { return make<tile::PeerOp>(*this, v, rank.v); }

void Barrier::expect(Cursor at, int64_t bytes) const {
  tile::MbarExpectOp::create(k->b, k->loc, v, at.v, static_cast<uint64_t>(bytes));
}
void Barrier::arrive(Cursor at) const { tile::MbarArriveOp::create(k->b, k->loc, v, at.v, Value()); }
void Barrier::wait(Cursor at) const { tile::MbarWaitOp::create(k->b, k->loc, v, at.v, false); }
void Barrier::waitFree(Cursor at) const { tile::MbarWaitOp::create(k->b, k->loc, v, at.v, true); }

} // namespace k3::kernels
