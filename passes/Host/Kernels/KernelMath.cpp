//===- KernelMath.cpp - exp, tanh and their relatives, spelled out ---------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise functions as plain IEEE arithmetic, so that a value does not depend on a math library, on the
// vector width, or on which side of a tail a column lies. Polynomials are Taylor series cut where the
// remainder on the reduced range is far below half an ulp.
//
//===----------------------------------------------------------------------===//

#include "passes/Host/Kernels/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace k3::host {

/// Adding 1.5 * 2^23 rounds to the nearest integer and leaves it in the low bits of the sum.
static constexpr float roundingShift = 12582912.0f;
static constexpr int32_t roundingShiftBits = 0x4B400000;

static Value bitsOf(F a) {
  Type type = a.k->b.getI32Type();
  if (auto vector = dyn_cast<VectorType>(a.v.getType()))
    type = VectorType::get(vector.getShape(), type);
  return arith::BitcastOp::create(a.k->b, a.k->loc, type, a.v);
}

static Value integerLike(Val shape, int32_t value) {
  OpBuilder &b = shape.k->b;
  if (auto vector = dyn_cast<VectorType>(shape.v.getType()))
    return arith::ConstantOp::create(
        b, shape.k->loc, DenseElementsAttr::get(VectorType::get(vector.getShape(), b.getI32Type()), value));
  return arith::ConstantOp::create(b, shape.k->loc, b.getI32IntegerAttr(value));
}

/// 2^n for an integer n in [-126, 127].
static F powerOfTwo(F shape, Value n) {
  OpBuilder &b = shape.k->b;
  Location loc = shape.k->loc;
  Value biased = arith::AddIOp::create(b, loc, n, integerLike(shape, 127));
  Value bits = arith::ShLIOp::create(b, loc, biased, integerLike(shape, 23));
  return F{{shape.k, arith::BitcastOp::create(b, loc, shape.v.getType(), bits)}};
}

namespace {
/// a = n ln 2 + r with |r| <= ln 2 / 2; n as a number and as an integer.
struct Reduced {
  F r;
  Value n;
};
} // namespace

static Reduced reduceByLn2(F a) {
  F shifted = fma(a, a.k->constant(1.44269504f), a.k->constant(roundingShift));
  F n = shifted - roundingShift;
  // ln 2 in two parts, the first short enough that n times it is exact.
  F r = fma(n, a.k->constant(-0.693359375f), a);
  r = fma(n, a.k->constant(2.12194440e-4f), r);
  Value integer = arith::SubIOp::create(a.k->b, a.k->loc, bitsOf(shifted), integerLike(a, roundingShiftBits));
  return {r, integer};
}

/// (e^r - 1 - r) / r^2 on the reduced range; the remainder r^9 / 9! is below 2e-10.
static F expSeries(F r) {
  KernelBuilder *k = r.k;
  F p = k->like(r, 1.0f / 40320);
  for (float c : {1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f})
    p = fma(p, r, k->constant(c));
  return p;
}

F exp(F a) {
  // Beyond these bounds the result is 0 or infinity anyway; select keeps NaN.
  a = select(a < a.k->constant(-104.0f), a.k->constant(-104.0f), a);
  a = select(a > a.k->constant(89.0f), a.k->constant(89.0f), a);
  auto [r, n] = reduceByLn2(a);
  F p = fma(expSeries(r), r * r, r) + 1.0f;
  // Two factors, since 2^n itself may be out of range where the result is denormal or infinite.
  OpBuilder &b = a.k->b;
  Value half = arith::ShRSIOp::create(b, a.k->loc, n, integerLike(a, 1));
  Value rest = arith::SubIOp::create(b, a.k->loc, n, half);
  return p * powerOfTwo(a, half) * powerOfTwo(a, rest);
}

F tanh(F a) {
  // With e = e^2|a| - 1: tanh |a| = e / (e + 2). No cancellation near 0, where e is the series itself.
  F magnitude = F{{a.k, math::AbsFOp::create(a.k->b, a.k->loc, a.v)}};
  F twice = magnitude + magnitude;
  twice = select(twice > a.k->constant(20.0f), a.k->constant(20.0f), twice);
  auto [r, n] = reduceByLn2(twice);
  F q = fma(expSeries(r), r * r, r);
  F scale = powerOfTwo(a, n);
  F e = fma(q, scale, scale - 1.0f);
  F t = e / (e + 2.0f);
  return F{{a.k, math::CopySignOp::create(a.k->b, a.k->loc, t.v, a.v)}};
}

F sqrt(F a) { return F{{a.k, math::SqrtOp::create(a.k->b, a.k->loc, a.v)}}; }
F rsqrt(F a) { return 1.0f / sqrt(a); }
F sigmoid(F a) { return 1.0f / (1.0f + exp(-a)); }
F silu(F a) { return a / (1.0f + exp(-a)); }

F situ(F a, F u, float beta, float linearBeta) {
  F gate = beta * tanh(a / beta) * sigmoid(a);
  return gate * (linearBeta * tanh(u / linearBeta));
}

//===----------------------------------------------------------------------===//
// MX decoding (OCP MX 1.0: E2M1 elements, E8M0 scales)
//===----------------------------------------------------------------------===//

F decodeE2M1Twice(I32 packed, int64_t nibble) {
  OpBuilder &b = packed.k->b;
  Location loc = packed.k->loc;
  auto number = [&](int32_t value) { return integerLike(packed, value); };
  auto shift = [&](Value value, int64_t left) -> Value {
    if (left < 0)
      return arith::ShRUIOp::create(b, loc, value, number(-left));
    return left ? Value(arith::ShLIOp::create(b, loc, value, number(left))) : value;
  };
  // Twice the magnitudes 0 0.5 1 1.5 2 3 4 6 are the nibbles of one word; the code times 4 is the shift to
  // its own.
  Value code = arith::AndIOp::create(b, loc, shift(packed.v, 2 - 4 * nibble), number(7 << 2));
  Value entry = arith::ShRUIOp::create(b, loc, number(int32_t(0xC8643210u)), code);
  Value twice = arith::AndIOp::create(b, loc, entry, number(15));
  Type type = b.getF32Type();
  if (auto vector = dyn_cast<VectorType>(packed.v.getType()))
    type = VectorType::get(vector.getShape(), type);
  F magnitude{{packed.k, arith::SIToFPOp::create(b, loc, type, twice)}};
  // The sign bit goes on by or, so that a negative zero keeps it.
  Value sign = arith::AndIOp::create(b, loc, shift(packed.v, 28 - 4 * nibble), number(INT32_MIN));
  Value whole = arith::OrIOp::create(b, loc, bitsOf(magnitude), sign);
  return F{{packed.k, arith::BitcastOp::create(b, loc, type, whole)}};
}

F scaleE8M0(I32 byte) {
  OpBuilder &b = byte.k->b;
  Location loc = byte.k->loc;
  // Byte 0 is 2^-127, a denormal.
  Value normal = arith::ShLIOp::create(b, loc, byte.v, integerLike(byte, 23));
  Value isZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, byte.v, integerLike(byte, 0));
  Value bits = arith::SelectOp::create(b, loc, isZero, integerLike(byte, 0x00400000), normal);
  Type type = b.getF32Type();
  if (auto vector = dyn_cast<VectorType>(byte.v.getType()))
    type = VectorType::get(vector.getShape(), type);
  return F{{byte.k, arith::BitcastOp::create(b, loc, type, bits)}};
}

} // namespace k3::host
