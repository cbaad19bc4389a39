//===- K3LayerOps.cpp - Verifiers of the layer-level ops ------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `verify` checks what the op itself says; `verifySymbolUses` checks weights and state against it.
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Verify.h"

using namespace mlir;
using namespace k3;

namespace {

/// Checks weights and state of one layer op by role.
class LayerChecker {
public:
  LayerChecker(Operation *op, DictionaryAttr weights, SymbolTableCollection &tables)
      : op(op), weights(weights), symbols(op, tables) {}

  LogicalResult shape(StringRef role, ArrayRef<int64_t> expected) {
    return symbols.shape(role, weights.getAs<FlatSymbolRefAttr>(role), expected);
  }
  /// A matrix of any number of rows over `columns` inputs; `rows` receives that number.
  LogicalResult matrix(StringRef role, int64_t columns, int64_t &rows) {
    if (failed(shape(role, {kAny, columns})))
      return failure();
    rows = getLogicalShape(symbols.weight(weights.getAs<FlatSymbolRefAttr>(role))->type)[0];
    return success();
  }
  /// A family of `members` matrices; an unset extent of `expected` is kAny.
  std::optional<WeightInfo> family(StringRef role, int64_t members, ArrayRef<int64_t> expected) {
    auto symbol = weights.getAs<FlatSymbolRefAttr>(role);
    if (failed(symbols.shape(role, symbol, expected, /*family=*/true)))
      return std::nullopt;
    std::optional<WeightInfo> info = symbols.weight(symbol, /*family=*/true);
    if (*info->members == members)
      return info;
    op->emitOpError() << role << " " << symbol << " has " << *info->members << " members, the router has "
                      << members << " rows";
    return std::nullopt;
  }
  LogicalResult state(DictionaryAttr states, StringRef role, StateKind kind, ArrayRef<int64_t> expected) {
    return symbols.state(states.getAs<FlatSymbolRefAttr>(role), kind, expected);
  }
  /// Depthwise filters as stored, [channels, 1, 4], or [channels, 4]; all roles alike.
  LogicalResult filters(ArrayRef<StringRef> roles, int64_t channels) {
    std::optional<WeightInfo> first = symbols.weight(weights.getAs<FlatSymbolRefAttr>(roles.front()));
    if (!first)
      return failure();
    SmallVector<int64_t> expected = {channels, 4};
    if (getLogicalShape(first->type).size() == 3)
      expected = {channels, 1, 4};
    return success(llvm::all_of(roles, [&](StringRef role) { return succeeded(shape(role, expected)); }));
  }

private:
  Operation *op;
  DictionaryAttr weights;
  SymbolChecker symbols;
};

/// x [T, D] and y of the same shape.
LogicalResult verifyLayerShapes(Operation *op, Value x, Value y) {
  if (failed(checkRank(op, "x", x, 2)))
    return failure();
  return checkShape(op, "y", y, shapeOf(x));
}

} // namespace

//===----------------------------------------------------------------------===//
// Batch, embedding, head
//===----------------------------------------------------------------------===//

LogicalResult BatchOp::verify() {
  std::pair<StringRef, Value> vectors[] = {{"cu_seqlens", getCuSeqlens()}, {"context_lens", getContextLens()},
                                           {"read_slots", getReadSlots()}, {"write_slots", getWriteSlots()},
                                           {"draft_lens", getDraftLens()}, {"accepted", getAccepted()},
                                           {"ckpt_slots", getCkptSlots()}, {"ckpt_rows", getCkptRows()}};
  for (auto [name, value] : vectors)
    if (failed(checkRank(*this, name, value, 1)))
      return failure();
  if (failed(checkRank(*this, "block_table", getBlockTable(), 2)) ||
      failed(checkShape(*this, "ckpt_rows", getCkptRows(), shapeOf(getCkptSlots()))))
    return failure();
  int64_t sequences = shapeOf(getContextLens())[0], cuts = shapeOf(getCuSeqlens())[0];
  std::pair<StringRef, Value> perSequence[] = {{"read_slots", getReadSlots()},
                                               {"write_slots", getWriteSlots()},
                                               {"draft_lens", getDraftLens()},
                                               {"accepted", getAccepted()}};
  for (auto [name, value] : perSequence)
    if (failed(checkShape(*this, name, value, {sequences})))
      return failure();
  if (failed(checkShape(*this, "block_table", getBlockTable(), {sequences, kAny})))
    return failure();
  if (!ShapedType::isDynamic(sequences) && !ShapedType::isDynamic(cuts) && cuts != sequences + 1)
    return emitOpError() << "cu_seqlens has " << cuts
                         << " entries, expected sequences + 1 = " << sequences + 1;
  return success();
}

LogicalResult EmbeddingOp::verify() {
  if (failed(checkRank(*this, "tokens", getTokens(), 1)))
    return failure();
  return checkShape(*this, "out", getOut(), {shapeOf(getTokens())[0], kAny});
}

LogicalResult EmbeddingOp::verifySymbolUses(SymbolTableCollection &tables) {
  return SymbolChecker(*this, tables).shape("table", getTableAttr(), {kAny, shapeOf(getOut())[1]});
}

LogicalResult LmHeadOp::verify() {
  if (failed(checkRank(*this, "h", getH(), 2)) || failed(checkRank(*this, "rows", getRows(), 1)) ||
      failed(checkPositive(*this, "eps", getEps())))
    return failure();
  return checkShape(*this, "logits", getLogits(), {shapeOf(getRows())[0], kAny});
}

LogicalResult LmHeadOp::verifySymbolUses(SymbolTableCollection &tables) {
  SymbolChecker check(*this, tables);
  int64_t width = shapeOf(getH())[1], vocabulary = shapeOf(getLogits())[1];
  if (failed(check.shape("norm", getNormAttr(), {width})))
    return failure();
  return check.shape("weight", getWeightAttr(), {vocabulary, width});
}

//===----------------------------------------------------------------------===//
// Attention layers
//===----------------------------------------------------------------------===//

LogicalResult KdaOp::verify() {
  if (failed(verifyLayerShapes(*this, getX(), getY())) ||
      failed(checkRoles(*this, getWeights(), "weight", getWeightRoles(*this))) ||
      failed(checkRoles(*this, getState(), "state", getStateRoles(*this))) ||
      failed(checkPositive(*this, "heads", static_cast<int64_t>(getHeads()))) ||
      failed(checkPositive(*this, "head_dim", static_cast<int64_t>(getHeadDim()))) ||
      failed(checkBound(*this, getBound())))
    return failure();
  return checkPositive(*this, "eps", getEps());
}

LogicalResult KdaOp::verifySymbolUses(SymbolTableCollection &tables) {
  LayerChecker check(*this, getWeights(), tables);
  int64_t model = shapeOf(getX())[1], heads = getHeads(), dim = getHeadDim(), width = heads * dim, rank = 0;
  for (StringRef role : {"q", "k", "v", "g"})
    if (failed(check.shape(role, {width, model})))
      return failure();
  if (failed(check.filters({"conv_q", "conv_k", "conv_v"}, width)))
    return failure();
  if (failed(check.matrix("f_a", model, rank)) || failed(check.shape("f_b", {width, rank})) ||
      failed(check.shape("b", {heads, model})) || failed(check.shape("a_log", {heads})) ||
      failed(check.shape("dt_bias", {width})) || failed(check.shape("o_norm", {dim})) ||
      failed(check.shape("o", {model, width})))
    return failure();
  if (failed(check.state(getState(), "s", StateKind::Recurrent, {heads, dim, dim})))
    return failure();
  return check.state(getState(), "conv", StateKind::Conv, {3, 3 * width});
}

LogicalResult GatedMlaOp::verify() {
  if (failed(verifyLayerShapes(*this, getX(), getY())) ||
      failed(checkRoles(*this, getWeights(), "weight", getWeightRoles(*this))) ||
      failed(checkRoles(*this, getState(), "state", getStateRoles(*this))) ||
      failed(checkPositive(*this, "heads", static_cast<int64_t>(getHeads()))) ||
      failed(checkPositive(*this, "nope", static_cast<int64_t>(getNope()))) ||
      failed(checkPositive(*this, "v", static_cast<int64_t>(getVDim()))))
    return failure();
  if (static_cast<int64_t>(getRope()) < 0)
    return emitOpError() << "rope must not be negative, got " << static_cast<int64_t>(getRope());
  return checkPositive(*this, "norm_eps", getNormEps());
}

LogicalResult GatedMlaOp::verifySymbolUses(SymbolTableCollection &tables) {
  LayerChecker check(*this, getWeights(), tables);
  int64_t model = shapeOf(getX())[1], heads = getHeads(), nope = getNope(), rope = getRope(),
          value = getVDim();
  int64_t rank = 0, latentAndRope = 0;
  if (failed(check.matrix("q_a", model, rank)) || failed(check.shape("q_a_norm", {rank})) ||
      failed(check.shape("q_b", {heads * (nope + rope), rank})) ||
      failed(check.matrix("kv_a", model, latentAndRope)))
    return failure();
  int64_t latent = latentAndRope - rope;
  if (latent <= 0)
    return emitOpError() << "kv_a has " << latentAndRope << " rows, too few for a latent beside rope "
                         << rope;
  if (failed(check.shape("kv_a_norm", {latent})) ||
      failed(check.shape("kv_b", {heads * (nope + value), latent})) ||
      failed(check.shape("g", {heads * value, model})) || failed(check.shape("o", {model, heads * value})))
    return failure();
  auto symbol = getState().getAs<FlatSymbolRefAttr>("latent");
  StateOp state = SymbolChecker(*this, tables).state(symbol);
  if (!state)
    return failure();
  if (ArrayRef<int64_t> shape = getLogicalShape(state.getType());
      state.getKind() == StateKind::Paged && shape[0] != latentAndRope)
    return emitOpError() << "latent state width " << shape[0] << " is not kv_lora + rope = " << latentAndRope;
  return check.state(getState(), "latent", StateKind::Paged, {latentAndRope});
}

//===----------------------------------------------------------------------===//
// Attention residual
//===----------------------------------------------------------------------===//

LogicalResult AttnResOp::verify() {
  Type type = getPartial().getType();
  if (failed(checkRank(*this, "partial", getPartial(), 2)) || failed(checkPositive(*this, "eps", getEps())))
    return failure();
  if (llvm::any_of(getBank().getTypes(), [&](Type source) { return source != type; }))
    return emitOpError() << "all sources must have the type of 'partial', " << type;
  if (getDelta() && getDelta().getType() != type)
    return emitOpError() << "'plus' must have the type of 'partial', " << type;
  if (static_cast<bool>(getSum()) != static_cast<bool>(getDelta()))
    return emitOpError() << "'sum' is present exactly when 'plus' is";
  if (getSum() && getSum().getType() != type)
    return emitOpError() << "'sum' must have the type of 'partial', " << type;
  return checkShape(*this, "mixed", getMixed(), shapeOf(getPartial()));
}

LogicalResult AttnResOp::verifySymbolUses(SymbolTableCollection &tables) {
  SymbolChecker check(*this, tables);
  int64_t width = shapeOf(getPartial())[1];
  std::optional<WeightInfo> query = check.weight(getQueryAttr());
  if (!query)
    return failure();
  Type expected = RankedTensorType::get({width}, Float32Type::get(getContext()));
  if (query->type != expected)
    return emitOpError() << "query " << getQueryAttr() << " is " << query->type << ", expected " << expected;
  return getNormAttr() ? check.shape("norm", getNormAttr(), {width}) : success();
}

//===----------------------------------------------------------------------===//
// Feed-forward layers
//===----------------------------------------------------------------------===//

LogicalResult LatentMoeOp::verify() {
  if (failed(verifyLayerShapes(*this, getX(), getY())) ||
      failed(checkRoles(*this, getWeights(), "weight", getWeightRoles(*this))) ||
      failed(checkPositive(*this, "top", static_cast<int64_t>(getTop()))) ||
      failed(checkPositive(*this, "scale", getScale())) || failed(checkPositive(*this, "beta", getBeta())) ||
      failed(checkPositive(*this, "linear_beta", getLinearBeta())))
    return failure();
  return checkPositive(*this, "eps", getEps());
}

LogicalResult LatentMoeOp::verifySymbolUses(SymbolTableCollection &tables) {
  LayerChecker check(*this, getWeights(), tables);
  int64_t model = shapeOf(getX())[1], top = getTop(), experts = 0, latent = 0, shared = 0;
  if (failed(check.matrix("router", model, experts)) || failed(check.shape("bias", {experts})) ||
      failed(check.matrix("down", model, latent)) || failed(check.shape("up", {model, latent})) ||
      failed(check.shape("norm", {latent})))
    return failure();
  if (top > experts)
    return emitOpError() << "top " << top << " exceeds " << experts << " experts";
  std::optional<WeightInfo> w1 = check.family("w1", experts, {kAny, latent});
  if (!w1)
    return failure();
  int64_t inner = getLogicalShape(w1->type)[0];
  if (!check.family("w3", experts, {inner, latent}) || !check.family("w2", experts, {latent, inner}))
    return failure();
  if (failed(check.matrix("s_gate", model, shared)) || failed(check.shape("s_up", {shared, model})))
    return failure();
  return check.shape("s_down", {model, shared});
}

LogicalResult DenseFfnOp::verify() {
  if (failed(verifyLayerShapes(*this, getX(), getY())) ||
      failed(checkRoles(*this, getWeights(), "weight", getWeightRoles(*this))) ||
      failed(checkPositive(*this, "beta", getBeta())))
    return failure();
  return checkPositive(*this, "linear_beta", getLinearBeta());
}

LogicalResult DenseFfnOp::verifySymbolUses(SymbolTableCollection &tables) {
  LayerChecker check(*this, getWeights(), tables);
  int64_t model = shapeOf(getX())[1], inner = 0;
  if (failed(check.matrix("gate", model, inner)) || failed(check.shape("up", {inner, model})))
    return failure();
  return check.shape("down", {model, inner});
}
