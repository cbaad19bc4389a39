//===- KernelValues.cpp - Operators on the values of a kernel --------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Host/Kernels/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace k3::host;

namespace {

template <typename Op, typename T>
T emit(T a, T b) {
  KernelBuilder *k = a.k;
  return T{{k, k->b.createOrFold<Op>(k->loc, a.v, b.v)}};
}

/// A scalar that meets a vector becomes one.
void meet(F &a, F &b) {
  if (isa<VectorType>(a.v.getType()) && !isa<VectorType>(b.v.getType()))
    b = a.k->splat(b);
  else if (isa<VectorType>(b.v.getType()) && !isa<VectorType>(a.v.getType()))
    a = a.k->splat(a);
}

template <typename Op>
F emitFloat(F a, F b) {
  meet(a, b);
  return F{{a.k, Op::create(a.k->b, a.k->loc, a.v, b.v)}};
}

Bool compareIndex(arith::CmpIPredicate predicate, Index a, Index b) {
  return Bool{{a.k, a.k->b.createOrFold<arith::CmpIOp>(a.k->loc, predicate, a.v, b.v)}};
}

Bool compareFloat(arith::CmpFPredicate predicate, F a, F b) {
  meet(a, b);
  return Bool{{a.k, arith::CmpFOp::create(a.k->b, a.k->loc, predicate, a.v, b.v)}};
}

} // namespace

namespace k3::host {

//===----------------------------------------------------------------------===//
// Index
//===----------------------------------------------------------------------===//

Index operator+(Index a, Index b) { return emit<arith::AddIOp>(a, b); }
Index operator-(Index a, Index b) { return emit<arith::SubIOp>(a, b); }
Index operator*(Index a, Index b) { return emit<arith::MulIOp>(a, b); }
Index operator+(Index a, int64_t b) { return a + a.k->index(b); }
Index operator-(Index a, int64_t b) { return a - a.k->index(b); }
Index operator*(Index a, int64_t b) { return a * a.k->index(b); }
// Unsigned: the numbers are >= 0, and a power of two becomes a shift.
Index operator/(Index a, int64_t b) { return emit<arith::DivUIOp>(a, a.k->index(b)); }
Index operator/(Index a, Index b) { return emit<arith::DivUIOp>(a, b); }
Index operator%(Index a, int64_t b) { return emit<arith::RemUIOp>(a, a.k->index(b)); }
Bool operator<(Index a, Index b) { return compareIndex(arith::CmpIPredicate::slt, a, b); }
Bool operator<(Index a, int64_t b) { return a < a.k->index(b); }
Bool operator>=(Index a, int64_t b) { return compareIndex(arith::CmpIPredicate::sge, a, a.k->index(b)); }
Bool operator==(Index a, Index b) { return compareIndex(arith::CmpIPredicate::eq, a, b); }
Bool operator==(Index a, int64_t b) { return a == a.k->index(b); }
Bool operator!=(Index a, Index b) { return compareIndex(arith::CmpIPredicate::ne, a, b); }
Index min(Index a, Index b) { return emit<arith::MinSIOp>(a, b); }
Index max(Index a, Index b) { return emit<arith::MaxSIOp>(a, b); }

Bool operator&&(Bool a, Bool b) { return emit<arith::AndIOp>(a, b); }
Bool operator||(Bool a, Bool b) { return emit<arith::OrIOp>(a, b); }
Bool operator!(Bool a) {
  Value one = arith::ConstantOp::create(a.k->b, a.k->loc, a.k->b.getOneAttr(a.v.getType()));
  return emit<arith::XOrIOp>(a, Bool{{a.k, one}});
}

//===----------------------------------------------------------------------===//
// F
//===----------------------------------------------------------------------===//

F operator+(F a, F b) { return emitFloat<arith::AddFOp>(a, b); }
F operator-(F a, F b) { return emitFloat<arith::SubFOp>(a, b); }
F operator*(F a, F b) { return emitFloat<arith::MulFOp>(a, b); }
F operator/(F a, F b) { return emitFloat<arith::DivFOp>(a, b); }
F operator-(F a) { return F{{a.k, arith::NegFOp::create(a.k->b, a.k->loc, a.v)}}; }
F operator+(F a, float b) { return a + a.k->constant(b); }
F operator-(F a, float b) { return a - a.k->constant(b); }
F operator*(F a, float b) { return a * a.k->constant(b); }
F operator/(F a, float b) { return a / a.k->constant(b); }
F operator+(float a, F b) { return b.k->constant(a) + b; }
F operator-(float a, F b) { return b.k->constant(a) - b; }
F operator*(float a, F b) { return b.k->constant(a) * b; }
F operator/(float a, F b) { return b.k->constant(a) / b; }
Bool operator<(F a, F b) { return compareFloat(arith::CmpFPredicate::OLT, a, b); }
Bool operator>(F a, F b) { return compareFloat(arith::CmpFPredicate::OGT, a, b); }
Bool isNan(F a) { return compareFloat(arith::CmpFPredicate::UNO, a, a); }

F fma(F a, F b, F c) {
  meet(a, b);
  meet(a, c);
  meet(b, c);
  return F{{a.k, math::FmaOp::create(a.k->b, a.k->loc, a.v, b.v, c.v)}};
}

F select(Bool condition, F a, F b) {
  meet(a, b);
  return F{{a.k, arith::SelectOp::create(a.k->b, a.k->loc, condition.v, a.v, b.v)}};
}

Index select(Bool condition, Index a, Index b) {
  return Index{{a.k, arith::SelectOp::create(a.k->b, a.k->loc, condition.v, a.v, b.v)}};
}

F maxOf(F a, F b) { return select(a > b, a, b); }

//===----------------------------------------------------------------------===//
// Rows and views
//===----------------------------------------------------------------------===//

static SmallVector<Value, 4> subscripts(const Row &row, Index column) {
  SmallVector<Value, 4> all(row.leading.begin(), row.leading.end());
  Index last = row.offset ? column + Index{{row.k, row.offset}} : column;
  all.push_back(last.v);
  return all;
}

F Row::operator[](Lane c) const {
  if (c.width == 1)
    return (*this)[c.index];
  auto type = VectorType::get({lanes}, k->b.getF32Type());
  return F{{k, vector::LoadOp::create(k->b, k->loc, type, buffer, subscripts(*this, c.index))}};
}
F Row::operator[](Index c) const {
  return F{{k, memref::LoadOp::create(k->b, k->loc, buffer, subscripts(*this, c))}};
}
F Row::operator[](int64_t c) const { return (*this)[k->index(c)]; }

void Row::set(Lane c, F value) const {
  if (c.width == 1)
    return set(c.index, value);
  vector::StoreOp::create(k->b, k->loc, k->splat(value).v, buffer, subscripts(*this, c.index));
}
void Row::set(Index c, F value) const {
  memref::StoreOp::create(k->b, k->loc, value.v, buffer, subscripts(*this, c));
}
void Row::set(int64_t c, F value) const { set(k->index(c), value); }

Row Row::from(Index start) const {
  Row shifted = *this;
  shifted.offset = offset ? (Index{{k, offset}} + start).v : start.v;
  return shifted;
}
Row Row::from(int64_t start) const { return from(k->index(start)); }

Index Row::integer(Index c) const {
  Value loaded = memref::LoadOp::create(k->b, k->loc, buffer, subscripts(*this, c));
  return Index{{k, arith::IndexCastOp::create(k->b, k->loc, k->b.getIndexType(), loaded)}};
}
void Row::setInteger(Index c, Index value) const {
  Value narrow = arith::IndexCastOp::create(k->b, k->loc, k->b.getI32Type(), value.v);
  memref::StoreOp::create(k->b, k->loc, narrow, buffer, subscripts(*this, c));
}
I32 Row::gatherBytes(Index c, int64_t rowBytes) const {
  SmallVector<Value> parts;
  for (int64_t i = 0; i < lanes; ++i) {
    Value byte = memref::LoadOp::create(k->b, k->loc, buffer, subscripts(*this, c + i * rowBytes));
    parts.push_back(arith::ExtUIOp::create(k->b, k->loc, k->b.getI32Type(), byte));
  }
  auto type = VectorType::get({lanes}, k->b.getI32Type());
  return I32{{k, vector::FromElementsOp::create(k->b, k->loc, type, parts)}};
}
I32 Row::gatherWords(Index c, int64_t rowBytes) const {
  auto bytes = VectorType::get({4}, k->b.getI8Type()), word = VectorType::get({1}, k->b.getI32Type());
  SmallVector<Value> parts;
  for (int64_t i = 0; i < lanes; ++i) {
    Value four = vector::LoadOp::create(k->b, k->loc, bytes, buffer, subscripts(*this, c + i * rowBytes));
    Value one = vector::BitCastOp::create(k->b, k->loc, word, four);
    parts.push_back(vector::ExtractOp::create(k->b, k->loc, one, 0));
  }
  auto type = VectorType::get({lanes}, k->b.getI32Type());
  return I32{{k, vector::FromElementsOp::create(k->b, k->loc, type, parts)}};
}

Row View::operator()(int64_t i) const { return (*this)(k->index(i)); }
Row View::operator()(Index i, int64_t j) const { return (*this)(i, k->index(j)); }
Index View::rows() const { return Index{{k, memref::DimOp::create(k->b, k->loc, buffer, k->index(0).v)}}; }

} // namespace k3::host
