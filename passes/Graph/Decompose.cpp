//===- Decompose.cpp - k3-graph-decompose ---------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Graph/Packing.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace k3 {

#define GEN_PASS_DEF_DECOMPOSEPASS
#include "passes/Graph/Passes.h.inc"

namespace {

/// Core ops may name checkpoint weights directly; they get a packed weight of the kind the op computes with.
void packOperands(Operation *op, Packer &packer) {
  Type f32 = Float32Type::get(op->getContext());
  auto replace = [&](StringRef attr, Type element, ArrayRef<int64_t> shape = {}) {
    if (auto symbol = op->getAttrOfType<FlatSymbolRefAttr>(attr))
      op->setAttr(attr, packer.pack(symbol, element, shape));
  };
  auto elementOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); };
  TypeSwitch<Operation *>(op)
      .Case([&](EmbeddingOp e) { replace("table", elementOf(e.getOut())); })
      .Case([&](LinearOp e) { replace("weight", elementOf(e.getX())); })
      .Case([&](RmsNormOp) { replace("weight", f32); })
      .Case([&](GatedNormOp) { replace("weight", f32); })
      .Case([&](ShortConvOp e) {
        replace("weight", f32, {packer.shapeOf(e.getWeightAttr())[0], 4});
      })
      .Case([&](KdaGateOp) {
        replace("a_log", f32);
        replace("dt_bias", f32);
      })
      .Case([&](MlaAppendOp) { replace("norm", f32); })
      .Case([&](MlaCoreOp e) { replace("kv_b", elementOf(e.getQ())); })
      .Case([&](RouteOp) { replace("bias", f32); })
      .Case([&](ExpertsOp) {
        replace("w13", f32);
        replace("w2", f32);
      })
      .Case([&](AttnResOp) {
        replace("query", f32);
        replace("norm", f32);
      });
}

/// Fused projections are made of checkpoint weights; what is packed already has the layout of another op.
LogicalResult checkWeights(Operation *layer, SymbolTable &symbols) {
  auto weights = layer->getAttrOfType<DictionaryAttr>("weights");
  if (!weights)
    return success();
  for (NamedAttribute role : weights)
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(role.getValue()); !isa<WeightOp>(symbols.lookup(symbol.getValue())))
      return layer->emitOpError("weight role '") << role.getName().getValue() << "' names the packed weight " << symbol
                                                 << ", expected a checkpoint weight (k3.weight)";
  return success();
}

struct DecomposePass : impl::DecomposePassBase<DecomposePass> {
  void runOnOperation() override {
    Packer packer(getOperation());
    SmallVector<Operation *> layers;
    getOperation().walk([&](Operation *op) {
      if (isa<KdaOp, GatedMlaOp, LatentMoeOp, DenseFfnOp, LmHeadOp>(op))
        layers.push_back(op);
    });
    SymbolTable symbols(getOperation());
    for (Operation *op : layers)
      if (failed(checkWeights(op, symbols)))
        return signalPassFailure();
    for (Operation *op : layers)
      TypeSwitch<Operation *>(op)
          .Case([&](KdaOp layer) { decomposeKda(layer, packer); })
          .Case([&](GatedMlaOp layer) { decomposeGatedMla(layer, packer); })
          .Case([&](LatentMoeOp layer) { decomposeLatentMoe(layer, packer); })
          .Case([&](DenseFfnOp layer) { decomposeDenseFfn(layer, packer); })
          .Case([&](LmHeadOp layer) { decomposeLmHead(layer, packer); });
    getOperation().walk([&](func::FuncOp function) {
      function.walk([&](Operation *op) { packOperands(op, packer); });
    });
  }
};

} // namespace
} // namespace k3
