//===- K3MixerOps.cpp - Verifiers of the core ops of KDA, MLA and the experts --===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Names.h"
#include "dialects/K3/K3Verify.h"

using namespace mlir;
using namespace k3;

//===----------------------------------------------------------------------===//
// Kimi Delta Attention
//===----------------------------------------------------------------------===//

LogicalResult ShortConvOp::verify() {
  if (failed(checkRank(*this, "u", getU(), 2)))
    return failure();
  return checkShape(*this, "y", getY(), shapeOf(getU()));
}

LogicalResult ShortConvOp::verifySymbolUses(SymbolTableCollection &tables) {
  SymbolChecker check(*this, tables);
  int64_t channels = shapeOf(getU())[1];
  if (failed(check.shape("weight", getWeightAttr(), {channels, 4})))
    return failure();
  return check.state(getStateAttr(), StateKind::Conv, {3, channels});
}

LogicalResult KdaGateOp::verify() {
  if (failed(checkRank(*this, "f", getF(), 2)) || failed(checkRank(*this, "g", getG(), 3)))
    return failure();
  int64_t tokens = shapeOf(getF())[0], heads = shapeOf(getG())[1], dim = shapeOf(getG())[2];
  if (failed(checkShape(*this, "g", getG(), {tokens, kAny, kAny})) ||
      failed(checkShape(*this, "f", getF(), {tokens, heads * dim})) ||
      failed(checkShape(*this, "b", getB(), {tokens, heads})) ||
      failed(checkShape(*this, "beta", getBeta(), {tokens, heads})))
    return failure();
  return checkBound(*this, getBound());
}

LogicalResult KdaGateOp::verifySymbolUses(SymbolTableCollection &tables) {
  SymbolChecker check(*this, tables);
  if (failed(check.shape("a_log", getALogAttr(), {shapeOf(getG())[1]})))
    return failure();
  return check.shape("dt_bias", getDtBiasAttr(), {shapeOf(getF())[1]});
}

/// The gate that computes `g`, seen through taps; null when it is computed elsewhere.
static KdaGateOp findGate(Value g) {
  while (auto tap = g.getDefiningOp<TapOp>())
    g = tap.getInput();
  return g.getDefiningOp<KdaGateOp>();
}

LogicalResult KdaCoreOp::verify() {
  ArrayRef<int64_t> q = shapeOf(getQ()), v = shapeOf(getV());
  if (q.size() != 3 || v.size() != 3 || shapeOf(getK()) != q || shapeOf(getG()) != q ||
      !matchesShape(v, {q[0], q[1], kAny}))
    return emitOpError() << "q, k and g must be [T, H, K], v [T, H, V]; got q " << shapeText(q) << ", k "
                         << shapeText(shapeOf(getK())) << ", g " << shapeText(shapeOf(getG())) << ", v "
                         << shapeText(v);
  if (failed(checkShape(*this, "beta", getBeta(), {q[0], q[1]})) || failed(checkShape(*this, "o", getO(), v)))
    return failure();
  int64_t chunk = getChunk();
  if (failed(checkPositive(*this, "chunk", chunk)))
    return failure();
  // exp(-G) of a whole chunk must stay finite; exp(88.7) is the largest in f32.
  if (KdaGateOp gate = findGate(getG())) {
    APFloat bound = gate.getBound();
    if (getForm() != KdaForm::Recurrent && static_cast<double>(chunk) * -bound.convertToDouble() > 88)
      return emitOpError() << "chunk " << chunk << " with bound " << numberText(bound) << " overflows f32 ("
                           << chunk << " * " << numberText(neg(bound)) << " > 88)";
  }
  auto function = (*this)->getParentOfType<func::FuncOp>();
  auto variant = function ? function->getAttrOfType<StringAttr>(kVariantAttr) : StringAttr();
  if (getForm() == KdaForm::Recurrent && variant && variant.getValue() != "decode")
    return emitOpError() << "form 'recurrent' outside a decode program";
  return success();
}

LogicalResult KdaCoreOp::verifySymbolUses(SymbolTableCollection &tables) {
  ArrayRef<int64_t> q = shapeOf(getQ());
  return SymbolChecker(*this, tables)
      .state(getStateAttr(), StateKind::Recurrent, {q[1], shapeOf(getV())[2], q[2]});
}

LogicalResult GatedNormOp::verify() {
  if (failed(checkRank(*this, "o", getO(), 3)) ||
      failed(checkShape(*this, "gate", getGate(), shapeOf(getO()))) ||
      failed(checkShape(*this, "y", getY(), shapeOf(getO()))))
    return failure();
  return checkPositive(*this, "eps", getEps());
}

LogicalResult GatedNormOp::verifySymbolUses(SymbolTableCollection &tables) {
  return SymbolChecker(*this, tables).shape("weight", getWeightAttr(), {shapeOf(getO())[2]});
}

//===----------------------------------------------------------------------===//
// Gated MLA
//===----------------------------------------------------------------------===//

LogicalResult MlaAppendOp::verify() {
  if (failed(checkRank(*this, "kv", getKv(), 2)))
    return failure();
  return checkPositive(*this, "eps", getEps());
}

LogicalResult MlaAppendOp::verifySymbolUses(SymbolTableCollection &tables) {
  SymbolChecker check(*this, tables);
  int64_t width = shapeOf(getKv())[1];
  if (failed(check.shape("norm", getNormAttr(), {kAny})))
    return failure();
  if (int64_t latent = getLogicalShape(check.weight(getNormAttr())->type)[0]; latent > width)
    return emitOpError() << "norm " << getNormAttr() << " has " << latent << " entries, kv only " << width
                         << " columns";
  return check.state(getStateAttr(), StateKind::Paged, {width});
}

LogicalResult MlaCoreOp::verify() {
  if (failed(checkRank(*this, "q", getQ(), 3)))
    return failure();
  return checkShape(*this, "o", getO(), {shapeOf(getQ())[0], shapeOf(getQ())[1], kAny});
}

LogicalResult MlaCoreOp::verifySymbolUses(SymbolTableCollection &tables) {
  SymbolChecker check(*this, tables);
  int64_t heads = shapeOf(getQ())[1], query = shapeOf(getQ())[2], value = shapeOf(getO())[2];
  if (failed(check.shape("kv_b", getKvBAttr(), {heads, kAny, kAny})))
    return failure();
  ArrayRef<int64_t> kvB = getLogicalShape(check.weight(getKvBAttr())->type);
  int64_t latent = kvB[2], nope = kvB[1] - value, rope = query - nope;
  if (nope <= 0 || rope < 0)
    return emitOpError() << "kv_b " << getKvBAttr() << " has " << kvB[1]
                         << " rows a head, expected nope + v with v = " << value << " and nope at most "
                         << query;
  StateOp state = check.state(getStateAttr());
  if (!state)
    return failure();
  if (ArrayRef<int64_t> shape = getLogicalShape(state.getType());
      state.getKind() == StateKind::Paged && shape[0] != latent + rope)
    return emitOpError() << "latent state width " << shape[0] << " is not kv_lora + rope = " << latent + rope;
  return check.state(getStateAttr(), StateKind::Paged, {latent + rope});
}

//===----------------------------------------------------------------------===//
// Feed-forward and experts
//===----------------------------------------------------------------------===//

LogicalResult SituGluOp::verify() {
  if (failed(checkRank(*this, "x", getX(), 2)))
    return failure();
  int64_t width = shapeOf(getX())[1];
  if (width % 2 != 0)
    return emitOpError() << "input width " << width << " is odd";
  if (failed(checkShape(*this, "y", getY(), {shapeOf(getX())[0], width / 2})) ||
      failed(checkPositive(*this, "beta", getBeta())))
    return failure();
  return checkPositive(*this, "linear_beta", getLinearBeta());
}

LogicalResult RouteOp::verify() {
  if (failed(checkRank(*this, "logits", getLogits(), 2)))
    return failure();
  int64_t tokens = shapeOf(getLogits())[0], experts = shapeOf(getLogits())[1], top = getTop();
  if (failed(checkPositive(*this, "top", top)))
    return failure();
  if (top > experts)
    return emitOpError() << "top " << top << " exceeds " << experts << " experts";
  if (failed(checkShape(*this, "ids", getIds(), {tokens, top})) ||
      failed(checkShape(*this, "weights", getWeights(), {tokens, top})))
    return failure();
  return checkPositive(*this, "scale", getScale());
}

LogicalResult RouteOp::verifySymbolUses(SymbolTableCollection &tables) {
  return SymbolChecker(*this, tables).shape("bias", getBiasAttr(), {shapeOf(getLogits())[1]});
}

LogicalResult ExpertsOp::verify() {
  if (failed(checkRank(*this, "z", getZ(), 2)) || failed(checkRank(*this, "ids", getIds(), 2)))
    return failure();
  if (failed(checkShape(*this, "ids", getIds(), {shapeOf(getZ())[0], kAny})) ||
      failed(checkShape(*this, "weights", getWeights(), shapeOf(getIds()))) ||
      failed(checkShape(*this, "y", getY(), shapeOf(getZ()))) ||
      failed(checkPositive(*this, "beta", getBeta())) ||
      failed(checkPositive(*this, "linear_beta", getLinearBeta())) ||
      failed(checkShard(*this, getShardingAttr(), getY().getType(), /*divides=*/false)))
    return failure();
  return checkPartialUses(getY(), getShardingAttr());
}

LogicalResult ExpertsOp::verifySymbolUses(SymbolTableCollection &tables) {
  SymbolChecker check(*this, tables);
  int64_t latent = shapeOf(getZ())[1];
  if (failed(check.shape("w2", getW2Attr(), {latent, kAny}, /*family=*/true)))
    return failure();
  std::optional<WeightInfo> w2 = check.weight(getW2Attr(), /*family=*/true);
  std::optional<WeightInfo> w13 = check.weight(getW13Attr(), /*family=*/true);
  if (!w13)
    return failure();
  int64_t inner = getLogicalShape(w2->type)[1];
  ArrayRef<int64_t> shape = getLogicalShape(w13->type);
  if (shape.empty() || shape[0] != 2 * inner)
    return emitOpError() << "w13 " << getW13Attr() << " has rows " << (shape.empty() ? 0 : shape[0])
                         << ", expected 2 * " << inner << " with w2 " << shapeText(getLogicalShape(w2->type));
  if (failed(check.shape("w13", getW13Attr(), {2 * inner, latent}, /*family=*/true)))
    return failure();
  if (*w13->members != *w2->members)
    return emitOpError() << "family " << getW13Attr() << " has " << *w13->members << " members, "
                         << getW2Attr() << " has " << *w2->members;
  auto route = getIds().getDefiningOp<RouteOp>();
  if (!route || getShardingAttr())
    return success();
  if (int64_t experts = shapeOf(route.getLogits())[1]; *w13->members != experts)
    return emitOpError() << "family " << getW13Attr() << " has " << *w13->members
                         << " members, router logits have " << experts;
  return success();
}
