//===- EstimateRegisters.cpp - k3-tile-estimate-registers -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Tile/Passes.h"
#include "passes/Tile/Utils.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace k3::tile {

#define GEN_PASS_DEF_ESTIMATEREGISTERSPASS
#include "passes/Tile/Passes.h.inc"

namespace {

using Live = llvm::DenseSet<Value>;

/// Walks a role backwards and keeps the place where most registers are live.
class Pressure {
public:
  explicit Pressure(RoleOp role) {
    role.walk([&](Block *block) { numberSegments(*block); });
    walk(role.getBody().front(), {});
  }

  int64_t most = 0;
  Operation *widest = nullptr;

private:
  /// Registers of a lane; tiles pack narrow elements. Addresses of shared memory and barriers are constants
  /// mostly.
  static int64_t registersOf(Value value) {
    Type type = value.getType();
    if (auto pending = dyn_cast<PendingType>(type))
      type = pending.getTile();
    if (isTile(type)) {
      int64_t bits = cast<RankedTensorType>(type).getElementTypeBitWidth();
      int64_t each = bits < 8 ? 8 : bits;
      return llvm::divideCeil(layoutOf(type).numRegs() * each, 32);
    }
    if (isa<ViewType, PolicyType>(type) || (type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 64))
      return 2;
    if (isa<CursorType>(type))
      return 2;
    if (type.isIntOrIndexOrFloat())
      return 1;
    return 0;
  }

  /// Ops whose result is another name of registers that live anyway.
  static bool renames(Operation *op) {
    if (auto convert = dyn_cast<ConvertOp>(op))
      return convert.getVia() == ConvertVia::Relabel;
    if (auto slice = dyn_cast<SliceOp>(op))
      return !slice.getFresh();
    return isa<ConcatOp, TransOp, ExpandOp, BitcastOp>(op);
  }

  static bool isElementwise(Operation *op) {
    return isa<SplatOp, RcpOp>(op) || isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
  }

  /// Between two ops that stay in order, the assembler is free to run elementwise chains a few registers at a
  /// time.
  void numberSegments(Block &block) {
    unsigned number = 0;
    for (Operation &op : block) {
      segments[&op] = number;
      if (!isElementwise(&op) && !renames(&op))
        ++number;
    }
  }

  /// Ops that take a tile register by register at the end of a chain.
  static bool drains(Operation *op) { return isa<ReduceOp, StoreOp, StoreSharedOp, StmatrixOp>(op); }

  /// An intermediate of one chain: made and used within a segment.
  bool isStreamed(Value value) {
    Operation *op = value.getDefiningOp();
    return op && isElementwise(op) && llvm::all_of(value.getUsers(), [&](Operation *user) {
             return user->getBlock() == op->getBlock() && segments[user] == segments[op] &&
                    (isElementwise(user) || renames(user) || drains(user));
           });
  }

  /// The registers of a set of values, names of the same counted once.
  int64_t count(const Live &live) {
    int64_t sum = 0;
    for (Value value : live) {
      Operation *op = value.getDefiningOp();
      if (op && renames(op) &&
          llvm::all_of(op->getOperands(), [&](Value operand) { return live.contains(operand); }))
        continue;
      if (op && isa<arith::ConstantOp, SplatOp>(op))
        continue;
      int64_t registers = registersOf(value);
      sum += isStreamed(value) ? std::min(registers, streamedRegisters) : registers;
    }
    return sum;
  }

  void note(Operation *op, const Live &live) {
    int64_t sum = count(live);
    if (sum > most) {
      most = sum;
      widest = op;
    }
  }

  /// `after`: live behind the block. Returns what is live before it.
  Live walk(Block &block, Live after) {
    Live live = std::move(after);
    for (Operation &op : llvm::reverse(block)) {
      for (Value result : op.getResults())
        live.insert(result);
      note(&op, live);
      for (Value result : op.getResults())
        live.erase(result);
      Live inside;
      for (Region &region : op.getRegions())
        for (Block &each : region) {
          // What a loop body takes from outside lives through all of it.
          Live through = live;
          if (!isa<scf::IfOp, ElectOp>(op))
            each.walk([&](Operation *user) {
              for (Value operand : user->getOperands())
                if (!region.isAncestor(operand.getParentRegion()))
                  through.insert(operand);
            });
          Live before = walk(each, std::move(through));
          for (Value value : before)
            if (!region.isAncestor(value.getParentRegion()))
              inside.insert(value);
        }
      live.insert(inside.begin(), inside.end());
      for (Value operand : op.getOperands())
        live.insert(operand);
      note(&op, live);
    }
    for (Value argument : block.getArguments())
      live.erase(argument);
    return live;
  }

  static constexpr int64_t streamedRegisters = 8;
  llvm::DenseMap<Operation *, unsigned> segments;
};

struct EstimateRegistersPass : impl::EstimateRegistersPassBase<EstimateRegistersPass> {
  using EstimateRegistersPassBase::EstimateRegistersPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    int64_t threads = kernel.getThreads().value_or(arch::warpSize);
    int64_t entry = std::min<int64_t>(arch::maxRegistersPerThread, arch::registersPerSm / threads / 8 * 8);
    for (RoleOp role : rolesOf(kernel)) {
      Pressure pressure(role);
      int64_t budget = role.getRegs() ? static_cast<int64_t>(*role.getRegs()) : entry;
      if (!pressure.widest)
        continue;
      if (pressure.most > budget)
        mlir::emitWarning(pressure.widest->getLoc())
            << "kernel '" << kernel.getSymName() << "': role '" << role.getName() << "' has about "
            << pressure.most << " registers live here, its budget is " << budget;
      else if (verbose)
        mlir::emitRemark(pressure.widest->getLoc())
            << "kernel '" << kernel.getSymName() << "': role '" << role.getName() << "' has about "
            << pressure.most << " of " << budget << " registers live here";
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace k3::tile
