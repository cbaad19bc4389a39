//===- Emitter.cpp - Values and the registers they live in ---------------------------===//
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

Emitter::Emitter(ModuleOp module, tile::KernelOp kernel)
    : module(module), kernel(kernel), b(kernel.getLoc(), kernel) {}

Registers Emitter::get(Value value) {
  auto found = values.find(value);
  assert(found != values.end() && "used before it was lowered");
  return found->second;
}

Registers Emitter::get(ValueRange list) {
  Registers all;
  for (Value value : list)
    llvm::append_range(all, get(value));
  return all;
}

Value Emitter::one(Value value) {
  Registers registers = get(value);
  assert(registers.size() == 1);
  return registers.front();
}

void Emitter::set(Value value, ValueRange registers) {
  assert(registers.size() == types(value.getType()).size());
  values[value] = Registers(registers);
}

void Emitter::set(ValueRange list, ValueRange registers) {
  for (Value value : list) {
    size_t count = types(value.getType()).size();
    set(value, registers.take_front(count));
    registers = registers.drop_front(count);
  }
  assert(registers.empty());
}

SmallVector<Type> Emitter::types(Type type) {
  Type word = b.getI32Type();
  return llvm::TypeSwitch<Type, SmallVector<Type>>(type)
      .Case([&](RankedTensorType tile) {
        return SmallVector<Type>(numRegisters(tile), registerType(tile.getElementType()));
      })
      .Case([&](tile::PendingType pending) -> SmallVector<Type> {
        return {LLVM::LLVMStructType::getLiteral(type.getContext(), types(pending.getTile()))};
      })
      .Case<tile::SharedType, tile::MbarType>([&](Type) -> SmallVector<Type> { return {word}; })
      .Case([&](tile::CursorType) -> SmallVector<Type> {
        return {word, word};
      })
      .Case([&](tile::ViewType view) -> SmallVector<Type> {
        Type pointer = LLVM::LLVMPointerType::get(type.getContext(), /*global*/ 1);
        if (llvm::any_of(view.getAllStrides(), ShapedType::isDynamic))
          return {pointer, b.getI64Type()};
        return {pointer};
      })
      .Case(
          [&](tile::MapType) -> SmallVector<Type> { return {LLVM::LLVMPointerType::get(type.getContext())}; })
      .Case([&](tile::PolicyType) -> SmallVector<Type> { return {b.getI64Type()}; })
      .Default([&](Type scalar) -> SmallVector<Type> { return {scalar}; });
}

SmallVector<Type> Emitter::types(TypeRange list) {
  SmallVector<Type> all;
  for (Type type : list)
    llvm::append_range(all, types(type));
  return all;
}
