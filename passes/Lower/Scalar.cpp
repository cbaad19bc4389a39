//===- Scalar.cpp - Instructions on scalars ------------------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Lower/Emitter.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace k3;
using namespace k3::lower;

//===----------------------------------------------------------------------===//
// Constants stand at the head of the function, each once
//===----------------------------------------------------------------------===//

Value Emitter::constant(Type type, int64_t value) {
  if (unsigned bits = type.getIntOrFloatBitWidth(); bits < 64)
    value = llvm::SignExtend64(value, bits);
  Value &made = constants[{type.getAsOpaquePointer(), value}];
  if (!made) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getBody().front());
    made = LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
  }
  return made;
}

Value Emitter::f32(float value) {
  Value &made = constants[{b.getF32Type().getAsOpaquePointer(), llvm::bit_cast<int32_t>(value)}];
  if (!made) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getBody().front());
    made = LLVM::ConstantOp::create(b, b.getF32Type(), b.getF32FloatAttr(value));
  }
  return made;
}

static std::optional<int64_t> known(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Integers; what is known is folded
//===----------------------------------------------------------------------===//

Value Emitter::add(Value x, int64_t y) {
  if (y == 0)
    return x;
  if (auto c = known(x))
    return constant(x.getType(), *c + y);
  return LLVM::AddOp::create(b, x, constant(x.getType(), y));
}

Value Emitter::add(Value x, Value y) {
  if (auto c = known(y))
    return add(x, *c);
  if (auto c = known(x))
    return add(y, *c);
  return LLVM::AddOp::create(b, x, y);
}

Value Emitter::mul(Value x, int64_t y) {
  if (auto c = known(x))
    return constant(x.getType(), *c * y);
  if (y == 0)
    return constant(x.getType(), 0);
  if (layout::isPowerOfTwo(y))
    return shl(x, layout::log2Exact(y));
  return LLVM::MulOp::create(b, x, constant(x.getType(), y));
}

Value Emitter::shl(Value x, int64_t y) {
  if (y < 0)
    return shr(x, -y);
  if (auto c = known(x))
    return constant(x.getType(), *c << y);
  return y == 0 ? x : LLVM::ShlOp::create(b, x, constant(x.getType(), y));
}

Value Emitter::shr(Value x, int64_t y) {
  return y == 0 ? x : LLVM::LShrOp::create(b, x, constant(x.getType(), y));
}

Value Emitter::land(Value x, int64_t y) { return LLVM::AndOp::create(b, x, constant(x.getType(), y)); }

Value Emitter::lxor(Value x, int64_t y) {
  return y == 0 ? x : LLVM::XOrOp::create(b, x, constant(x.getType(), y));
}

Value Emitter::lxor(Value x, Value y) {
  if (auto c = known(y))
    return lxor(x, *c);
  if (auto c = known(x))
    return lxor(y, *c);
  return LLVM::XOrOp::create(b, x, y);
}

Value Emitter::compare(LLVM::ICmpPredicate predicate, Value x, Value y) {
  return LLVM::ICmpOp::create(b, predicate, x, y);
}

Value Emitter::compare(LLVM::ICmpPredicate predicate, Value x, int64_t y) {
  return compare(predicate, x, constant(x.getType(), y));
}

Value Emitter::both(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return LLVM::AndOp::create(b, x, y);
}

Value Emitter::toI64(Value x) {
  if (auto c = known(x))
    return i64(*c);
  return x.getType() == b.getI64Type() ? x : LLVM::SExtOp::create(b, b.getI64Type(), x);
}

//===----------------------------------------------------------------------===//
// Assembly and structures
//===----------------------------------------------------------------------===//

Value Emitter::assembly(StringRef text, StringRef constraints, ValueRange operands, Type result,
                        bool sideEffects) {
  auto op = LLVM::InlineAsmOp::create(
      b, result ? TypeRange(result) : TypeRange(), operands, text, constraints, sideEffects,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr());
  return result ? op.getRes() : Value();
}

Registers Emitter::fields(Value value) {
  auto type = dyn_cast<LLVM::LLVMStructType>(value.getType());
  if (!type)
    return {value};
  Registers list;
  for (int64_t i = 0, e = type.getBody().size(); i < e; ++i)
    list.push_back(LLVM::ExtractValueOp::create(b, value, i));
  return list;
}

Value Emitter::structure(ValueRange list) {
  Value value = LLVM::UndefOp::create(
      b, LLVM::LLVMStructType::getLiteral(b.getContext(), llvm::to_vector(list.getTypes())));
  for (auto [i, field] : llvm::enumerate(list))
    value = LLVM::InsertValueOp::create(b, value, field, static_cast<int64_t>(i));
  return value;
}

//===----------------------------------------------------------------------===//
// Pointers, warps
//===----------------------------------------------------------------------===//

Value Emitter::offsetPointer(Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  LLVM::GEPArg index = llvm::isInt<32>(bytes) ? LLVM::GEPArg(static_cast<int32_t>(bytes)) : LLVM::GEPArg(i64(bytes));
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer, ArrayRef<LLVM::GEPArg>{index});
}

Value Emitter::bytesBehind(Value pointer, Value bytes) {
  if (auto c = known(bytes))
    return offsetPointer(pointer, *c);
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer, ArrayRef<LLVM::GEPArg>{bytes});
}

Value Emitter::sharedPointer(Value address, int64_t offset) {
  return offsetPointer(LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), 3), address),
                       offset);
}

Value Emitter::clusterPointer(Value address, int64_t offset) {
  return offsetPointer(LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), 7), address),
                       offset);
}

void Emitter::warpSync() { NVVM::SyncWarpOp::create(b, i32(-1)); }

Value Emitter::shuffle(Value value, NVVM::ShflKind kind, Value lane) {
  return NVVM::ShflOp::create(b, value.getType(), i32(-1), value, lane, i32(31), kind, UnitAttr());
}
