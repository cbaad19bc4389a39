//===- K3Names.cpp - Names of values, for taps and messages ---------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Names.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Location.h"

using namespace mlir;

namespace k3 {

std::string locationName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().str();
  return {};
}

Location partLocation(Location whole, StringRef part) {
  auto name = dyn_cast<NameLoc>(whole);
  std::string full = name ? (name.getName().getValue() + "." + part).str() : part.str();
  return NameLoc::get(StringAttr::get(whole.getContext(), full), name ? name.getChildLoc() : whole);
}

void nameResults(Operation *op, ArrayRef<std::string> names) {
  SmallVector<StringRef> refs(names.begin(), names.end());
  op->setAttr(kNamesAttr, Builder(op->getContext()).getStrArrayAttr(refs));
}

std::string valueName(OpResult result) {
  Operation *op = result.getOwner();
  if (auto names = op->getAttrOfType<ArrayAttr>(kNamesAttr))
    return cast<StringAttr>(names[result.getResultNumber()]).str();
  return op->getNumResults() == 1 ? locationName(op->getLoc()) : std::string();
}

} // namespace k3
