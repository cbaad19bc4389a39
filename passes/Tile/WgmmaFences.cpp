//===- WgmmaFences.cpp - Where wgmma needs a register fence, and which operands a wait keeps -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// wgmma reads its accumulators and register operands behind the back of the register allocation: writes to
// them are ordered by tile.wgmma_fence only. One stands before every batch of products anyway, as the
// hardware opens a batch with it; within a batch another one where an operand was made in between.
//
//===----------------------------------------------------------------------===//

#include "passes/Tile/Fences.h"
#include "passes/Tile/Utils.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

namespace {

struct State {
  llvm::SmallSetVector<Value, 16> written; ///< Tiles that may have been written since the last fence.
  bool open = false;                       ///< A fence since the last commit, on every path.

  bool join(const State &other) {
    size_t before = written.size() + open;
    written.insert(other.written.begin(), other.written.end());
    open &= other.open;
    return before != written.size() + open;
  }
};

class WgmmaFences {
public:
  void run(RoleOp role) {
    State state;
    walk(role.getBody().front(), state);
  }

  /// wgmma that needs a fence before it, and the operand that was written; null where a batch begins.
  llvm::MapVector<Operation *, Value> beforeOp;

private:
  static void writeAll(ValueRange values, State &state) {
    for (Value value : values)
      if (isTile(value.getType()))
        state.written.insert(value);
  }

  void walk(Block &block, State &state) {
    writeAll(block.getArguments(), state);
    for (Operation &op : block) {
      if (isa<WgmmaFenceOp>(op)) {
        state.written.clear();
        state.open = true;
      } else if (auto wgmma = dyn_cast<WgmmaOp>(op)) {
        Value operand;
        for (Value value : {wgmma.getA(), wgmma.getAcc()})
          if (value && state.written.contains(value))
            operand = value;
        if (operand || !state.open) {
          Value &slot = beforeOp[wgmma];
          if (!slot)
            slot = operand;
          state.written.clear();
        }
        state.open = true;
      } else if (isa<WgmmaCommitOp>(op)) {
        state.open = false;
      } else if (op.getNumRegions()) {
        walkRegions(op, state);
        writeAll(op.getResults(), state);
      } else {
        writeAll(op.getResults(), state);
      }
    }
  }

  void walkRegions(Operation &op, State &state) {
    if (isa<scf::IfOp>(op)) {
      std::optional<State> joined;
      for (Region &region : op.getRegions()) {
        State branch = state;
        if (!region.empty())
          walk(region.front(), branch);
        if (joined)
          joined->join(branch);
        else
          joined = branch;
      }
      state = *joined;
      return;
    }
    while (true) {
      State next = state;
      for (Region &region : op.getRegions())
        for (Block &block : region)
          walk(block, next);
      if (!state.join(next))
        break;
    }
  }
};

/// The wait behind `wgmma` in its block that retires it; null where none does.
WgmmaWaitOp retiringWait(WgmmaOp wgmma) {
  int64_t commits = 0;
  for (Operation *op = wgmma->getNextNode(); op; op = op->getNextNode()) {
    if (isa<WgmmaCommitOp>(op))
      ++commits;
    auto wait = dyn_cast<WgmmaWaitOp>(op);
    if (wait && commits > static_cast<int64_t>(wait.getPending()))
      return wait;
    // What a loop or branch does to the queue is not counted here.
    if (op->getNumRegions() &&
        op->walk([](WgmmaCommitOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return {};
  }
  return {};
}

} // namespace

LogicalResult tile::fenceWgmma(KernelOp kernel, bool verifyOnly) {
  WgmmaFences fences;
  for (RoleOp role : rolesOf(kernel))
    fences.run(role);
  bool ok = true;
  OpBuilder builder(kernel);
  for (auto &[op, operand] : fences.beforeOp) {
    if (!verifyOnly) {
      builder.setInsertionPoint(op);
      WgmmaFenceOp::create(builder, op->getLoc());
    } else if (operand) {
      bool isA = operand == cast<WgmmaOp>(op).getA();
      Operation *writer = operand.getDefiningOp();
      kernelError(op) << "tile.wgmma_fence missing between "
                      << (writer ? opText(writer) : "the loop at " + placeText(operand.getLoc())) << " and "
                      << opText(op) << ", which takes it as " << (isA ? "operand A" : "accumulator");
      ok = false;
    }
  }
  kernel.walk([&](WgmmaOp op) {
    if (!isTile(op.getA().getType()))
      return;
    WgmmaWaitOp wait = retiringWait(op);
    if (wait && llvm::is_contained(wait.getKeep(), op.getA()))
      return;
    if (!verifyOnly && wait)
      wait.getKeepMutable().append(op.getA());
    else if (!verifyOnly)
      kernelRemark(op) << "operand A is still in flight at the end of its block; nothing keeps its registers "
                          "until the wait that "
                          "retires it";
    else if (wait) {
      kernelError(wait) << "keep missing: " << opText(op) << " reads its operand A until " << opText(wait);
      ok = false;
    }
  });
  return success(ok);
}
