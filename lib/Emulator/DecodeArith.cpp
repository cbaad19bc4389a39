//===- DecodeArith.cpp - arith and math -----------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Elementwise.h"

#include "llvm/ADT/TypeSwitch.h"

#include <bit>
#include <cmath>

using namespace mlir;

namespace k3::emu {

void elementwise::roundAll(Tensor &tensor) {
  if (tensor.elem == Elem::BF16) {
    for (float &value : tensor.f) {
      uint32_t bits = std::bit_cast<uint32_t>(value);
      bool nan = (bits & 0x7FFFFFFF) > 0x7F800000;
      uint32_t rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000;
      value = std::bit_cast<float>(nan ? 0x7FFF0000 : rounded);
    }
    return;
  }
  for (float &value : tensor.f)
    value = roundTo(tensor.elem, value);
}

void elementwise::joinPoison(Tensor &to, const Tensor &from) {
  if (from.poison.empty())
    return;
  if (to.origin == 0)
    to.origin = from.origin;
  if (to.poison.empty()) {
    to.poison = from.poison;
    return;
  }
  for (size_t i = 0; i < to.poison.size(); ++i)
    to.poison[i] |= from.poison[i];
}

static float maximum(float a, float b) {
  if (std::isnan(a) || std::isnan(b))
    return std::nanf("");
  if (a == 0 && b == 0)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
static float minimum(float a, float b) {
  if (std::isnan(a) || std::isnan(b))
    return std::nanf("");
  if (a == 0 && b == 0)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
static float maxnum(float a, float b) { return std::isnan(a) ? b : std::isnan(b) ? a : maximum(a, b); }
static float minnum(float a, float b) { return std::isnan(a) ? b : std::isnan(b) ? a : minimum(a, b); }

static bool compare(arith::CmpFPredicate predicate, float a, float b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return a != b;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  return false;
}

/// Without sign, at the width of the operands.
static uint64_t bare(int64_t value, unsigned bits) {
  return bits >= 64 ? static_cast<uint64_t>(value) : static_cast<uint64_t>(value) & ((1ull << bits) - 1);
}

static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b, unsigned bits) {
  using P = arith::CmpIPredicate;
  uint64_t ua = bare(a, bits), ub = bare(b, bits);
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a < b;
  case P::sle:
    return a <= b;
  case P::sgt:
    return a > b;
  case P::sge:
    return a >= b;
  case P::ult:
    return ua < ub;
  case P::ule:
    return ua <= ub;
  case P::ugt:
    return ua > ub;
  case P::uge:
    return ua >= ub;
  }
  return false;
}

static unsigned widthOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<IndexType>(element) ? 64 : element.getIntOrFloatBitWidth();
}

static void fillConstant(Tensor &tensor, DenseElementsAttr values) {
  size_t i = 0;
  if (isFloat(tensor.elem)) {
    for (APFloat value : values.getValues<APFloat>()) {
      bool lost;
      value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
      tensor.f[i++] = value.convertToFloat();
    }
    return;
  }
  for (const APInt &value : values.getValues<APInt>())
    tensor.n[i++] =
        static_cast<int32_t>(tensor.elem == Elem::I1 ? value.getZExtValue() : value.getSExtValue());
}

Expected<bool> Decoder::arithmetic(Operation *op, Code &code) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Value made;
    unsigned to = value(constant.getResult());
    if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue())) {
      code.steps.push_back([to, dense, type = constant.getType()](Frame &frame) {
        TensorRef tensor = makeTensor(type, frame);
        fillConstant(*tensor, dense);
        Value result;
        result.tensor = std::move(tensor);
        frame.values[to] = std::move(result);
        return true;
      });
      return true;
    }
    if (auto real = dyn_cast<FloatAttr>(constant.getValue())) {
      APFloat number = real.getValue();
      bool lost;
      number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
      made.f = number.convertToFloat();
    } else {
      APInt number = cast<IntegerAttr>(constant.getValue()).getValue();
      made.i =
          static_cast<int64_t>(number.getBitWidth() == 1 ? number.getZExtValue() : number.getSExtValue());
    }
    code.steps.push_back([to, made](Frame &frame) {
      frame.values[to] = made;
      return true;
    });
    return true;
  }
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) || op->getNumResults() != 1)
    return false;

  Type type = op->getResult(0).getType();
  unsigned to = value(op->getResult(0)), bits = widthOf(op->getOperand(0).getType());
  std::vector<unsigned> in = values(op->getOperands());
  auto add = [&](Step step) {
    code.steps.push_back(std::move(step));
    return true;
  };
  using elementwise::step;
  auto f1 = [&](auto fn) { return add(step<float>(type, to, {in[0]}, fn)); };
  auto f2 = [&](auto fn) { return add(step<float, float>(type, to, {in[0], in[1]}, fn)); };
  auto n2 = [&](auto fn) { return add(step<int64_t, int64_t>(type, to, {in[0], in[1]}, fn)); };
  using I = int64_t;

  return TypeSwitch<Operation *, Expected<bool>>(op)
      .Case([&](arith::AddFOp) { return f2([](float a, float b) { return a + b; }); })
      .Case([&](arith::SubFOp) { return f2([](float a, float b) { return a - b; }); })
      .Case([&](arith::MulFOp) { return f2([](float a, float b) { return a * b; }); })
      .Case([&](arith::DivFOp) { return f2([](float a, float b) { return a / b; }); })
      .Case([&](arith::NegFOp) { return f1([](float a) { return -a; }); })
      .Case([&](arith::MaximumFOp) { return f2(maximum); })
      .Case([&](arith::MinimumFOp) { return f2(minimum); })
      .Case([&](arith::MaxNumFOp) { return f2(maxnum); })
      .Case([&](arith::MinNumFOp) { return f2(minnum); })
      .Case([&](arith::CmpFOp cmp) {
        return f2([p = cmp.getPredicate()](float a, float b) { return I(compare(p, a, b)); });
      })
      .Case([&](arith::AddIOp) { return n2([](I a, I b) { return I(uint64_t(a) + uint64_t(b)); }); })
      .Case([&](arith::SubIOp) { return n2([](I a, I b) { return I(uint64_t(a) - uint64_t(b)); }); })
      .Case([&](arith::MulIOp) { return n2([](I a, I b) { return I(uint64_t(a) * uint64_t(b)); }); })
      .Case([&](arith::DivSIOp) {
        return n2([](I a, I b) { return b == 0 || (b == -1 && a == INT64_MIN) ? 0 : a / b; });
      })
      .Case([&](arith::RemSIOp) { return n2([](I a, I b) { return b == 0 || b == -1 ? 0 : a % b; }); })
      .Case([&](arith::DivUIOp) {
        return n2([bits](I a, I b) { return b == 0 ? 0 : I(bare(a, bits) / bare(b, bits)); });
      })
      .Case([&](arith::RemUIOp) {
        return n2([bits](I a, I b) { return b == 0 ? 0 : I(bare(a, bits) % bare(b, bits)); });
      })
      .Case([&](arith::CeilDivSIOp) {
        return n2([](I a, I b) { return b == 0 ? 0 : a / b + ((a % b != 0) && ((a < 0) == (b < 0))); });
      })
      .Case([&](arith::CeilDivUIOp) {
        return n2([bits](I a, I b) {
          uint64_t ua = bare(a, bits), ub = bare(b, bits);
          return ub == 0 ? 0 : I(ua / ub + (ua % ub != 0));
        });
      })
      .Case([&](arith::FloorDivSIOp) {
        return n2([](I a, I b) { return b == 0 ? 0 : a / b - ((a % b != 0) && ((a < 0) != (b < 0))); });
      })
      .Case([&](arith::MinSIOp) { return n2([](I a, I b) { return std::min(a, b); }); })
      .Case([&](arith::MaxSIOp) { return n2([](I a, I b) { return std::max(a, b); }); })
      .Case([&](arith::MinUIOp) {
        return n2([bits](I a, I b) { return bare(a, bits) < bare(b, bits) ? a : b; });
      })
      .Case([&](arith::MaxUIOp) {
        return n2([bits](I a, I b) { return bare(a, bits) > bare(b, bits) ? a : b; });
      })
      .Case([&](arith::AndIOp) { return n2([](I a, I b) { return a & b; }); })
      .Case([&](arith::OrIOp) { return n2([](I a, I b) { return a | b; }); })
      .Case([&](arith::XOrIOp) { return n2([](I a, I b) { return a ^ b; }); })
      .Case([&](arith::ShLIOp) {
        return n2([bits](I a, I b) { return bare(b, bits) >= bits ? 0 : I(uint64_t(a) << b); });
      })
      .Case([&](arith::ShRSIOp) {
        return n2([bits](I a, I b) { return a >> std::min<uint64_t>(bare(b, bits), 63); });
      })
      .Case([&](arith::ShRUIOp) {
        return n2([bits](I a, I b) { return bare(b, bits) >= bits ? 0 : I(bare(a, bits) >> b); });
      })
      .Case([&](arith::CmpIOp cmp) {
        return n2([p = cmp.getPredicate(), bits](I a, I b) { return I(compare(p, a, b, bits)); });
      })
      .Case([&](math::ExpOp) { return f1([](float a) { return static_cast<float>(std::exp(double(a))); }); })
      .Case(
          [&](math::Exp2Op) { return f1([](float a) { return static_cast<float>(std::exp2(double(a))); }); })
      .Case([&](math::LogOp) { return f1([](float a) { return static_cast<float>(std::log(double(a))); }); })
      .Case(
          [&](math::Log2Op) { return f1([](float a) { return static_cast<float>(std::log2(double(a))); }); })
      .Case([&](math::Log1pOp) {
        return f1([](float a) { return static_cast<float>(std::log1p(double(a))); });
      })
      .Case([&](math::SqrtOp) { return f1([](float a) { return std::sqrt(a); }); })
      .Case([&](math::RsqrtOp) {
        return f1([](float a) { return static_cast<float>(1 / std::sqrt(double(a))); });
      })
      .Case(
          [&](math::TanhOp) { return f1([](float a) { return static_cast<float>(std::tanh(double(a))); }); })
      .Case([&](math::AbsFOp) { return f1([](float a) { return std::fabs(a); }); })
      .Case([&](math::FloorOp) { return f1([](float a) { return std::floor(a); }); })
      .Case([&](math::CeilOp) { return f1([](float a) { return std::ceil(a); }); })
      .Case([&](math::RoundEvenOp) { return f1([](float a) { return std::nearbyint(a); }); })
      .Case([&](math::FmaOp) {
        return add(step<float, float, float>(type, to, {in[0], in[1], in[2]},
                                             [](float a, float b, float c) { return std::fma(a, b, c); }));
      })
      .Default([](Operation *) { return false; });
}

/// The bits of a value as another type of the same width.
static TensorRef reinterpret(const Tensor &from, Type type, const Frame &frame) {
  TensorRef result = makeTensor(type, frame);
  std::vector<uint8_t> bytes(from.count() * bytesOf(from.elem));
  encodeElements(from, 0, bytes.data(), from.count());
  decodeElements(*result, 0, bytes.data(), result->count());
  result->poison = from.poison;
  result->origin = from.origin;
  result->fence = from.fence;
  return result;
}

Expected<bool> Decoder::conversion(Operation *op, Code &code) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return false;
  Type type = op->getResult(0).getType(), source = op->getOperand(0).getType();
  auto add = [&](Step step) {
    code.steps.push_back(std::move(step));
    return true;
  };
  using elementwise::step;
  using I = int64_t;
  auto operands = [&] { return values(op->getOperands()); };
  auto result = [&] { return value(op->getResult(0)); };
  auto one = [&] { return std::array<unsigned, 1>{operands()[0]}; };
  return TypeSwitch<Operation *, Expected<bool>>(op)
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [&](Operation *) { return add(step<float>(type, result(), one(), [](float a) { return a; })); })
      .Case<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>([&](Operation *) {
        // Sign-extended already, except for i1.
        bool bit = elemOrScalar(source) == Elem::I1;
        return add(step<I>(type, result(), one(), [bit](I a) { return bit ? -a : a; }));
      })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](Operation *) {
        return add(
            step<I>(type, result(), one(), [bits = widthOf(source)](I a) { return I(bare(a, bits)); }));
      })
      .Case([&](arith::SIToFPOp) {
        bool bit = elemOrScalar(source) == Elem::I1;
        return add(step<I>(type, result(), one(), [bit](I a) { return static_cast<float>(bit ? -a : a); }));
      })
      .Case([&](arith::UIToFPOp) {
        return add(step<I>(type, result(), one(),
                           [bits = widthOf(source)](I a) { return static_cast<float>(bare(a, bits)); }));
      })
      .Case<arith::FPToSIOp, arith::FPToUIOp>([&](Operation *) {
        // Out of range: the nearest value, as cvt does; NaN is 0.
        bool isSigned = isa<arith::FPToSIOp>(op);
        unsigned width = widthOf(type);
        double low = isSigned ? -std::ldexp(1.0, width - 1) : 0, high = std::ldexp(1.0, width - isSigned) - 1;
        return add(step<float>(type, result(), one(), [low, high](float a) {
          return std::isnan(a) ? I(0) : I(std::min(std::max(std::trunc(double(a)), low), high));
        }));
      })
      .Case([&](arith::SelectOp select) -> Expected<bool> {
        std::array<unsigned, 3> in{operands()[0], operands()[1], operands()[2]};
        if (isa<RankedTensorType>(type) && isa<RankedTensorType>(select.getCondition().getType())) {
          if (isFloat(elemOrScalar(type)))
            return add(
                step<I, float, float>(type, result(), in, [](I c, float a, float b) { return c ? a : b; }));
          return add(step<I, I, I>(type, result(), in, [](I c, I a, I b) { return c ? a : b; }));
        }
        return add([in, to = result(), number = text(op)](Frame &frame) {
          const Value &condition = frame.values[in[0]];
          Value taken = frame.values[condition.i ? in[1] : in[2]];
          if (condition.poison && taken.tensor)
            frame.decide(frame.op(number), condition, "the condition");
          if (condition.poison && !taken.poison) {
            taken.poison = true;
            taken.origin = condition.origin;
          }
          frame.values[to] = std::move(taken);
          return true;
        });
      })
      .Case<arith::BitcastOp, tile::BitcastOp>([&](Operation *) -> Expected<bool> {
        if (!isa<RankedTensorType>(type)) {
          bool toFloat = isFloat(elemOrScalar(type));
          if (widthOf(type) != 32 || toFloat == isFloat(elemOrScalar(source)))
            return false;
          if (toFloat)
            return add(step<I>(type, result(), one(),
                               [](I a) { return std::bit_cast<float>(static_cast<int32_t>(a)); }));
          return add(
              step<float>(type, result(), one(), [](float a) { return I(std::bit_cast<int32_t>(a)); }));
        }
        return add([from = operands()[0], to = result(), type](Frame &frame) {
          Value made;
          made.tensor = reinterpret(*frame.values[from].tensor, type, frame);
          frame.values[to] = std::move(made);
          return true;
        });
      })
      .Case(
          [&](tile::RcpOp) { return add(step<float>(type, result(), one(), [](float a) { return 1 / a; })); })
      .Default([](Operation *) { return false; });
}

} // namespace k3::emu
