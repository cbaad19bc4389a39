//===- K3Effects.cpp - What the ops of the k3 dialect read and write ------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Ops.h"

using namespace mlir;
using namespace k3;

namespace {

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

void addRead(Effects &effects, FlatSymbolRefAttr symbol) {
  effects.emplace_back(MemoryEffects::Read::get(), symbol, StateResource::get());
}

void addReadWrite(Effects &effects, FlatSymbolRefAttr symbol) {
  addRead(effects, symbol);
  effects.emplace_back(MemoryEffects::Write::get(), symbol, StateResource::get());
}

/// Every state symbol of a layer op; entries that are no symbols are the verifier's business.
void addReadWrite(Effects &effects, DictionaryAttr state) {
  for (NamedAttribute role : state)
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(role.getValue()))
      addReadWrite(effects, symbol);
}

} // namespace

void ShortConvOp::getEffects(Effects &effects) { addReadWrite(effects, getStateAttr()); }
void KdaCoreOp::getEffects(Effects &effects) { addReadWrite(effects, getStateAttr()); }
void MlaAppendOp::getEffects(Effects &effects) { addReadWrite(effects, getStateAttr()); }
void MlaCoreOp::getEffects(Effects &effects) { addRead(effects, getStateAttr()); }
void KdaOp::getEffects(Effects &effects) { addReadWrite(effects, getState()); }
void GatedMlaOp::getEffects(Effects &effects) { addReadWrite(effects, getState()); }
void CopyStateOp::getEffects(Effects &effects) { addReadWrite(effects, getStateAttr()); }

void TapOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), TapResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), TapResource::get());
}

void StorePackedOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), getPackedAttr(), PackedResource::get());
}
