//===- K3Verify.cpp - Checks that the verifiers of the k3 ops share -------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Verify.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace k3 {

//===----------------------------------------------------------------------===//
// Shapes and numbers
//===----------------------------------------------------------------------===//

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "[";
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(shape, stream, [&](int64_t extent) {
    if (ShapedType::isDynamic(extent))
      stream << "?";
    else if (extent == kAny)
      stream << "_";
    else
      stream << extent;
  });
  return text + "]";
}

std::string numberText(const APFloat &number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number.convertToDouble());
  return text;
}

bool matchesShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> expected) {
  return shape.size() == expected.size() && llvm::all_of(llvm::zip(shape, expected), [](auto pair) {
           return std::get<1>(pair) == kAny || std::get<0>(pair) == std::get<1>(pair);
         });
}

LogicalResult checkShape(Operation *op, StringRef name, Value value, ArrayRef<int64_t> expected) {
  if (matchesShape(shapeOf(value), expected))
    return success();
  return op->emitOpError() << name << " is " << shapeText(shapeOf(value)) << ", expected "
                           << shapeText(expected);
}

LogicalResult checkRank(Operation *op, StringRef name, Value value, size_t rank) {
  if (shapeOf(value).size() == rank)
    return success();
  return op->emitOpError() << name << " is " << shapeText(shapeOf(value)) << ", expected " << rank
                           << " dimension" << (rank == 1 ? "" : "s");
}

LogicalResult checkPositive(Operation *op, StringRef name, const APFloat &number) {
  if (number.isFinite() && !number.isNegative() && !number.isZero())
    return success();
  return op->emitOpError() << name << " must be positive and finite, got " << numberText(number);
}

LogicalResult checkPositive(Operation *op, StringRef name, int64_t number) {
  if (number > 0)
    return success();
  return op->emitOpError() << name << " must be positive, got " << number;
}

LogicalResult checkBound(Operation *op, const APFloat &bound) {
  if (bound.isFinite() && bound.isNegative() && !bound.isZero())
    return success();
  return op->emitOpError() << "lower bound must be negative and finite, got " << numberText(bound);
}

LogicalResult checkMxInPacking(Operation *op) {
  auto isMx = [](Type type) { return isa<MxType>(type); };
  if ((llvm::any_of(op->getOperandTypes(), isMx) || llvm::any_of(op->getResultTypes(), isMx)) &&
      !isInPacking(op))
    return op->emitOpError() << "mx tensors occur only in weights and packing, got a step value";
  return success();
}

//===----------------------------------------------------------------------===//
// Sharding
//===----------------------------------------------------------------------===//

LogicalResult checkShard(Operation *op, ShardAttr shard, Type type, bool divides) {
  if (!shard)
    return success();
  MeshAttr mesh = getMesh(op);
  ArrayRef<int64_t> shape = getLogicalShape(type);
  if (shard.getDims().size() != shape.size())
    return op->emitOpError() << "shard names " << shard.getDims().size() << " dimensions, the type has "
                             << shape.size();
  for (Attribute axis : shard.getPartial())
    if (!mesh.getAxis(cast<StringAttr>(axis).getValue()))
      return op->emitOpError() << "axis " << axis << " is not in the mesh";
  for (auto [index, attribute] : llvm::enumerate(shard.getDims())) {
    auto axes = cast<ArrayAttr>(attribute);
    int64_t rest = shape[index];
    for (Attribute axis : axes) {
      StringRef name = cast<StringAttr>(axis).getValue();
      std::optional<int64_t> size = mesh.getAxis(name);
      if (!size)
        return op->emitOpError() << "axis '" << name << "' is not in the mesh";
      if (!divides || ShapedType::isDynamic(rest))
        continue;
      if (rest % *size != 0)
        return op->emitOpError() << "dimension " << index << " (" << rest << ") is not divisible by " << name
                                 << " = " << *size;
      rest /= *size;
      if (auto mx = dyn_cast<MxType>(type); mx && index + 1 == shape.size() && rest % mx.getBlock() != 0)
        return op->emitOpError() << "dimension " << shape[index] << " cut by " << name << " = " << *size
                                 << " leaves " << rest << ", not a multiple of the MX block "
                                 << mx.getBlock();
    }
  }
  return success();
}

LogicalResult checkPartialUses(Value value, ShardAttr shard) {
  if (!shard || shard.getPartial().empty())
    return success();
  std::optional<int64_t> size = getAxesSize(getMesh(value.getDefiningOp()), shard.getPartial());
  if (!size || *size == 1)
    return success();
  for (Operation *user : value.getUsers())
    if (!isa<AllReduceOp, ReduceScatterOp, SplitOp, ReshapeOp, arith::AddFOp>(user)) {
      std::string axes = llvm::join(
          llvm::map_range(shard.getPartial(), [](Attribute axis) { return cast<StringAttr>(axis).str(); }),
          ", ");
      return user->emitError() << "a partial value reaches '" << user->getName() << "', reduce it over ["
                               << axes << "] first";
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Roles and symbols
//===----------------------------------------------------------------------===//

LogicalResult checkRoles(Operation *op, DictionaryAttr given, StringRef kind,
                         ArrayRef<StringLiteral> allowed) {
  for (NamedAttribute role : given) {
    if (!llvm::is_contained(allowed, role.getName().getValue()))
      return op->emitOpError() << "unknown " << kind << " role '" << role.getName().getValue() << "'";
    if (!isa<FlatSymbolRefAttr>(role.getValue()))
      return op->emitOpError() << kind << " role '" << role.getName().getValue()
                               << "' must name a symbol, got " << role.getValue();
  }
  for (StringLiteral role : allowed)
    if (!given.contains(role))
      return op->emitOpError() << kind << (kind == "weight" ? "s lack '" : " lacks '") << role << "'";
  return success();
}

Operation *SymbolChecker::find(FlatSymbolRefAttr symbol) {
  Operation *found = tables.lookupNearestSymbolFrom(op, symbol);
  if (!found)
    op->emitOpError() << "names " << symbol << ", which does not exist";
  return found;
}

std::optional<WeightInfo> SymbolChecker::weight(FlatSymbolRefAttr symbol, bool family) {
  Operation *found = find(symbol);
  if (!found)
    return std::nullopt;
  std::optional<WeightInfo> info = getWeightInfo(found);
  if (!info) {
    op->emitOpError() << "names " << symbol << ", which is a '" << found->getName()
                      << "', expected k3.weight or k3.packed";
    return std::nullopt;
  }
  if (info->members && !family) {
    op->emitOpError() << "names " << symbol << ", a family of " << *info->members
                      << " members, expected a single weight";
    return std::nullopt;
  }
  if (!info->members && family) {
    op->emitOpError() << "names " << symbol << ", a single weight, expected a family";
    return std::nullopt;
  }
  return info;
}

LogicalResult SymbolChecker::shape(StringRef role, FlatSymbolRefAttr symbol, ArrayRef<int64_t> expected,
                                   bool family) {
  std::optional<WeightInfo> info = weight(symbol, family);
  if (!info)
    return failure();
  ArrayRef<int64_t> shape = getLogicalShape(info->type);
  if (matchesShape(shape, expected))
    return success();
  return op->emitOpError() << role << " " << symbol << " is " << shapeText(shape) << ", expected "
                           << shapeText(expected);
}

StateOp SymbolChecker::state(FlatSymbolRefAttr symbol) {
  Operation *found = find(symbol);
  if (!found)
    return {};
  auto state = dyn_cast<StateOp>(found);
  if (!state)
    op->emitOpError() << "names " << symbol << ", which is a '" << found->getName() << "', expected k3.state";
  return state;
}

LogicalResult SymbolChecker::state(FlatSymbolRefAttr symbol, StateKind kind, ArrayRef<int64_t> expected) {
  StateOp found = state(symbol);
  if (!found)
    return failure();
  if (found.getKind() != kind)
    return op->emitOpError() << "uses state " << symbol << " of kind '" << stringifyStateKind(found.getKind())
                             << "', needs '" << stringifyStateKind(kind) << "'";
  ArrayRef<int64_t> shape = getLogicalShape(found.getType());
  if (!matchesShape(shape, expected))
    return op->emitOpError() << "state " << symbol << " is " << shapeText(shape) << ", expected "
                             << shapeText(expected);
  return onlyWriter(symbol);
}

/// Does the op write the state of that name? Cheap enough to ask of every op of a step.
static bool writesState(Operation *op, FlatSymbolRefAttr symbol) {
  if (auto conv = dyn_cast<ShortConvOp>(op))
    return conv.getStateAttr() == symbol;
  if (auto core = dyn_cast<KdaCoreOp>(op))
    return core.getStateAttr() == symbol;
  if (auto append = dyn_cast<MlaAppendOp>(op))
    return append.getStateAttr() == symbol;
  auto names = [&](DictionaryAttr roles) {
    return llvm::any_of(roles, [&](NamedAttribute role) { return role.getValue() == symbol; });
  };
  if (auto kda = dyn_cast<KdaOp>(op))
    return names(kda.getState());
  if (auto mla = dyn_cast<GatedMlaOp>(op))
    return names(mla.getState());
  return false;
}

LogicalResult SymbolChecker::onlyWriter(FlatSymbolRefAttr symbol) {
  if (!writesState(op, symbol))
    return success();
  for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode())
    if (writesState(before, symbol)) {
      InFlightDiagnostic diagnostic = op->emitOpError() << "state " << symbol << " is written by two ops";
      if (auto function = op->getParentOfType<func::FuncOp>())
        diagnostic << " of @" << function.getName();
      diagnostic.attachNote(before->getLoc()) << "the first is here";
      return diagnostic;
    }
  return success();
}

} // namespace k3
