//===- CheckArguments.cpp - k3-tile-check-arguments -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Tile/Passes.h"
#include "passes/Tile/Utils.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace k3::tile {

#define GEN_PASS_DEF_CHECKARGUMENTSPASS
#include "passes/Tile/Passes.h.inc"

namespace {

/// What is certain about tile.pdl_wait at a point. `Perhaps`: on some paths, or by an acquire from a team
/// that waited.
enum class Waited { No, Perhaps, Yes };

Waited join(Waited a, Waited b) { return a == b ? a : Waited::Perhaps; }

struct CheckArgumentsPass : impl::CheckArgumentsPassBase<CheckArgumentsPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    ok = true;
    checkRoles(kernel);
    checkResident(kernel);
    hasWait = kernel.walk([](PdlWaitOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (hasWait) {
      early.clear();
      launches.clear();
      Waited prologue = Waited::No;
      walk(kernel.getBody().front(), prologue);
      for (PdlLaunchOp launch : launches)
        if (!early.empty()) {
          kernelError(launch) << "tile.pdl_launch before tile.pdl_wait, although " << opText(early.front())
                              << " touches more than constants before the wait";
          ok = false;
        }
    }
    if (!ok)
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  /// By number, or by the name that its location has.
  static std::string nameOf(KernelOp kernel, unsigned argument) {
    auto name = dyn_cast<NameLoc>(kernel.getBody().getArgument(argument).getLoc());
    return name ? "argument '" + name.getName().str() + "'" : "argument " + std::to_string(argument);
  }

  /// Outputs are written, constants never.
  void checkRoles(KernelOp kernel) {
    unsigned count = kernel.getArgumentTypes().size();
    llvm::SmallBitVector written(count), reached(count);
    for (unsigned i = 0; i < count; ++i)
      if (std::optional<unsigned> view = kernel.getDescribed(i)) {
        if (kernel.getArgAttr(i, "tile.role") && kernel.getArgRole(i) != kernel.getArgRole(*view)) {
          kernelError(kernel) << nameOf(kernel, i) << " is " << stringifyArgRole(kernel.getArgRole(i)) << ", "
                              << nameOf(kernel, *view) << " that it maps is "
                              << stringifyArgRole(kernel.getArgRole(*view));
          ok = false;
        }
      }
    kernel.walk([&](Operation *op) {
      for (const MemoryAccess &access : accessesOf(op)) {
        std::optional<unsigned> argument =
            isa<SharedType>(access.memory.getType()) ? std::nullopt : argumentOf(kernel, access.memory);
        if (!argument || !access.write)
          continue;
        ArgRole role = memoryRole(kernel, *argument);
        if (role == ArgRole::Constant) {
          kernelError(op) << nameOf(kernel, *argument) << " is constant, " << op->getName().getStringRef()
                          << " writes it";
          ok = false;
        } else if (role == ArgRole::StepIn && !written.test(*argument)) {
          kernelRemark(op) << nameOf(kernel, *argument) << " is step_in, " << op->getName().getStringRef()
                           << " writes it";
        }
        written.set(*argument);
      }
    });
    for (unsigned i = 0; i < count; ++i)
      if (isa<ViewType, MapType>(kernel.getArgumentTypes()[i]) && !kernel.getDescribed(i) &&
          !written.test(i) && kernel.getArgRole(i) == ArgRole::StepOut) {
        kernelError(kernel) << nameOf(kernel, i) << " is step_out, nothing writes it";
        ok = false;
      }
  }

  void checkResident(KernelOp kernel) {
    if (kernel.getResident())
      return;
    kernel.walk([&](AwaitOp op) {
      kernelError(op) << "tile.await needs 'resident', the number of CTAs that wait for each other";
      ok = false;
      return WalkResult::interrupt();
    });
  }

  //===--------------------------------------------------------------------===//
  // Before tile.pdl_wait
  //===--------------------------------------------------------------------===//

  /// An order with another team, which may have waited. A producer's wait falls through the first time and
  /// gives none.
  static bool acquires(Operation *op) {
    if (auto wait = dyn_cast<MbarWaitOp>(op))
      return !wait.getProducer();
    if (auto named = dyn_cast<NamedSyncOp>(op))
      return !named.getArrive();
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return reduce.getAcross() == Across::Cluster;
    return isa<ClusterWaitOp, AwaitOp, AtomicAddOp>(op);
  }

  void walk(Block &block, Waited &state) {
    for (Operation &op : block) {
      if (isa<PdlWaitOp>(op)) {
        state = Waited::Yes;
      } else if (auto launch = dyn_cast<PdlLaunchOp>(op)) {
        if (state == Waited::No)
          launches.insert(launch);
      } else if (auto roles = dyn_cast<RolesOp>(op)) {
        for (RoleOp role : roles.getBody().getOps<RoleOp>()) {
          Waited own = state;
          walk(role.getBody().front(), own);
        }
      } else if (isa<scf::IfOp>(op)) {
        std::optional<Waited> after;
        for (Region &region : op.getRegions()) {
          Waited branch = state;
          if (!region.empty())
            walk(region.front(), branch);
          after = after ? join(*after, branch) : branch;
        }
        state = *after;
      } else if (op.getNumRegions()) {
        // A loop's first pass begins as the loop does; later ones know no less. One lane of tile.elect waits
        // for itself, so its team knows no more than perhaps.
        Waited body = state;
        for (Region &region : op.getRegions())
          for (Block &each : region)
            walk(each, body);
        state = join(state, body);
      } else {
        touch(&op, state);
        if (acquires(&op) && state == Waited::No)
          state = Waited::Perhaps;
      }
    }
  }

  void touch(Operation *op, Waited state) {
    KernelOp kernel = getOperation();
    if (state != Waited::No)
      return;
    for (const MemoryAccess &access : accessesOf(op)) {
      std::optional<unsigned> argument =
          isa<SharedType>(access.memory.getType()) ? std::nullopt : argumentOf(kernel, access.memory);
      if (!argument)
        continue;
      ArgRole role = memoryRole(kernel, *argument);
      if (role == ArgRole::Constant || !early.insert(op))
        continue;
      kernelError(op) << nameOf(kernel, *argument) << " is " << stringifyArgRole(role) << " and "
                      << (access.write ? "written" : "read") << " before tile.pdl_wait";
      ok = false;
    }
  }

  bool ok = true, hasWait = false;
  llvm::SmallSetVector<Operation *, 4> early;    ///< Accesses to more than constants before the wait.
  llvm::SmallSetVector<PdlLaunchOp, 2> launches; ///< Before the wait.
};

} // namespace
} // namespace k3::tile
