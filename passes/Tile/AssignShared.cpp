//===- AssignShared.cpp - k3-tile-assign-shared -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Tile/Passes.h"
#include "passes/Tile/Utils.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace k3::tile {

#define GEN_PASS_DEF_ASSIGNSHAREDPASS
#include "passes/Tile/Passes.h.inc"

namespace {

constexpr int64_t barrierBytes = 8;

/// The barriers of one user: of a role's own syncs, or of a name.
struct BarrierUse {
  std::string text;  ///< "role 'math'", "named_sync 'x'".
  int64_t count = 1; ///< Consecutive ids.
  SmallVector<Operation *> ops;
};

struct AssignSharedPass : impl::AssignSharedPassBase<AssignSharedPass> {
  using AssignSharedPassBase::AssignSharedPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(placeBuffers(kernel)) || failed(numberBarriers(kernel)))
      signalPassFailure();
  }

  //===--------------------------------------------------------------------===//
  // Buffers
  //===--------------------------------------------------------------------===//

  LogicalResult placeBuffers(KernelOp kernel) {
    Builder builder(kernel);
    // Large alignments first, so that none of them leaves a gap; barriers fill the end.
    SmallVector<AllocOp> order(kernel.getBody().getOps<AllocOp>());
    auto alignmentOf = [](AllocOp op) { return op.getBuffer().getType().getAlignment(); };
    llvm::stable_sort(order, [&](AllocOp a, AllocOp b) { return alignmentOf(a) > alignmentOf(b); });
    int64_t next = 0;
    std::string breakdown;
    auto say = [&](StringRef name, int64_t bytes) {
      breakdown += (breakdown.empty() ? "" : ", ") + name.str() + " " + std::to_string(bytes);
    };
    for (AllocOp op : order) {
      SharedBytes bytes = sharedBytes(op.getBuffer());
      next = llvm::alignTo(next, alignmentOf(op));
      op.setOffsetAttr(builder.getI64IntegerAttr(next));
      next += bytes.end;
      say(op.getName(), bytes.end);
    }
    int64_t barriers = 0;
    kernel.walk([&](MbarAllocOp op) {
      next = llvm::alignTo(next, barrierBytes);
      op.setOffsetAttr(builder.getI64IntegerAttr(next));
      int64_t bytes = op.getBarrier().getType().getSlots() * barrierBytes;
      next += bytes;
      barriers += bytes;
    });
    if (barriers)
      say("barriers", barriers);
    kernel.setSharedBytesAttr(builder.getI64IntegerAttr(next));
    if (arch.empty())
      return success();
    const arch::GpuInfo *target = targetOf(kernel, arch);
    if (!target)
      return failure();
    if (next > target->sharedPerBlock)
      return kernelError(kernel) << "shared memory " << next << " B, " << target->name << " allows "
                                 << target->sharedPerBlock << " B (" << breakdown << ")";
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Hardware barriers
  //===--------------------------------------------------------------------===//

  static bool syncsTeam(Operation *op) {
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return reduce.getAcross() == Across::Team;
    if (auto convert = dyn_cast<ConvertOp>(op))
      return convert.getVia() == ConvertVia::Shared;
    return isa<TeamSyncOp>(op);
  }

  static void setId(Operation *op, int64_t id) {
    IntegerAttr attr = Builder(op).getI64IntegerAttr(id);
    llvm::TypeSwitch<Operation *, void>(op).Case<TeamSyncOp, ReduceOp, ConvertOp, NamedSyncOp>(
        [&](auto sync) { sync.setIdAttr(attr); });
  }

  LogicalResult numberBarriers(KernelOp kernel) {
    SmallVector<BarrierUse> uses;
    llvm::MapVector<StringRef, BarrierUse> named;
    for (RoleOp role : rolesOf(kernel)) {
      // A team runs its syncs one after another, so they share a barrier.
      BarrierUse own{"role '" + role.getName().str() + "'", static_cast<int64_t>(role.getInstances()), {}};
      role.walk([&](Operation *op) {
        if (syncsTeam(op) && role.getWarps() > 1)
          own.ops.push_back(op);
        auto sync = dyn_cast<NamedSyncOp>(op);
        if (!sync)
          return;
        BarrierUse &use = named[sync.getName()];
        use.text = "named_sync '" + sync.getName().str() + "'";
        use.ops.push_back(sync);
        if (sync.getPerInstance())
          use.count = std::max<int64_t>(use.count, role.getInstances());
      });
      if (!own.ops.empty())
        uses.push_back(std::move(own));
    }
    for (auto &item : named)
      uses.push_back(std::move(item.second));

    int64_t next = 1; // 0 is the CTA's.
    std::string breakdown;
    for (BarrierUse &use : uses) {
      for (Operation *op : use.ops)
        setId(op, next);
      next += use.count;
      breakdown += (breakdown.empty() ? "" : ", ") + use.text + " " + std::to_string(use.count);
    }
    if (next > arch::namedBarriers)
      return kernelError(kernel) << next - 1 << " named barriers, a CTA has " << arch::namedBarriers - 1
                                 << " beside its own (" << breakdown << ")";
    return success();
  }
};

} // namespace
} // namespace k3::tile
