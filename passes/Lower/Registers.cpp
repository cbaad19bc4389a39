//===- Registers.cpp - How elements share 32-bit registers ---------------------------===//
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

/// i1 is a predicate; elements of 8 and 16 bits are packed, the others have a register of their own type.
Type Emitter::registerType(Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  return bits == 8 || bits == 16 ? b.getI32Type() : element;
}

int64_t Emitter::perRegister(Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  return bits == 8 || bits == 16 ? 32 / bits : 1;
}

int64_t Emitter::numRegisters(RankedTensorType tile) {
  return llvm::divideCeil(tile::layoutOf(tile).numRegs(), perRegister(tile.getElementType()));
}

Value Emitter::bitcast(Value value, Type type) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(b, type, value);
}

Value Emitter::toBits(Value value) {
  return bitcast(value, b.getIntegerType(value.getType().getIntOrFloatBitWidth()));
}

Registers Emitter::unpack(ValueRange registers, Type element, int64_t count) {
  int64_t per = perRegister(element);
  if (per == 1)
    return Registers(registers);
  unsigned bits = 32 / per;
  Registers elements;
  for (int64_t i = 0; i < count; ++i) {
    Value word = shr(registers[i / per], (i % per) * bits);
    elements.push_back(bitcast(LLVM::TruncOp::create(b, b.getIntegerType(bits), word), element));
  }
  return elements;
}

Registers Emitter::pack(ValueRange elements, Type element) {
  int64_t per = perRegister(element);
  if (per == 1)
    return Registers(elements);
  Registers registers;
  for (size_t first = 0; first < elements.size(); first += per) {
    Value word;
    for (size_t i = first; i < std::min(elements.size(), first + per); ++i) {
      Value bits = shl(LLVM::ZExtOp::create(b, b.getI32Type(), toBits(elements[i])), (i - first) * 32 / per);
      word = word ? Value(LLVM::OrOp::create(b, word, bits)) : bits;
    }
    registers.push_back(word);
  }
  return registers;
}

Registers Emitter::permute(ValueRange registers, Type element, ArrayRef<int32_t> from) {
  int64_t per = perRegister(element);
  Registers result;
  for (size_t first = 0; first < from.size(); first += per) {
    ArrayRef<int32_t> group = from.slice(first, std::min<size_t>(per, from.size() - first));
    // A register as a whole, or its bytes from at most two registers, or one by one.
    auto whole = [&] {
      for (size_t i = 0; i < group.size(); ++i)
        if (group[i] != group[0] + static_cast<int32_t>(i) || group[0] % per != 0)
          return false;
      return true;
    };
    Value low = registers[group[0] / per], high = low;
    int64_t selector = 0, bytes = 4 / per;
    bool twoSources = true;
    for (size_t i = 0; i < group.size(); ++i) {
      Value source = registers[group[i] / per];
      if (source != low && high == low)
        high = source;
      twoSources &= source == low || source == high;
      for (int64_t byte = 0; byte < bytes; ++byte)
        selector |= ((source == low ? 0 : 4) + group[i] % per * bytes + byte) << 4 * (i * bytes + byte);
    }
    if (whole()) {
      result.push_back(low);
    } else if (twoSources) {
      result.push_back(
          NVVM::PermuteOp::create(b, b.getI32Type(), low, high, i32(selector), NVVM::PermuteMode::DEFAULT));
    } else {
      Type byteType = b.getIntegerType(32 / per);
      Registers all = unpack(registers, byteType, registers.size() * per), picked;
      for (int32_t i : group)
        picked.push_back(all[i]);
      llvm::append_range(result, pack(picked, byteType));
    }
  }
  return result;
}
