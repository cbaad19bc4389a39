//===- AssignWarps.cpp - k3-tile-assign-warps -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Tile/Passes.h"
#include "passes/Tile/Utils.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;

namespace k3::tile {

#define GEN_PASS_DEF_ASSIGNWARPSPASS
#include "passes/Tile/Passes.h.inc"

namespace {

constexpr int64_t group = arch::warpgroupWarps, groupThreads = group * arch::warpSize;
/// setmaxnreg takes multiples of 8 from 24 on.
constexpr int64_t registerStep = 8, fewestRegisters = 24, mostRegisters = 256;

struct AssignWarpsPass : impl::AssignWarpsPassBase<AssignWarpsPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel.getRoles()) {
      kernelError(kernel) << "no tile.roles, so it has no warps";
      return signalPassFailure();
    }
    if (failed(place(kernel)) || failed(checkSharing(kernel)) || failed(checkRegisters(kernel)))
      signalPassFailure();
  }

  LogicalResult place(KernelOp kernel) {
    Builder builder(kernel);
    int64_t next = 0;
    for (RoleOp role : rolesOf(kernel)) {
      bool wholeGroups = role.getRegs().has_value();
      if (wholeGroups || usesWgmma(role))
        next = llvm::alignTo(next, group);
      if (std::optional<int64_t> first = role.getFirstWarp()) {
        if (*first % group != 0 && (wholeGroups || usesWgmma(role)))
          return kernelError(role) << "role '" << role.getName() << "' starts at warp " << *first
                                   << " inside a warpgroup";
        if (*first < next)
          return kernelError(role) << "role '" << role.getName() << "' starts at warp " << *first
                                   << ", the roles before it end at " << next;
        next = *first;
      }
      role.setFirstWarpAttr(builder.getI64IntegerAttr(next));
      next += role.getTotalWarps();
      if (wholeGroups)
        next = llvm::alignTo(next, group);
    }
    // A register budget is that of a warpgroup, so such kernels end with a whole one.
    if (llvm::any_of(rolesOf(kernel), [](RoleOp role) { return role.getRegs().has_value(); }))
      next = llvm::alignTo(next, group);
    int64_t limit = arch::maxThreadsPerBlock / arch::warpSize;
    if (next > limit)
      return kernelError(kernel) << "roles need " << next
                                 << " warps (those with regs are padded to warpgroups), a CTA has at most "
                                 << limit;
    kernel.setThreadsAttr(builder.getI64IntegerAttr(next * arch::warpSize));
    return success();
  }

  /// Only first warps that the kernel brought along can break this.
  LogicalResult checkSharing(KernelOp kernel) {
    std::map<int64_t, RoleOp> groups;
    for (RoleOp role : rolesOf(kernel)) {
      int64_t first = *role.getFirstWarp(), last = first + role.getTotalWarps() - 1;
      for (int64_t g = first / group; g <= last / group; ++g) {
        auto [other, fresh] = groups.try_emplace(g, role);
        if (!fresh && other->second.getRegs() != role.getRegs())
          return kernelError(role) << "role '" << other->second.getName() << "' and role '" << role.getName()
                                   << "' share a warpgroup but have different register budgets";
      }
    }
    return success();
  }

  /// The pool is what the CTA was launched with: registers per thread at entry, a multiple of 8, times its
  /// threads.
  LogicalResult checkRegisters(KernelOp kernel) {
    SmallVector<RoleOp> roles = rolesOf(kernel);
    if (llvm::none_of(roles, [](RoleOp role) { return role.getRegs().has_value(); }))
      return success();
    int64_t threads = *kernel.getThreads();
    int64_t entry = std::min(mostRegisters, arch::registersPerSm / threads / registerStep * registerStep),
            pool = entry * threads;
    int64_t sum = 0, budgeted = 0;
    SmallVector<std::string> terms;
    for (RoleOp role : roles) {
      std::optional<int64_t> regs = role.getRegs();
      if (!regs)
        continue;
      int64_t groups = llvm::divideCeil(role.getTotalWarps(), group);
      budgeted += groups;
      sum += groups * groupThreads * *regs;
      terms.push_back(termText(groups, *regs));
    }
    // Warps without a budget keep what they were launched with.
    if (int64_t others = threads / groupThreads - budgeted; others > 0) {
      sum += others * groupThreads * entry;
      terms.push_back(termText(others, entry));
    }
    if (sum <= pool)
      return success();
    InFlightDiagnostic diagnostic = kernelError(kernel);
    diagnostic << "roles need " << llvm::join(terms, " + ") << " = " << sum << " registers, the pool is "
               << threads << " x " << entry << " = " << pool;
    // The smallest budget that can give up enough alone.
    RoleOp best;
    int64_t bestRegs = 0;
    for (RoleOp role : roles) {
      if (!role.getRegs())
        continue;
      int64_t of = llvm::divideCeil(role.getTotalWarps(), group) * groupThreads;
      int64_t room = *role.getRegs() - llvm::divideCeil(sum - pool, of * registerStep) * registerStep;
      if (room >= fewestRegisters && (!best || *role.getRegs() < *best.getRegs())) {
        best = role;
        bestRegs = room;
      }
    }
    if (best)
      diagnostic << "; lower regs of '" << best.getName() << "' to " << bestRegs;
    return diagnostic;
  }

  static std::string termText(int64_t groups, int64_t regs) {
    return std::to_string(groups) + " x " + std::to_string(groupThreads) + " x " + std::to_string(regs);
  }
};

} // namespace
} // namespace k3::tile
