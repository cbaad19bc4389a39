//===- DecomposeLayers.cpp - Layer ops in terms of core ops ---------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per layer op; the equations stand on the ops (dialects/K3/K3LayerOps.td).
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Names.h"
#include "passes/Graph/Packing.h"

#include <cmath>

using namespace mlir;

namespace k3 {

namespace {

/// The q and k normalisation of KDA; not a field of the config.
constexpr double kL2NormEps = 1e-6;
/// Rows of a fused projection are padded to this, so that the columns of the product start on whole vectors.
constexpr int64_t kRowMultiple = 16;

/// Builds the core ops of one layer op in its place.
class Expansion {
public:
  Expansion(Operation *op, Value x, DictionaryAttr weights, Packer &packer)
      : op(op), packer(packer), builder(op), weights(weights), tokens(typeOf(x).getDimSize(0)),
        element(typeOf(x).getElementType()), f32(builder.getF32Type()) {}

  FlatSymbolRefAttr weight(StringRef role) const { return weights.getAs<FlatSymbolRefAttr>(role); }
  /// Elements in the precision of the activations.
  FlatSymbolRefAttr matrix(StringRef role) { return packer.pack(weight(role), element); }
  /// f32 in every precision: norm weights, biases, decay.
  FlatSymbolRefAttr vector(StringRef role) { return packer.pack(weight(role), f32); }
  int64_t rows(StringRef role) const { return packer.shapeOf(weight(role))[0]; }
  /// A packed symbol of this layer: "layers.3." + name.
  std::string name(StringRef role, StringRef suffix) const { return Packer::prefixOf(weight(role)) + suffix.str(); }

  RankedTensorType type(ArrayRef<int64_t> dims, Type of = {}) const {
    SmallVector<int64_t> shape{tokens};
    llvm::append_range(shape, dims);
    return RankedTensorType::get(shape, of ? of : element);
  }
  /// Location of an inner op: the layer op's name and the part's.
  Location loc(StringRef part) const { return partLocation(op->getLoc(), part); }

  Value linear(StringRef part, Value x, FlatSymbolRefAttr weight, Type of = {}) {
    return linear(loc(part), x, weight, of);
  }
  Value linear(Location where, Value x, FlatSymbolRefAttr weight, Type of = {}) {
    return LinearOp::create(builder, where, type(packer.shapeOf(weight)[0], of), x, weight, ShardAttr());
  }
  SmallVector<Value> split(StringRef part, Value x, ArrayRef<RankedTensorType> parts) {
    SmallVector<Type> types(parts.begin(), parts.end());
    auto results = SplitOp::create(builder, loc(part), types, x).getParts();
    return SmallVector<Value>(results.begin(), results.end());
  }
  Value reshape(StringRef part, Value x, RankedTensorType to) { return ReshapeOp::create(builder, loc(part), to, x); }

  /// down(SiTU(gate_up(x))), the product of gate and up in one.
  Value glu(Location where, Value x, StringRef gate, StringRef up, StringRef down, StringRef packedName, double beta,
            double linearBeta) {
    FlatSymbolRefAttr gateUp = packer.concatRows(name(gate, packedName), {weight(gate), weight(up)}, element);
    Value product = linear(packedName, x, gateUp);
    Value active = SituGluOp::create(builder, loc("situ"), type(rows(gate)), product, builder.getF64FloatAttr(beta),
                                     builder.getF64FloatAttr(linearBeta));
    return linear(where, active, matrix(down));
  }

  void replaceWith(Value result) {
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }

  static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

  Operation *op;
  Packer &packer;
  OpBuilder builder;
  DictionaryAttr weights;
  int64_t tokens;
  Type element, f32;
};

FlatSymbolRefAttr state(DictionaryAttr states, StringRef role) { return states.getAs<FlatSymbolRefAttr>(role); }

} // namespace

void decomposeKda(KdaOp op, Packer &packer) {
  Expansion e(op, op.getX(), op.getWeights(), packer);
  OpBuilder &b = e.builder;
  int64_t heads = op.getHeads(), dim = op.getHeadDim(), width = heads * dim, rank = e.rows("f_a");
  RankedTensorType perHead = e.type({heads, dim});

  FlatSymbolRefAttr inProj = packer.concatRows(
      e.name("q", "in_proj"), {e.weight("q"), e.weight("k"), e.weight("v"), e.weight("g"), e.weight("f_a"), e.weight("b")},
      e.element, kRowMultiple);
  FlatSymbolRefAttr conv = packer.concatRows(e.name("q", "conv_w"), {e.weight("conv_q"), e.weight("conv_k"), e.weight("conv_v")},
                                             e.f32, 1, {4});

  Value projected = e.linear("in_proj", op.getX(), inProj);
  SmallVector<RankedTensorType> parts = {e.type(3 * width), perHead, e.type(rank), e.type(heads)};
  if (int64_t pad = Expansion::typeOf(projected).getDimSize(1) - (4 * width + rank + heads))
    parts.push_back(e.type(pad));
  SmallVector<Value> columns = e.split("columns", projected, parts);
  Value decayIn = e.linear("f_b", columns[2], e.matrix("f_b"));
  Value convolved = ShortConvOp::create(b, e.loc("conv"), e.type(3 * width), columns[0], op.getBatch(), conv,
                                        state(op.getState(), "conv"));
  SmallVector<Value> qkv = e.split("qkv", convolved, {perHead, perHead, perHead});
  auto norm = [&](StringRef part, Value value, double scale) -> Value {
    return L2NormOp::create(b, e.loc(part), perHead, value, b.getF64FloatAttr(kL2NormEps), b.getF64FloatAttr(scale));
  };
  Value q = norm("q", qkv[0], 1.0 / std::sqrt(static_cast<double>(dim)));
  Value k = norm("k", qkv[1], 1.0);
  auto gate = KdaGateOp::create(b, e.loc("gate"), TypeRange{e.type({heads, dim}, e.f32), e.type(heads, e.f32)}, decayIn,
                                columns[3], e.vector("a_log"), e.vector("dt_bias"), op.getBoundAttr());
  Value o = KdaCoreOp::create(b, e.loc("core"), perHead, q, k, qkv[2], gate.getG(), gate.getBeta(), op.getBatch(),
                              state(op.getState(), "s"));
  Value normed = GatedNormOp::create(b, e.loc("gated_norm"), perHead, o, columns[1], e.vector("o_norm"), op.getEpsAttr());
  Value flat = e.reshape("flat", normed, e.type(width));
  e.replaceWith(e.linear(op.getLoc(), flat, e.matrix("o")));
}

void decomposeGatedMla(GatedMlaOp op, Packer &packer) {
  Expansion e(op, op.getX(), op.getWeights(), packer);
  OpBuilder &b = e.builder;
  int64_t heads = op.getHeads(), nope = op.getNope(), rope = op.getRope(), value = op.getVDim();
  int64_t rank = e.rows("q_a"), latent = e.rows("kv_a") - rope;

  FlatSymbolRefAttr qkvA =
      packer.concatRows(e.name("q_a", "qkv_a"), {e.weight("q_a"), e.weight("kv_a")}, e.element);
  SmallVector<Value> low =
      e.split("columns", e.linear("qkv_a", op.getX(), qkvA), {e.type(rank), e.type(latent + rope)});
  Value qNormed = RmsNormOp::create(b, e.loc("q_norm"), e.type(rank), low[0], e.vector("q_a_norm"), op.getNormEpsAttr());
  Value q = e.reshape("q", e.linear("q_b", qNormed, e.matrix("q_b")), e.type({heads, nope + rope}));
  FlatSymbolRefAttr cache = state(op.getState(), "latent");
  MlaAppendOp::create(b, e.loc("append"), low[1], op.getBatch(), e.vector("kv_a_norm"), cache, op.getNormEpsAttr());
  FlatSymbolRefAttr kvB = packer.pack(e.weight("kv_b"), e.element, {heads, nope + value, latent});
  Value o = MlaCoreOp::create(b, e.loc("core"), e.type({heads, value}), q, op.getBatch(), kvB, cache);
  Value flat = e.reshape("flat", o, e.type(heads * value));
  Value gated = SigmoidGateOp::create(b, e.loc("gate"), flat, e.linear("g", op.getX(), e.matrix("g")));
  e.replaceWith(e.linear(op.getLoc(), gated, e.matrix("o")));
}

void decomposeLatentMoe(LatentMoeOp op, Packer &packer) {
  Expansion e(op, op.getX(), op.getWeights(), packer);
  OpBuilder &b = e.builder;
  int64_t top = op.getTop(), latent = e.rows("down");

  Value logits = e.linear("router", op.getX(), e.matrix("router"), e.f32);
  auto route = RouteOp::create(b, e.loc("route"), TypeRange{e.type(top, b.getI32Type()), e.type(top, e.f32)}, logits,
                               e.vector("bias"), op.getTopAttr(), op.getScaleAttr(), op.getRenormalizeAttr());
  if (auto layer = op->getAttrOfType<IntegerAttr>(kLayerAttr)) {
    std::string prefix = "layer." + std::to_string(layer.getInt()) + ".";
    nameResults(route, {prefix + "expert_ids", prefix + "expert_weights"});
  }
  Value z = e.linear("down", op.getX(), e.matrix("down"));
  FlatSymbolRefAttr w13 = packer.concatRows(e.name("w1", "w13"), {e.weight("w1"), e.weight("w3")}, e.element);
  Value routed = ExpertsOp::create(b, e.loc("experts"), e.type(latent), z, route.getIds(), route.getWeights(), w13,
                                   packer.pack(e.weight("w2"), e.element), op.getBetaAttr(), op.getLinearBetaAttr(), ShardAttr());
  Value normed = RmsNormOp::create(b, e.loc("norm"), e.type(latent), routed, e.vector("norm"), op.getEpsAttr());
  Value up = e.linear("up", normed, e.matrix("up"));
  Value shared = e.glu(e.loc("shared"), op.getX(), "s_gate", "s_up", "s_down", "s_gate_up",
                       op.getBeta().convertToDouble(), op.getLinearBeta().convertToDouble());
  // Independent of the routed path up to the last sum.
  for (Value v = shared; v != op.getX(); v = v.getDefiningOp()->getOperand(0))
    v.getDefiningOp()->setAttr(kStreamAttr, b.getI64IntegerAttr(1));
  e.replaceWith(arith::AddFOp::create(b, op.getLoc(), up, shared));
}

void decomposeDenseFfn(DenseFfnOp op, Packer &packer) {
  Expansion e(op, op.getX(), op.getWeights(), packer);
  e.replaceWith(e.glu(op.getLoc(), op.getX(), "gate", "up", "down", "gate_up", op.getBeta().convertToDouble(),
                      op.getLinearBeta().convertToDouble()));
}

void decomposeLmHead(LmHeadOp op, Packer &packer) {
  OpBuilder b(op);
  auto h = cast<RankedTensorType>(op.getH().getType());
  auto rowsType = RankedTensorType::get({cast<RankedTensorType>(op.getRows().getType()).getDimSize(0), h.getDimSize(1)},
                                        h.getElementType());
  Value rows = GatherRowsOp::create(b, partLocation(op.getLoc(), "rows"), rowsType, op.getH(), op.getRows());
  Value hidden = RmsNormOp::create(b, NameLoc::get(b.getStringAttr("final_hidden")), rowsType, rows,
                                   packer.pack(op.getNormAttr(), b.getF32Type()), op.getEpsAttr());
  Value logits = LinearOp::create(b, op.getLoc(), op.getLogits().getType(), hidden,
                                  packer.pack(op.getWeightAttr(), h.getElementType()), ShardAttr());
  op.getLogits().replaceAllUsesWith(logits);
  op.erase();
}

} // namespace k3
