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
  std::string text;   ///< "role 'math'", "named_sync 'x'".
  int64_t count = 1;  ///< Consecutive ids.
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

  /// What an alias asks of the allocation below it.
  LogicalResult requireAlignment(AliasOp user, Value source, int64_t alignment, llvm::MapVector<AllocOp, int64_t> &alignments) {
    Operation *op = source.getDefiningOp();
    auto refuse = [&](int64_t bytes) {
      return kernelError(user) << "an alias of " << user.getResult().getType() << " needs " << alignment
                               << "-byte alignment and lies at a multiple of " << bytes;
    };
    if (auto alloc = dyn_cast_or_null<AllocOp>(op)) {
      alignments[alloc] = std::max(alignments[alloc], alignment);
      return success();
    }
    if (auto alias = dyn_cast_or_null<AliasOp>(op)) {
      if (alias.getOffset() % alignment != 0)
        return refuse(alias.getOffset());
      return requireAlignment(user, alias.getSource(), alignment, alignments);
    }
    if (auto slot = dyn_cast_or_null<SlotOp>(op)) {
      int64_t stride = slot.getBuffer().getType().getStageStride();
      if (stride % alignment != 0)
        return refuse(stride);
      return requireAlignment(user, slot.getBuffer(), alignment, alignments);
    }
    if (auto part = dyn_cast_or_null<PartOp>(op)) {
      if (part.getStride() % alignment != 0)
        return refuse(part.getStride());
      return requireAlignment(user, part.getSource(), alignment, alignments);
    }
    if (auto peer = dyn_cast_or_null<PeerOp>(op))
      return requireAlignment(user, peer.getSource(), alignment, alignments);
    return success();
  }

  LogicalResult placeBuffers(KernelOp kernel) {
    Builder builder(kernel);
    llvm::MapVector<AllocOp, int64_t> alignments;
    kernel.walk([&](AllocOp op) { alignments[op] = op.getBuffer().getType().getAlignment(); });
    WalkResult aliases = kernel.walk([&](AliasOp op) {
      int64_t alignment = op.getResult().getType().getAlignment();
      if (op.getOffset() % alignment != 0) {
        kernelError(op) << "an alias of " << op.getResult().getType() << " needs " << alignment << "-byte alignment, it begins "
                        << op.getOffset() << " bytes behind its source";
        return WalkResult::interrupt();
      }
      return failed(requireAlignment(op, op.getSource(), alignment, alignments)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (aliases.wasInterrupted())
      return failure();

    // Large alignments first, so that none of them leaves a gap; barriers fill the end.
    SmallVector<std::pair<AllocOp, int64_t>> order(alignments.begin(), alignments.end());
    llvm::stable_sort(order, [](const auto &a, const auto &b) { return a.second > b.second; });
    int64_t next = 0;
    std::string breakdown;
    auto say = [&](StringRef name, int64_t bytes) {
      breakdown += (breakdown.empty() ? "" : ", ") + name.str() + " " + std::to_string(bytes);
    };
    for (auto [op, alignment] : order) {
      SharedBytes bytes = sharedBytes(op.getBuffer());
      next = llvm::alignTo(next, alignment);
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
      return kernelError(kernel) << "shared memory " << next << " B, " << target->name << " allows " << target->sharedPerBlock << " B ("
                                 << breakdown << ")";
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
    llvm::TypeSwitch<Operation *, void>(op).Case<TeamSyncOp, ReduceOp, ConvertOp, NamedSyncOp>([&](auto sync) { sync.setIdAttr(attr); });
  }

  LogicalResult numberBarriers(KernelOp kernel) {
    SmallVector<BarrierUse> uses;
    llvm::MapVector<StringRef, BarrierUse> named;
    for (RoleOp role : rolesOf(kernel)) {
      // A team runs its syncs one after another, so they share a barrier.
      BarrierUse own{"role '" + role.getName().str() + "'", static_cast<int64_t>(role.getInstances()), {}};
      WalkResult result = role.walk([&](Operation *op) {
        if (syncsTeam(op) && role.getWarps() > 1)
          own.ops.push_back(op);
        auto sync = dyn_cast<NamedSyncOp>(op);
        if (!sync)
          return WalkResult::advance();
        BarrierUse &use = named[sync.getName()];
        if (!use.ops.empty()) {
          auto first = cast<NamedSyncOp>(use.ops.front());
          if (first.getWarps() != sync.getWarps() || first.getPerInstance() != sync.getPerInstance()) {
            kernelError(sync) << "named_sync '" << sync.getName() << "' waits for " << sync.getWarps() << " warps"
                              << (sync.getPerInstance() ? " per instance" : "") << " here and for " << first.getWarps()
                              << (first.getPerInstance() ? " per instance" : "") << " at " << placeText(first.getLoc());
            return WalkResult::interrupt();
          }
        }
        use.text = "named_sync '" + sync.getName().str() + "'";
        use.ops.push_back(sync);
        if (sync.getPerInstance())
          use.count = std::max<int64_t>(use.count, role.getInstances());
        return WalkResult::advance();
      });
      if (result.wasInterrupted())
        return failure();
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
      return kernelError(kernel) << next - 1 << " named barriers, a CTA has " << arch::namedBarriers - 1 << " beside its own ("
                                 << breakdown << ")";
    return success();
  }
};

} // namespace
} // namespace k3::tile
