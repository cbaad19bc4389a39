//===- K3Utils.cpp - Look-ups over k3 symbols, shapes and roles -----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Utils.h"

using namespace mlir;

namespace k3 {

ArrayRef<int64_t> getLogicalShape(Type type) {
  if (auto mx = dyn_cast<MxType>(type))
    return mx.getShape();
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getShape();
  return {};
}

Type withLogicalShape(Type type, ArrayRef<int64_t> shape) {
  if (auto mx = dyn_cast<MxType>(type))
    return MxType::get(type.getContext(), shape, mx.getElement(), mx.getBlock(), mx.getScale());
  return cast<RankedTensorType>(type).clone(shape);
}

bool haveSameElements(Type left, Type right) {
  auto leftMx = dyn_cast<MxType>(left), rightMx = dyn_cast<MxType>(right);
  if (leftMx && rightMx)
    return leftMx.getElement() == rightMx.getElement() && leftMx.getBlock() == rightMx.getBlock() &&
           leftMx.getScale() == rightMx.getScale();
  auto leftTensor = dyn_cast<RankedTensorType>(left), rightTensor = dyn_cast<RankedTensorType>(right);
  return leftTensor && rightTensor && leftTensor.getElementType() == rightTensor.getElementType();
}

Type getUsedType(WeightOp weight) {
  Type type = weight.getType();
  ArrayRef<int64_t> shape = getLogicalShape(type);
  if (!weight.getUsed() || shape.empty())
    return type;
  SmallVector<int64_t> used(shape);
  used[0] = *weight.getUsed();
  return withLogicalShape(type, used);
}

static std::optional<int64_t> toSigned(std::optional<uint64_t> count) {
  return count ? std::optional<int64_t>(static_cast<int64_t>(*count)) : std::nullopt;
}

std::optional<WeightInfo> getWeightInfo(Operation *op) {
  if (auto weight = dyn_cast_or_null<WeightOp>(op))
    return WeightInfo{op, getUsedType(weight), toSigned(weight.getMembers())};
  if (auto packed = dyn_cast_or_null<PackedOp>(op))
    return WeightInfo{op, packed.getType(), toSigned(packed.getMembers())};
  return std::nullopt;
}

std::optional<WeightInfo> lookupWeight(Operation *from, FlatSymbolRefAttr symbol) {
  return getWeightInfo(SymbolTable::lookupNearestSymbolFrom(from, symbol));
}

Type getWeightType(Operation *from, FlatSymbolRefAttr symbol) {
  std::optional<WeightInfo> info = lookupWeight(from, symbol);
  return info ? info->type : Type();
}

StateOp lookupState(Operation *from, FlatSymbolRefAttr symbol) {
  return dyn_cast_or_null<StateOp>(SymbolTable::lookupNearestSymbolFrom(from, symbol));
}

bool isInPacking(Operation *op) {
  if (op->getParentOfType<PackedOp>())
    return true;
  auto function = op->getParentOfType<func::FuncOp>();
  return !function || function.getName().contains("pack");
}

ArrayRef<StringLiteral> getWeightRoles(Operation *layer) {
  static constexpr StringLiteral kda[] = {"q",      "k",      "v",      "g",     "f_a",     "f_b",    "b",
                                          "conv_q", "conv_k", "conv_v", "a_log", "dt_bias", "o_norm", "o"};
  static constexpr StringLiteral mla[] = {"q_a", "q_a_norm", "q_b", "kv_a", "kv_a_norm", "kv_b", "g", "o"};
  static constexpr StringLiteral moe[] = {"router", "bias", "down",   "up",   "norm",  "w1",
                                          "w2",     "w3",   "s_gate", "s_up", "s_down"};
  static constexpr StringLiteral ffn[] = {"gate", "up", "down"};
  if (isa<KdaOp>(layer))
    return kda;
  if (isa<GatedMlaOp>(layer))
    return mla;
  if (isa<LatentMoeOp>(layer))
    return moe;
  if (isa<DenseFfnOp>(layer))
    return ffn;
  return {};
}

ArrayRef<StringLiteral> getStateRoles(Operation *layer) {
  static constexpr StringLiteral kda[] = {"s", "conv"};
  static constexpr StringLiteral mla[] = {"latent"};
  if (isa<KdaOp>(layer))
    return kda;
  if (isa<GatedMlaOp>(layer))
    return mla;
  return {};
}

void forEachRole(DictionaryAttr roles, function_ref<void(StringRef, FlatSymbolRefAttr)> visit) {
  for (NamedAttribute role : roles)
    visit(role.getName().getValue(), cast<FlatSymbolRefAttr>(role.getValue()));
}

MeshAttr getMesh(Operation *from) {
  for (Operation *op = from; op; op = op->getParentOp())
    if (auto mesh = op->getAttrOfType<MeshAttr>(K3Dialect::kMeshAttr))
      return mesh;
  return MeshAttr::get(from->getContext(), 1, 1, 1, 1, 1);
}

std::optional<int64_t> getAxesSize(MeshAttr mesh, ArrayAttr axes) {
  int64_t size = 1;
  for (Attribute axis : axes) {
    auto name = dyn_cast<StringAttr>(axis);
    std::optional<int64_t> extent = name ? mesh.getAxis(name.getValue()) : std::nullopt;
    if (!extent)
      return std::nullopt;
    size *= *extent;
  }
  return size;
}

} // namespace k3
