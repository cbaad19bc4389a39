//===- Elementwise.cpp - arith and math on tiles and scalars -------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Lower/Emitter.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace k3;
using namespace k3::lower;

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

static bool approximates(Operation *op) {
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  return fast && arith::bitEnumContainsAny(fast.getFastMathFlagsAttr().getValue(), arith::FastMathFlags::afn);
}

Value Emitter::approximate(StringRef instruction, ValueRange operands) {
  std::string text = (instruction + " $0").str(), constraints = "=f";
  for (size_t i = 0; i < operands.size(); ++i) {
    text += ", $" + std::to_string(i + 1);
    constraints += ",f";
  }
  return assembly(text + ";", constraints, operands, b.getF32Type(), /*sideEffects=*/false);
}

FailureOr<Value> Emitter::scalarOp(Operation *op, ValueRange operands, Type result) {
  constexpr float log2e = 1.44269504088896340736f, ln2 = 0.69314718055994530942f;
  bool approximate = approximates(op), single = result.isF32();
  auto times = [&](Value x, float factor) -> Value { return LLVM::FMulOp::create(b, x, f32(factor)); };
  auto fast = [&](StringRef instruction) -> FailureOr<Value> {
    if (!single || !approximate)
      return op->emitOpError()
             << "is not lowered without fastmath<afn> in f32: it has no exact code without a library";
    return this->approximate(instruction, operands);
  };
  return llvm::TypeSwitch<Operation *, FailureOr<Value>>(op)
      .Case([&](math::Exp2Op) { return fast("ex2.approx.ftz.f32"); })
      .Case([&](math::ExpOp) -> FailureOr<Value> {
        if (!single || !approximate)
          return fast("");
        return this->approximate("ex2.approx.ftz.f32", times(operands[0], log2e));
      })
      .Case([&](math::Log2Op) { return fast("lg2.approx.ftz.f32"); })
      .Case([&](math::LogOp) -> FailureOr<Value> {
        FailureOr<Value> log2 = fast("lg2.approx.ftz.f32");
        return failed(log2) ? log2 : FailureOr<Value>(times(*log2, ln2));
      })
      .Case([&](math::TanhOp) { return fast("tanh.approx.f32"); })
      .Case([&](math::SinOp) { return fast("sin.approx.ftz.f32"); })
      .Case([&](math::CosOp) { return fast("cos.approx.ftz.f32"); })
      .Case([&](math::RsqrtOp) -> FailureOr<Value> {
        if (approximate && single)
          return fast("rsqrt.approx.ftz.f32");
        Value root = LLVM::SqrtOp::create(b, operands[0]);
        Value unit = LLVM::ConstantOp::create(b, result, b.getFloatAttr(result, 1.0));
        return Value(LLVM::FDivOp::create(b, unit, root));
      })
      .Case([&](math::SqrtOp) -> FailureOr<Value> {
        if (approximate && single)
          return fast("sqrt.approx.ftz.f32");
        return Value(LLVM::SqrtOp::create(b, operands[0]));
      })
      .Case([&](arith::DivFOp) -> FailureOr<Value> {
        if (approximate && single)
          return fast("div.approx.ftz.f32");
        return Value(LLVM::FDivOp::create(b, operands[0], operands[1]));
      })
      .Case([&](math::AbsFOp) -> FailureOr<Value> { return Value(LLVM::FAbsOp::create(b, operands[0])); })
      .Case([&](math::AbsIOp) -> FailureOr<Value> {
        return Value(LLVM::AbsOp::create(b, operands[0].getType(), operands[0], false));
      })
      .Case([&](math::FmaOp) -> FailureOr<Value> {
        return Value(LLVM::FMAOp::create(b, operands[0], operands[1], operands[2]));
      })
      .Case([&](math::FloorOp) -> FailureOr<Value> { return Value(LLVM::FFloorOp::create(b, operands[0])); })
      .Case([&](math::CeilOp) -> FailureOr<Value> { return Value(LLVM::FCeilOp::create(b, operands[0])); })
      .Case([&](math::RoundEvenOp) -> FailureOr<Value> {
        return Value(LLVM::RoundEvenOp::create(b, operands[0]));
      })
      .Case([&](math::CopySignOp) -> FailureOr<Value> {
        return Value(LLVM::CopySignOp::create(b, operands[0], operands[1]));
      })
      .Case([&](math::CtPopOp) -> FailureOr<Value> { return Value(LLVM::CtPopOp::create(b, operands[0])); })
      .Case([&](math::CountLeadingZerosOp) -> FailureOr<Value> {
        return Value(LLVM::CountLeadingZerosOp::create(b, operands[0].getType(), operands[0], false));
      })
      .Default([&](Operation *other) -> FailureOr<Value> {
        if (!isa<arith::ArithDialect>(other->getDialect()) || other->getNumResults() != 1)
          return other->emitOpError() << "is not lowered to NVVM";
        OperationState state(b.getLoc(), other->getName(), operands, result,
                             other->getAttrDictionary().getValue());
        return b.create(state)->getResult(0);
      });
}

LogicalResult Emitter::lower(tile::RcpOp op) {
  Registers results;
  for (Value x : get(op.getValue()))
    results.push_back(approximate("rcp.approx.ftz.f32", x));
  set(op.getResult(), results);
  return success();
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Ops that exist on pairs of 16-bit floats, or on any bits.
static bool worksPacked(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0));
  if (llvm::any_of(op->getOperandTypes(), [&](Type type) { return getElementTypeOrSelf(type) != element; }))
    return false;
  if (element.isBF16() || element.isF16())
    return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp, arith::MaxNumFOp, arith::MinNumFOp,
               arith::MaximumFOp, arith::MinimumFOp, math::FmaOp, math::AbsFOp>(op);
  return element.isInteger() && isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
}

/// f32 to 16 bits, two at a time: a scalar conversion costs twice.
static Value narrow(ImplicitLocOpBuilder &b, Type element, Value low, Value high) {
  auto rounding = NVVM::FPRoundingMode::RN;
  auto pair = VectorType::get(2, element);
  Value packed = element.isBF16()
                     ? Value(NVVM::ConvertF32x2ToBF16x2Op::create(b, pair, high, low, Value(), rounding))
                     : Value(NVVM::ConvertF32x2ToF16x2Op::create(b, pair, high, low, Value(), rounding));
  return LLVM::BitcastOp::create(b, b.getI32Type(), packed);
}

LogicalResult Emitter::elementwise(Operation *op) {
  if (op->getNumResults() != 1)
    return op->emitOpError() << "is not lowered to NVVM";
  Value result = op->getResult(0);
  auto tile = dyn_cast<RankedTensorType>(result.getType());
  if (!tile) {
    FailureOr<Value> value = scalarOp(op, get(op->getOperands()), result.getType());
    if (failed(value))
      return failure();
    set(result, *value);
    return success();
  }
  Type element = tile.getElementType();
  int64_t count = tile::layoutOf(tile).numRegs();
  Registers results;

  if (perRegister(element) > 1 && worksPacked(op)) {
    Type packed = element.isInteger() ? Type(b.getI32Type()) : VectorType::get(2, element);
    SmallVector<Registers> operands;
    for (Value operand : op->getOperands())
      operands.push_back(get(operand));
    for (int64_t i = 0; i < numRegisters(tile); ++i) {
      Registers words;
      for (const Registers &registers : operands)
        words.push_back(bitcast(registers[i], packed));
      FailureOr<Value> value = scalarOp(op, words, packed);
      if (failed(value))
        return failure();
      results.push_back(bitcast(*value, b.getI32Type()));
    }
    set(result, results);
    return success();
  }

  Type from = op->getNumOperands() ? getElementTypeOrSelf(op->getOperand(0)) : element;
  if (isa<arith::TruncFOp>(op) && from.isF32() && (element.isBF16() || element.isF16())) {
    Registers values = get(op->getOperand(0));
    for (int64_t i = 0; i < count; i += 2)
      results.push_back(narrow(b, element, values[i], i + 1 < count ? values[i + 1] : f32(0)));
    set(result, results);
    return success();
  }
  if (isa<arith::ExtFOp>(op) && from.isBF16() && element.isF32()) {
    // A bf16 is the upper half of its f32.
    Registers words = get(op->getOperand(0));
    for (int64_t i = 0; i < count; ++i)
      results.push_back(bitcast(i % 2 ? land(words[i / 2], 0xffff0000) : shl(words[i / 2], 16), element));
    set(result, results);
    return success();
  }

  // One element after the other; a scalar among the operands (the condition of a select) is the same for all.
  SmallVector<Registers> operands;
  for (Value operand : op->getOperands()) {
    Registers registers = get(operand);
    bool isTile = isa<RankedTensorType>(operand.getType());
    operands.push_back(isTile ? unpack(registers, getElementTypeOrSelf(operand), count)
                              : Registers(count, registers.front()));
  }
  for (int64_t i = 0; i < count; ++i) {
    Registers elements;
    for (const Registers &registers : operands)
      elements.push_back(registers[i]);
    FailureOr<Value> value = scalarOp(op, elements, element);
    if (failed(value))
      return failure();
    results.push_back(*value);
  }
  set(result, pack(results, element));
  return success();
}

LogicalResult Emitter::lower(arith::ConstantOp op) {
  auto tile = dyn_cast<RankedTensorType>(op.getType());
  if (!tile) {
    if (isa<IntegerType>(op.getType()))
      set(op.getResult(), constant(op.getType(), cast<IntegerAttr>(op.getValue()).getValue().getSExtValue()));
    else
      set(op.getResult(), Value(LLVM::ConstantOp::create(b, op.getType(), op.getValue())));
    return success();
  }
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || !elements.isSplat())
    return op.emitOpError() << "is not lowered: the elements of a constant tile are all equal";
  Type element = tile.getElementType(), word = registerType(element);
  unsigned bits = element.getIntOrFloatBitWidth();
  APInt value = isa<FloatType>(element) ? elements.getSplatValue<APFloat>().bitcastToAPInt()
                                        : elements.getSplatValue<APInt>();
  if (perRegister(element) > 1)
    value = APInt::getSplat(32, value);
  Value made = isa<FloatType>(word) ? bitcast(constant(b.getIntegerType(bits), value.getSExtValue()), word)
                                    : constant(word, value.getSExtValue());
  if (element.isF32())
    made = f32(elements.getSplatValue<APFloat>().convertToFloat());
  set(op.getResult(), Registers(numRegisters(tile), made));
  return success();
}
