//===- BuildPack.cpp - k3-graph-build-pack ---------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Graph/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace k3 {

#define GEN_PASS_DEF_BUILDPACKPASS
#include "passes/Graph/Passes.h.inc"

namespace {

struct BuildPackPass : impl::BuildPackPassBase<BuildPackPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::DenseSet<StringAttr> named;
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](Operation *op) {
        op->getAttrDictionary().walk([&](FlatSymbolRefAttr symbol) { named.insert(symbol.getAttr()); });
      });

    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto pack = func::FuncOp::create(builder, module.getLoc(), "pack", builder.getFunctionType({}, {}));
    builder.setInsertionPointToStart(pack.addEntryBlock());
    for (PackedOp packed : llvm::make_early_inc_range(module.getOps<PackedOp>())) {
      if (!named.contains(packed.getSymNameAttr())) {
        packed.erase();
        continue;
      }
      IRMapping mapping;
      for (Operation &op : packed.getBody().front().without_terminator())
        builder.clone(op, mapping);
      auto yield = cast<YieldOp>(packed.getBody().front().getTerminator());
      StorePackedOp::create(builder, packed.getLoc(), mapping.lookup(yield.getValue()),
                            FlatSymbolRefAttr::get(packed.getSymNameAttr()));
    }
    func::ReturnOp::create(builder, module.getLoc());
  }
};

} // namespace
} // namespace k3
