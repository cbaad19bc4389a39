//===- Global.cpp - Loads and stores of views by lanes -------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Lower/GlobalAddress.h"

using namespace mlir;
using namespace k3;
using namespace k3::lower;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

LogicalResult Emitter::lower(tile::StridedOp op) {
  set(op.getView(), ValueRange{get(op.getSource())[0], toI64(one(op.getStride()))});
  return success();
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

static std::string vectorText(int64_t count, unsigned bits) {
  return (count > 1 ? ".v" + std::to_string(count) : std::string()) + ".b" + std::to_string(bits);
}

static std::string list(int64_t first, int64_t count) {
  std::string text = "{";
  for (int64_t i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return count == 1 ? text.substr(1) : text + "}";
}

/// An assembler register of `bits` bits; bytes are held in 16.
static StringRef letter(unsigned bits) { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }

Registers Emitter::loadGlobal(Value pointer, int64_t count, Type unit, Value predicate, tile::CacheHint cache,
                              bool raw) {
  unsigned bits = unit.getIntOrFloatBitWidth();
  Registers units;
  if (!predicate && !raw && cache != tile::CacheHint::Streaming) {
    Type type = count == 1 ? unit : Type(VectorType::get(count, unit));
    auto load = LLVM::LoadOp::create(b, type, pointer, static_cast<unsigned>(count * bits / 8));
    load.setInvariant(cache == tile::CacheHint::ReadOnly); // ld.global.nc
    for (int64_t i = 0; i < count; ++i)
      units.push_back(count == 1 ? Value(load) : Value(LLVM::ExtractElementOp::create(b, load, i32(i))));
    return units;
  }
  StringRef hint = cache == tile::CacheHint::ReadOnly    ? ".nc"
                   : cache == tile::CacheHint::Streaming ? ".L1::no_allocate"
                                                         : "";
  Type held = bits == 8 ? Type(b.getI16Type()) : unit;
  std::string text, constraints;
  for (int64_t i = 0; i < count; ++i) {
    constraints += ("=&" + letter(bits) + ",").str();
    if (predicate)
      text += "mov.b" + std::to_string(held.getIntOrFloatBitWidth()) + " $" + std::to_string(i) + ", 0; ";
  }
  if (predicate)
    text += "@$" + std::to_string(count + 1) + " ";
  text += ("ld.global" + hint).str() + vectorText(count, bits) + " " + list(0, count) + ", [$" +
          std::to_string(count) + "];";
  Registers operands{pointer};
  if (predicate)
    operands.push_back(predicate);
  Type result = count == 1
                    ? held
                    : Type(LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(count, held)));
  for (Value value : fields(assembly(text, constraints + (predicate ? "l,b" : "l"), operands, result)))
    units.push_back(bits == 8 ? Value(LLVM::TruncOp::create(b, unit, value)) : value);
  return units;
}

void Emitter::storeGlobal(Value pointer, ValueRange units, Value predicate, tile::CacheHint cache) {
  unsigned bits = units[0].getType().getIntOrFloatBitWidth();
  int64_t count = units.size();
  if (!predicate && cache != tile::CacheHint::Streaming) {
    Value value = units[0];
    if (count > 1) {
      value = LLVM::UndefOp::create(b, VectorType::get(count, value.getType()));
      for (int64_t i = 0; i < count; ++i)
        value = LLVM::InsertElementOp::create(b, value, units[i], i32(i));
    }
    LLVM::StoreOp::create(b, value, pointer, static_cast<unsigned>(count * bits / 8));
    return;
  }
  std::string text = predicate ? "@$" + std::to_string(count + 1) + " " : "", constraints = "l";
  text += (cache == tile::CacheHint::Streaming ? "st.global.cs" : "st.global") + vectorText(count, bits) +
          " [$0], " + list(1, count) + ";";
  Registers operands{pointer};
  for (Value unit : units) {
    operands.push_back(bits == 8 ? Value(LLVM::ZExtOp::create(b, b.getI16Type(), unit)) : unit);
    constraints += ("," + letter(bits)).str();
  }
  if (predicate) {
    operands.push_back(predicate);
    constraints += ",b";
  }
  assembly(text, constraints + ",~{memory}", operands, Type());
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// How a run of `count` elements travels: 32-bit units, or one smaller or 64-bit ones.
static std::pair<int64_t, Type> unitsOf(ImplicitLocOpBuilder &b, int64_t count, int64_t elementBytes) {
  int64_t bytes = count * elementBytes;
  if (elementBytes == 8)
    return {count, b.getI64Type()};
  if (bytes < 4)
    return {1, b.getIntegerType(bytes * 8)};
  return {bytes / 4, b.getI32Type()};
}

Registers Emitter::loadTile(GlobalAddress &address, RankedTensorType tile, tile::CacheHint cache, bool raw) {
  Type element = tile.getElementType(), bitsType = b.getIntegerType(8 * address.elementBytes);
  int64_t count = tile::layoutOf(tile).numRegs(), width = address.vector;
  // Of the vector's registers, or of one element where vectors are smaller than a register.
  auto load = [&](int64_t reg, int64_t width, Value predicate) {
    auto [units, type] = unitsOf(b, width, address.elementBytes);
    return loadGlobal(address.pointer(reg), units, type, predicate, cache, raw);
  };
  bool small = width * address.elementBytes < 4;
  Registers all;
  for (int64_t reg = 0; reg < count; reg += width) {
    if (width == 1 || address.whole) {
      // A whole vector is inside where its first element is.
      Registers units = load(reg, width, address.inside(reg, 1));
      // Bytes of a smaller vector as elements.
      if (small && width > 1)
        units = unpack(Value(LLVM::ZExtOp::create(b, b.getI32Type(), units[0])), bitsType, width);
      llvm::append_range(all, units);
      continue;
    }
    // The limit may cut through it: as a vector where it does not, else by elements.
    Type unit = unitsOf(b, width, address.elementBytes).second;
    Block *vector = addBlock(), *single = addBlock();
    Value full = address.inside(reg, width);
    SmallVector<Value> conditions;
    for (int64_t i = 0; i < width; ++i)
      conditions.push_back(address.inside(reg + i, 1));
    SmallVector<Value> pointers;
    for (int64_t i = 0; i < width; ++i)
      pointers.push_back(address.pointer(reg + i));
    branch(full, vector, single);
    start(vector);
    Registers units = load(reg, width, Value());
    Block *done = addBlock(SmallVector<Type>(units.size(), unit));
    branch(done, units);
    start(single);
    Registers elements;
    for (int64_t i = 0; i < width; ++i)
      elements.push_back(loadGlobal(pointers[i], 1, bitsType, conditions[i], cache, raw)[0]);
    Registers packed = pack(elements, bitsType);
    if (small)
      packed = {Value(LLVM::TruncOp::create(b, unit, packed[0]))};
    branch(done, packed);
    start(done);
    Registers merged(done->getArguments());
    if (small)
      merged = unpack(Value(LLVM::ZExtOp::create(b, b.getI32Type(), merged[0])), bitsType, width);
    llvm::append_range(all, merged);
  }
  if (small)
    all = pack(all, bitsType);
  Registers registers;
  for (auto [value, type] : llvm::zip(all, types(tile)))
    registers.push_back(bitcast(value, type));
  return registers;
}

LogicalResult Emitter::lower(tile::LoadOp op) {
  RankedTensorType tile = op.getResult().getType();
  auto address =
      GlobalAddress::make(*this, op, op.getView(), op.getCoords(), op.getLimit(), tile::layoutOf(tile));
  if (failed(address))
    return failure();
  set(op.getResult(), loadTile(*address, tile, op.getCache(), op.getRaw()));
  return success();
}

LogicalResult Emitter::lower(tile::StoreOp op) {
  RankedTensorType tile = op.getValue().getType();
  const layout::RegLayout &layout = tile::layoutOf(tile);
  auto address = GlobalAddress::make(*this, op, op.getView(), op.getCoords(), op.getLimit(), layout);
  if (failed(address))
    return failure();
  Type bitsType = b.getIntegerType(8 * address->elementBytes);
  int64_t width = address->vector, per = perRegister(tile.getElementType());
  Registers registers;
  for (Value value : get(op.getValue()))
    registers.push_back(toBits(value));
  Value owner = owns(layout);
  auto single = [&](int64_t reg) { return unpack(registers[reg / per], bitsType, reg % per + 1)[reg % per]; };
  for (int64_t reg = 0; reg < layout.numRegs(); reg += width) {
    auto [units, unit] = unitsOf(b, width, address->elementBytes);
    Registers value;
    if (width * address->elementBytes >= 4) {
      value.append(registers.begin() + reg / per, registers.begin() + reg / per + units);
    } else {
      // A part of a register.
      Value word = shr(registers[reg / per], reg % per * 8 * address->elementBytes);
      value.push_back(LLVM::TruncOp::create(b, unit, word));
    }
    if (width == 1 || address->whole) {
      storeGlobal(address->pointer(reg), value, both(owner, address->inside(reg, 1)), op.getCache());
      continue;
    }
    // Once as a vector, else by elements.
    Value full = both(owner, address->inside(reg, width));
    storeGlobal(address->pointer(reg), value, full, op.getCache());
    Value cut = both(owner, LLVM::XOrOp::create(b, address->inside(reg, width), constant(b.getI1Type(), 1)));
    SmallVector<Value> conditions, pointers;
    for (int64_t i = 0; i < width; ++i) {
      conditions.push_back(address->inside(reg + i, 1));
      pointers.push_back(address->pointer(reg + i));
    }
    when(cut, [&] {
      for (int64_t i = 0; i < width; ++i)
        storeGlobal(pointers[i], single(reg + i), conditions[i], op.getCache());
    });
  }
  return success();
}

LogicalResult Emitter::lower(tile::GatherLoadOp op) {
  RankedTensorType tile = op.getResult().getType();
  auto address =
      GlobalAddress::gather(*this, op, op.getView(), get(op.getRows()),
                            tile::layoutOf(op.getRows().getType()), op.getColumn(), tile::layoutOf(tile));
  if (failed(address))
    return failure();
  set(op.getResult(), loadTile(*address, tile, tile::CacheHint::Default, /*raw=*/false));
  return success();
}

LogicalResult Emitter::lower(tile::CpAsyncOp op) {
  const layout::RegLayout &layout = op.getLanes().getLayout();
  const layout::SharedLayout &shared = op.getTarget().getType().getLayout().getLayout();
  auto source = GlobalAddress::make(*this, op, op.getView(), op.getCoords(), op.getLimit(), layout);
  if (failed(source))
    return failure();
  layout::Coord origin(layout.rank(), 0);
  int64_t pack = 16 / source->elementBytes;
  if (source->vector != pack || layout::vectorBytes(layout, shared, origin) != 16 ||
      multipleOf(op.getTarget()) < 16)
    return op.emitOpError() << "copies 16 bytes at a time: " << pack
                            << " registers must follow each other in both memories";
  auto map = layout::compose(layout, shared, origin);
  if (!map)
    return op.emitOpError() << map.status().text();
  auto target = SharedAddress::make(*this, op, op.getTarget(), *map);
  if (failed(target))
    return failure();
  when(owns(layout), [&] {
    for (int64_t reg = 0; reg < layout.numRegs(); reg += pack) {
      // Of what a limit cuts off nothing is read; it becomes zeros.
      Value bytes;
      if (source->limited()) {
        Value count = source->left(layout.rank() - 1, reg);
        count = LLVM::SMinOp::create(b, LLVM::SMaxOp::create(b, count, i32(0)), i32(pack));
        bytes = LLVM::SelectOp::create(b, source->inside(reg, 1), mul(count, source->elementBytes), i32(0));
      }
      NVVM::CpAsyncOp::create(b, target->pointer(reg), source->pointer(reg), 16,
                              NVVM::LoadCacheModifierKind::CG, bytes);
    }
  });
  return success();
}
