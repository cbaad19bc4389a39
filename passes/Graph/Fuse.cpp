//===- Fuse.cpp - k3-graph-fuse --------------------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Names.h"
#include "passes/Graph/Passes.h"

using namespace mlir;

namespace k3 {

#define GEN_PASS_DEF_FUSEPASS
#include "passes/Graph/Passes.h.inc"

namespace {

/// True when every user of `value` but `first` comes after `first` in its block.
bool readsFirst(Operation *first, Value value) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user == first || (user->getBlock() == first->getBlock() && first->isBeforeInBlock(user));
  });
}

/// The add that feeds the partial sum becomes `plus`; its value is the second result from here on.
AttnResOp fuseAdd(AttnResOp op) {
  auto add = op.getPartial().getDefiningOp<arith::AddFOp>();
  if (!add || op.getDelta() || add->getBlock() != op->getBlock() || !readsFirst(op, add.getResult()) ||
      llvm::is_contained(op.getBank(), add.getResult()))
    return op;
  OpBuilder builder(op);
  auto fused = AttnResOp::create(builder, op.getLoc(), TypeRange{op.getMixed().getType(), add.getType()}, op.getBank(),
                                 add.getLhs(), add.getRhs(), op.getQueryAttr(), op.getNormAttr(), op.getEpsAttr());
  nameResults(fused, {locationName(op.getLoc()), locationName(add.getLoc())});
  op.getMixed().replaceAllUsesWith(fused.getMixed());
  op.erase();
  add.getResult().replaceAllUsesWith(fused.getSum());
  add.erase();
  return fused;
}

/// The only reader of the mix, an RMSNorm with the same eps, becomes `norm`.
void fuseNorm(AttnResOp op) {
  if (op.getNorm() || !op.getMixed().hasOneUse())
    return;
  auto norm = dyn_cast<RmsNormOp>(*op.getMixed().user_begin());
  if (!norm || norm.getEps() != op.getEps())
    return;
  op.setNormAttr(norm.getWeightAttr());
  if (op.getSum())
    nameResults(op, {locationName(norm.getLoc()), valueName(cast<OpResult>(op.getSum()))});
  op->setLoc(norm.getLoc());
  norm.getY().replaceAllUsesWith(op.getMixed());
  norm.erase();
}

struct FusePass : impl::FusePassBase<FusePass> {
  void runOnOperation() override {
    SmallVector<AttnResOp> mixes;
    getOperation().walk([&](AttnResOp op) { mixes.push_back(op); });
    for (AttnResOp op : mixes)
      fuseNorm(fuseAdd(op));
  }
};

} // namespace
} // namespace k3
