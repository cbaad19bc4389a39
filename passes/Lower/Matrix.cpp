//===- Matrix.cpp - Products on tensor cores -----------------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Descriptor.h"
#include "lib/Layout/Mma.h"
#include "lib/Layout/Named.h"
#include "passes/Lower/Emitter.h"

using namespace mlir;
using namespace k3;
using namespace k3::lower;

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

static std::optional<NVVM::WGMMATypes> wgmmaType(Type element) {
  if (element.isBF16())
    return NVVM::WGMMATypes::bf16;
  if (element.isF16())
    return NVVM::WGMMATypes::f16;
  if (isa<Float8E4M3FNType>(element))
    return NVVM::WGMMATypes::e4m3;
  if (isa<Float8E5M2Type>(element))
    return NVVM::WGMMATypes::e5m2;
  return std::nullopt;
}

namespace {
/// An operand in shared memory and its descriptors.
struct Operand {
  layout::OperandEncoding encoding;
  Value low; ///< Address / 16, the low word of a descriptor but for constants.
};
} // namespace

/// One product m64 n k(32 bytes) with A in registers, which the dialect has no op for. Tied operands keep the
/// sums in place.
static std::string registerProduct(int64_t n, Type element, bool transB, bool accumulate) {
  int64_t sums = n / 2;
  auto list = [](int64_t first, int64_t count) {
    std::string text = "{";
    for (int64_t i = 0; i < count; ++i)
      text += (i ? ", $" : "$") + std::to_string(first + i);
    return text + "}";
  };
  std::string type = element.isBF16() ? "bf16" : "f16";
  // The inputs tied to the sums have numbers too.
  return "{ .reg .pred p; setp.ne.b32 p, " + std::to_string(accumulate) +
         ", 0; wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) + "k16.f32." + type + "." + type + " " +
         list(0, sums) + ", " + list(2 * sums, 4) + ", $" + std::to_string(2 * sums + 4) + ", p, 1, 1, " +
         std::to_string(transB) + "; }";
}

/// "=f,..,0,1,..": results, and inputs tied to them.
static std::string tiedSums(int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i)
    text += "=f,";
  for (int64_t i = 0; i < count; ++i)
    text += std::to_string(i) + ",";
  return text;
}

LogicalResult Emitter::lower(tile::WgmmaOp op) {
  Type element = getElementTypeOrSelf(op.getB().getType().getElementType());
  std::optional<NVVM::WGMMATypes> type = wgmmaType(element);
  if (!type)
    return op.emitOpError() << "is not lowered for elements of " << element;
  RankedTensorType resultType = op.getResult().getType().getTile();
  int64_t n = resultType.getDimSize(1), sums = n / 2;
  int64_t kPerStep = 32 * 8 / element.getIntOrFloatBitWidth();

  auto operand = [&](Value shared, bool trans, int64_t rows) -> FailureOr<Operand> {
    auto type = cast<tile::SharedType>(shared.getType());
    auto encoding =
        layout::encodeOperand(type.getLayout().getLayout(), trans ? 0 : 1, static_cast<int32_t>(rows));
    if (!encoding)
      return op.emitOpError() << encoding.status().text();
    return Operand{std::move(*encoding), shr(one(shared), 4)};
  };
  auto descriptor = [&](const Operand &operand, size_t step) -> Value {
    Value low = add(operand.low, (operand.encoding.blocks[0] + operand.encoding.steps[step]) / 16);
    // Widened before the constant is set, it stays in uniform registers.
    return LLVM::OrOp::create(b, LLVM::ZExtOp::create(b, b.getI64Type(), low),
                              i64(operand.encoding.constant));
  };

  FailureOr<Operand> ofB = operand(op.getB(), op.getTransB(), n);
  if (failed(ofB))
    return failure();
  Value acc;
  if (!op.getAcc())
    acc = LLVM::UndefOp::create(b, types(op.getResult().getType()).front());
  else if (isa<tile::PendingType>(op.getAcc().getType()))
    acc = one(op.getAcc());
  else
    acc = structure(get(op.getAcc()));
  bool transB = ofB->encoding.major == layout::Major::MN;

  if (auto shared = dyn_cast<tile::SharedType>(op.getA().getType())) {
    FailureOr<Operand> ofA = operand(op.getA(), op.getTransA(), 64);
    if (failed(ofA))
      return failure();
    using NVVM::MMALayout;
    auto shape = NVVM::MMAShapeAttr::get(b.getContext(), 64, static_cast<int>(n), static_cast<int>(kPerStep));
    for (size_t step = 0; step < ofB->encoding.steps.size(); ++step)
      acc = NVVM::WgmmaMmaAsyncOp::create(
          b, acc.getType(), acc, descriptor(*ofA, step), descriptor(*ofB, step), shape, *type, *type,
          NVVM::WGMMATypes::f32,
          step == 0 && !op.getAcc() ? NVVM::WGMMAScaleOut::zero : NVVM::WGMMAScaleOut::one,
          NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
          ofA->encoding.major == layout::Major::MN ? MMALayout::col : MMALayout::row,
          transB ? MMALayout::row : MMALayout::col, NVVM::MMAIntOverflowAttr());
  } else {
    if (element.getIntOrFloatBitWidth() != 16)
      return op.emitOpError() << "is not lowered for A in registers with elements of " << element;
    Registers fragments = get(op.getA());
    for (size_t step = 0; step < ofB->encoding.steps.size(); ++step) {
      Registers operands = fields(acc);
      llvm::append_range(operands, ArrayRef(fragments).slice(4 * step, 4));
      operands.push_back(descriptor(*ofB, step));
      acc = assembly(registerProduct(n, element, transB, step != 0 || op.getAcc()),
                     tiedSums(sums) + "r,r,r,r,l", operands, acc.getType());
    }
  }
  set(op.getResult(), acc);
  return success();
}

LogicalResult Emitter::lower(tile::WgmmaFenceOp) {
  NVVM::WgmmaFenceAlignedOp::create(b);
  return success();
}

LogicalResult Emitter::lower(tile::WgmmaCommitOp) {
  NVVM::WgmmaGroupSyncAlignedOp::create(b);
  return success();
}

LogicalResult Emitter::lower(tile::WgmmaWaitOp op) {
  if (op.getValues().empty() && op.getKeep().empty()) {
    NVVM::WgmmaWaitGroupSyncOp::create(b, static_cast<uint64_t>(op.getPending()));
    return success();
  }
  // What the wait yields goes through it, so that no reader moves above; what it keeps is alive until here.
  Registers sums, kept = get(op.getKeep());
  for (Value pending : op.getValues())
    llvm::append_range(sums, fields(one(pending)));
  std::string constraints = tiedSums(sums.size());
  for (Value value : kept)
    constraints += value.getType().isF32() ? "f," : "r,";
  SmallVector<Type> results(sums.size(), b.getF32Type());
  Registers operands = sums;
  llvm::append_range(operands, kept);
  Type type = sums.empty()       ? Type()
              : sums.size() == 1 ? Type(b.getF32Type())
                                 : Type(LLVM::LLVMStructType::getLiteral(b.getContext(), results));
  Value waited = assembly("wgmma.wait_group.sync.aligned " + std::to_string(op.getPending()) + ";",
                          constraints + "~{memory}", operands, type);
  if (waited)
    set(op.getResults(), fields(waited));
  return success();
}

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

namespace {
/// Registers of an operand by their place in the first lane: row block and position in the list of columns.
struct Grid {
  SmallVector<int32_t> rows, cols;                    ///< Distinct, in register order.
  std::map<std::pair<int32_t, int32_t>, int32_t> reg; ///< (row, column) -> register.

  /// \param step registers that one holds together: 2 for packed pairs, of which the first counts.
  Grid(const layout::RegLayout &layout, int32_t step) {
    for (int32_t r = 0; r < layout.numRegs(); r += step) {
      layout::Coord at = layout.apply({r, 0, 0});
      if (!llvm::is_contained(rows, at[0]))
        rows.push_back(at[0]);
      if (!llvm::is_contained(cols, at[1]))
        cols.push_back(at[1]);
      reg[{at[0], at[1]}] = r / step;
    }
  }
  /// The registers of a block in the order of an instruction's `fragment`.
  SmallVector<int32_t> block(const Grid &fragment, size_t row, size_t col) const {
    SmallVector<int32_t> list(fragment.reg.size());
    for (size_t i = 0; i < fragment.rows.size(); ++i)
      for (size_t j = 0; j < fragment.cols.size(); ++j)
        list[fragment.reg.at({fragment.rows[i], fragment.cols[j]})] =
            reg.at({rows[row * fragment.rows.size() + i], cols[col * fragment.cols.size() + j]});
    return list;
  }
};
} // namespace

LogicalResult Emitter::lower(tile::MmaOp op) {
  RankedTensorType aType = op.getA().getType(), bType = op.getB().getType(), cType = op.getC().getType();
  Type element = aType.getElementType();
  if ((!element.isBF16() && !element.isF16()) || bType.getElementType() != element)
    return op.emitOpError() << "is not lowered for elements of " << element << " and "
                            << bType.getElementType();
  if (Status status =
          layout::checkMma(tile::layoutOf(aType), tile::layoutOf(bType), tile::layoutOf(cType), 16);
      !status.ok())
    return op.emitOpError() << status.text();
  // Fragments of m16n8k16; k runs in the order of A's and B's registers, which is the same.
  Grid ofA(*layout::mmaA(16), 2), ofB(*layout::mmaB(16), 2), ofC(*layout::mmaC(8), 1);
  Grid a(tile::layoutOf(aType), 2), bGrid(tile::layoutOf(bType), 2), c(tile::layoutOf(cType), 1);
  Registers aRegs = get(op.getA()), bRegs = get(op.getB()), sums = get(op.getC());
  Type operandType = element.isBF16() ? Type(b.getI32Type()) : Type(VectorType::get(2, element));
  auto pick = [&](const Registers &from, ArrayRef<int32_t> which, Type type) {
    Registers list;
    for (int32_t r : which)
      list.push_back(bitcast(from[r], type));
    return list;
  };
  Type result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(4, b.getF32Type()));
  auto mmaType = element.isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  size_t steps = a.cols.size() / ofA.cols.size();
  for (size_t m = 0; m < a.rows.size() / ofA.rows.size(); ++m)
    for (size_t n = 0; n < bGrid.rows.size() / ofB.rows.size(); ++n) {
      SmallVector<int32_t> place = c.block(ofC, m, n);
      Registers sum = pick(sums, place, b.getF32Type());
      for (size_t k = 0; k < steps; ++k)
        sum = fields(NVVM::MmaOp::create(b, result, pick(aRegs, a.block(ofA, m, k), operandType),
                                         pick(bRegs, bGrid.block(ofB, n, k), operandType), sum,
                                         ArrayRef<int64_t>{16, 8, 16}, std::nullopt, std::nullopt,
                                         std::array{mmaType, mmaType},
                                         std::array{NVVM::MMALayout::row, NVVM::MMALayout::col}));
      for (size_t i = 0; i < 4; ++i)
        sums[place[i]] = sum[i];
    }
  set(op.getResult(), sums);
  return success();
}
