//===- Shared.cpp - Shared memory: places, loads and stores, matrices ----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Lower/Emitter.h"

using namespace mlir;
using namespace k3;
using namespace k3::lower;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

LogicalResult Emitter::lower(tile::AliasOp op) {
  set(op.getResult(), add(one(op.getSource()), op.getOffset()));
  return success();
}

LogicalResult Emitter::lower(tile::SlotOp op) {
  set(op.getSlot(),
      add(one(op.getBuffer()), mul(get(op.getIndex()).front(), op.getBuffer().getType().getStageStride())));
  return success();
}

LogicalResult Emitter::lower(tile::PartOp op) {
  set(op.getPart(), add(one(op.getSource()), mul(one(op.getIndex()), op.getStride())));
  return success();
}

LogicalResult Emitter::lower(tile::PeerOp op) {
  Type cluster = LLVM::LLVMPointerType::get(b.getContext(), 7);
  Value pointer = NVVM::MapaOp::create(b, cluster, sharedPointer(one(op.getSource())), one(op.getRank()));
  set(op.getPeer(), Value(LLVM::PtrToIntOp::create(b, b.getI32Type(), pointer)));
  return success();
}

/// Whether a tile is in the memory of another CTA, whose addresses are of the cluster's window.
bool Emitter::isPeer(Value shared) {
  Operation *op = shared.getDefiningOp();
  if (!op)
    return false;
  if (isa<tile::PeerOp>(op))
    return true;
  return isa<tile::AliasOp, tile::SlotOp, tile::PartOp>(op) && isPeer(op->getOperand(0));
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// Elements of one access, and the integers it is made of.
static std::pair<int64_t, Type> accessOf(ImplicitLocOpBuilder &b, const layout::RegLayout &layout,
                                         const layout::SharedLayout &shared, int64_t alignment) {
  int64_t bytes = shared.elementBytes();
  int64_t most =
      std::min<int64_t>(layout::vectorBytes(layout, shared, layout::Coord(layout.rank(), 0)), alignment);
  int64_t width = std::max<int64_t>(1, most / bytes);
  return {width, bytes == 8 ? b.getI64Type() : b.getIntegerType(std::min<int64_t>(32, width * bytes * 8))};
}

FailureOr<Registers> Emitter::loadShared(Operation *op, RankedTensorType tile, Value source) {
  const layout::RegLayout &layout = tile::layoutOf(tile);
  const layout::SharedLayout &shared = cast<tile::SharedType>(source.getType()).getLayout().getLayout();
  auto map = layout::compose(layout, shared, layout::Coord(layout.rank(), 0));
  if (!map)
    return op->emitOpError() << map.status().text();
  auto address = SharedAddress::make(*this, op, source, *map);
  if (failed(address))
    return failure();
  auto [width, unit] = accessOf(b, layout, shared, multipleOf(source));
  int64_t bytes = shared.elementBytes(),
          count = std::max<int64_t>(1, width * bytes * 8 / unit.getIntOrFloatBitWidth());
  Type bitsType = b.getIntegerType(8 * bytes);
  bool small = width * bytes < 4;
  Registers all;
  for (int64_t reg = 0; reg < layout.numRegs(); reg += width) {
    Value vector = loadVector(address->pointer(reg), unit, count);
    if (small) {
      llvm::append_range(all,
                         unpack(Value(LLVM::ZExtOp::create(b, b.getI32Type(), vector)), bitsType, width));
      continue;
    }
    for (int64_t i = 0; i < count; ++i)
      all.push_back(count == 1 ? vector : Value(LLVM::ExtractElementOp::create(b, vector, i32(i))));
  }
  if (small)
    all = pack(all, bitsType);
  Registers registers;
  for (auto [value, type] : llvm::zip(all, types(tile)))
    registers.push_back(bitcast(value, type));
  return registers;
}

LogicalResult Emitter::storeShared(Operation *op, ValueRange registers, RankedTensorType tile, Value target) {
  const layout::RegLayout &layout = tile::layoutOf(tile);
  const layout::SharedLayout &shared = cast<tile::SharedType>(target.getType()).getLayout().getLayout();
  auto map = layout::compose(layout, shared, layout::Coord(layout.rank(), 0));
  if (!map)
    return op->emitOpError() << map.status().text();
  auto address = SharedAddress::make(*this, op, target, *map);
  if (failed(address))
    return failure();
  auto [width, unit] = accessOf(b, layout, shared, multipleOf(target));
  int64_t bytes = shared.elementBytes(),
          count = std::max<int64_t>(1, width * bytes * 8 / unit.getIntOrFloatBitWidth());
  int64_t per = perRegister(tile.getElementType());
  when(owns(layout), [&, width = width, unit = unit] {
    for (int64_t reg = 0; reg < layout.numRegs(); reg += width) {
      Value value = toBits(registers[reg / per]);
      if (width * bytes < 4) {
        value = LLVM::TruncOp::create(b, unit, shr(value, reg % per * 8 * bytes));
      } else if (count > 1) {
        Value vector = LLVM::UndefOp::create(b, VectorType::get(count, unit));
        for (int64_t i = 0; i < count; ++i)
          vector = LLVM::InsertElementOp::create(b, vector, toBits(registers[reg / per + i]), i32(i));
        value = vector;
      }
      LLVM::StoreOp::create(b, value, address->pointer(reg), static_cast<unsigned>(width * bytes));
    }
  });
  return success();
}

LogicalResult Emitter::lower(tile::LoadSharedOp op) {
  FailureOr<Registers> registers = loadShared(op, op.getResult().getType(), op.getSource());
  if (failed(registers))
    return failure();
  set(op.getResult(), *registers);
  return success();
}

LogicalResult Emitter::lower(tile::StoreSharedOp op) {
  return storeShared(op, get(op.getValue()), op.getValue().getType(), op.getTarget());
}

//===----------------------------------------------------------------------===//
// ldmatrix, stmatrix
//===----------------------------------------------------------------------===//

/// The rows that lanes supply as a lane's, a warp's and an instruction's part (`reg`): by XOR below 2^k, by
/// addition above, for the smallest k that reproduces every address.
static std::optional<layout::AddressMap> asMap(const layout::MatrixAccess &access) {
  size_t warps = access.rows.size() / (32 * access.instructions);
  auto row = [&](size_t w, size_t i, size_t l) {
    return access.rows[(w * access.instructions + i) * 32 + l];
  };
  for (int bits = 0; bits < 20; ++bits) {
    int64_t mask = (int64_t(1) << bits) - 1;
    layout::AddressMap map;
    map.base = {row(0, 0, 0) & mask, row(0, 0, 0) & ~mask};
    auto term = [&](int64_t address) {
      return layout::AddressTerm{(address & mask) ^ map.base.bits, (address & ~mask) - map.base.add};
    };
    for (int i = 0; i < 5; ++i)
      map.lane.push_back(term(row(0, 0, 1 << i)));
    for (size_t w = 0; w < warps; ++w)
      map.warp.push_back(term(row(w, 0, 0)));
    for (int32_t i = 0; i < access.instructions; ++i)
      map.reg.push_back(term(row(0, i, 0)));
    auto fits = [&] {
      for (size_t w = 0; w < warps; ++w)
        for (int32_t i = 0; i < access.instructions; ++i)
          for (int32_t l = 0; l < 32; ++l)
            if (map.at({i, l, static_cast<int32_t>(w)}) != row(w, i, l))
              return false;
      return true;
    };
    if (fits())
      return map;
  }
  return std::nullopt;
}

template <typename Op>
static NVVM::MMALayout matrixLayout(Op op) {
  return op.getTrans() ? NVVM::MMALayout::col : NVVM::MMALayout::row;
}

LogicalResult Emitter::lower(tile::LdmatrixOp op) {
  auto access = tile::matrixAccess(op.getResult().getType(), op.getSource().getType(), op.getTrans());
  if (!access)
    return op.emitOpError() << access.status().text();
  auto map = asMap(*access);
  if (!map)
    return op.emitOpError() << "is not lowered: its rows are not a thread's address plus constants";
  auto address = SharedAddress::make(*this, op, op.getSource(), *map);
  if (failed(address))
    return failure();
  int32_t count = access->matrices;
  Type word = b.getI32Type();
  Type type = count == 1
                  ? word
                  : Type(LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(count, word)));
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  Registers registers;
  for (int32_t i = 0; i < access->instructions; ++i)
    llvm::append_range(
        registers, fields(NVVM::LdMatrixOp::create(b, type, address->pointer(i), static_cast<uint32_t>(count),
                                                   matrixLayout(op), shape, NVVM::LdStMatrixEltType::B16)));
  set(op.getResult(), registers);
  return success();
}

LogicalResult Emitter::lower(tile::StmatrixOp op) {
  auto access = tile::matrixAccess(op.getValue().getType(), op.getTarget().getType(), op.getTrans());
  if (!access)
    return op.emitOpError() << access.status().text();
  auto map = asMap(*access);
  if (!map)
    return op.emitOpError() << "is not lowered: its rows are not a thread's address plus constants";
  auto address = SharedAddress::make(*this, op, op.getTarget(), *map);
  if (failed(address))
    return failure();
  Registers registers = get(op.getValue());
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  for (int32_t i = 0; i < access->instructions; ++i)
    NVVM::StMatrixOp::create(b, address->pointer(i),
                             ArrayRef(registers).slice(i * access->matrices, access->matrices),
                             matrixLayout(op), shape, NVVM::LdStMatrixEltType::B16);
  return success();
}
