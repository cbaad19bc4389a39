//===- CheckArch.cpp - k3-tile-check-arch -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Tile/Passes.h"
#include "passes/Tile/Utils.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace k3::tile {

#define GEN_PASS_DEF_CHECKARCHPASS
#include "passes/Tile/Passes.h.inc"

namespace {

struct CheckArchPass : impl::CheckArchPassBase<CheckArchPass> {
  using CheckArchPassBase::CheckArchPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    const arch::GpuInfo *target = targetOf(kernel, arch);
    if (!target || failed(checkFeatures(kernel, *target)) || failed(checkCluster(kernel, *target)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  /// One line for every kind of op that the target lacks, at its first place.
  LogicalResult checkFeatures(KernelOp kernel, const arch::GpuInfo &target) {
    llvm::SmallSet<std::pair<StringRef, unsigned>, 8> said;
    bool ok = true;
    kernel.walk([&](ArchOpInterface op) {
      for (arch::Feature feature : op.getRequiredFeatures()) {
        StringRef name = op->getName().getStringRef();
        if (target.has(feature) || !said.insert({name, 0}).second)
          continue;
        kernelError(op) << name << " needs " << arch::gpusWith(feature) << ", the target is " << target.name;
        ok = false;
      }
    });
    return success(ok);
  }

  LogicalResult checkCluster(KernelOp kernel, const arch::GpuInfo &target) {
    int64_t size = kernel.getClusterSize();
    if (size > 1 && !target.has(arch::Feature::Cluster))
      return kernelError(kernel) << "clusters need " << arch::gpusWith(arch::Feature::Cluster)
                                 << ", the target is " << target.name;
    if (size > target.clusterMax)
      return kernelError(kernel) << "a cluster of " << size << " CTAs, " << target.name << " allows "
                                 << target.clusterMax;
    if (size > target.clusterPortable)
      kernelRemark(kernel) << "a cluster of " << size << " CTAs, not every " << target.name
                           << " launches more than " << target.clusterPortable;
    return success();
  }
};

} // namespace
} // namespace k3::tile
