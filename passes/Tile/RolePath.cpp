//===- RolePath.cpp - One path through a role's program, loops a few times -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Tile/RolePath.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace k3::tile;

/// Enough for a steady state in which an iteration finishes what the third before it began.
static constexpr int64_t innerPasses = 4, outerPasses = 3;

RolePath::RolePath(RoleOp role) : role(role) { findDifference(); }

void RolePath::walk() {
  // Cursors of the prologue are where every role begins.
  for (Operation &op : *role->getParentOp()->getBlock())
    if (isa<CursorOp, AdvanceOp>(op))
      moveCursor(op);
  walkBlock(role.getBody().front());
}

void RolePath::moveCursor(Operation &op) {
  if (auto cursor = dyn_cast<CursorOp>(op))
    positions[cursor.getCursor()] = cursor.getStart();
  auto advance = dyn_cast<AdvanceOp>(op);
  if (!advance)
    return;
  if (std::optional<int64_t> at = position(advance.getCursor()))
    positions[advance.getResult()] = *at + static_cast<int64_t>(advance.getBy());
  else
    positions.erase(advance.getResult());
}

std::optional<int64_t> RolePath::position(Value cursor) const {
  auto found = positions.find(cursor);
  return found == positions.end() ? std::nullopt : std::optional(found->second);
}

/// Values computed from the number of the instance; a branch on one of them, or a loop up to one, separates
/// instances.
void RolePath::findDifference() {
  if (role.getInstances() == 1)
    return;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> work{role.getInstance()};
  auto add = [&](Value value) {
    if (seen.insert(value).second)
      work.push_back(value);
  };
  while (!work.empty()) {
    Value value = work.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (auto loop = dyn_cast<scf::ForOp>(user)) {
        if (use.getOperandNumber() < loop.getNumControlOperands()) {
          differ = true;
          return;
        }
        add(loop.getTiedLoopRegionIterArg(&use));
        add(loop.getTiedLoopResult(&use));
      } else if (user->getNumRegions()) {
        differ = true;
        return;
      } else if (auto yield = dyn_cast<scf::YieldOp>(user)) {
        add(yield->getParentOp()->getResult(use.getOperandNumber()));
        if (auto loop = dyn_cast<scf::ForOp>(yield->getParentOp()))
          add(loop.getRegionIterArg(use.getOperandNumber()));
      } else {
        for (Value result : user->getResults())
          add(result);
      }
    }
  }
}

void RolePath::assign(Value to, Value from) {
  if (isa<CursorType>(to.getType())) {
    if (std::optional<int64_t> at = position(from))
      positions[to] = *at;
    else
      positions.erase(to);
  }
  rename(from, to);
}

void RolePath::walkBlock(Block &block) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      walkFor(loop);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      walkIf(branch);
    } else if (auto elect = dyn_cast<ElectOp>(op)) {
      ++elects;
      walkBlock(elect.getBody().front());
      --elects;
    } else if (op.getNumRegions()) {
      ++conditions;
      for (Region &region : op.getRegions())
        for (Block &each : region)
          walkBlock(each);
      --conditions;
    } else {
      moveCursor(op);
      visit(&op);
    }
  }
}

void RolePath::walkFor(scf::ForOp loop) {
  bool inner = !loop.getBody()->walk([](scf::ForOp) { return WalkResult::interrupt(); }).wasInterrupted();
  int64_t passes = inner ? innerPasses : outerPasses;
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  if (lower && upper && step && *step > 0)
    passes = std::clamp<int64_t>(llvm::divideCeilSigned(*upper - *lower, *step), 0, passes);
  SmallVector<Value> values(loop.getInitArgs());
  for (int64_t pass = 0; pass < passes; ++pass) {
    // All at once: a yield may name arguments of the body.
    SmallVector<std::optional<int64_t>> at;
    for (Value value : values)
      at.push_back(position(value));
    for (auto [value, argument, place] : llvm::zip_equal(values, loop.getRegionIterArgs(), at)) {
      rename(value, argument);
      if (place)
        positions[argument] = *place;
      else
        positions.erase(argument);
    }
    walkBlock(*loop.getBody());
    values.assign(loop.getYieldedValues().begin(), loop.getYieldedValues().end());
  }
  for (auto [value, result] : llvm::zip_equal(values, loop.getResults()))
    assign(result, value);
}

void RolePath::walkIf(scf::IfOp branch) {
  ++conditions;
  walkBlock(*branch.thenBlock());
  if (branch.elseBlock())
    walkBlock(*branch.elseBlock());
  --conditions;
  for (auto [i, result] : llvm::enumerate(branch.getResults())) {
    Value first = branch.thenYield().getOperand(i), second = branch.elseYield().getOperand(i);
    if (position(first) == position(second))
      assign(result, first);
    else
      positions.erase(result);
  }
}
