//===- GpuImages.h - GPU code as images of a package --------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_EXEC_GPUIMAGES_H
#define K3_PASSES_EXEC_GPUIMAGES_H

#include "dialects/Exec/ExecOps.h"
#include "passes/Exec/ExecToPackage.h"

#include <map>

namespace k3::exec {

/// Puts GPU code into a package as its kernels are met.
class GpuImages {
public:
  GpuImages(const GpuCode &code, fb::PackageT &package) : code(code), package(package) {}

  /// Adds the target; an unknown GPU is an error at `op`.
  mlir::LogicalResult addTarget(mlir::Operation *op);
  /// Fills `record` for a kernel of the code, and adds its image unless an equal one is there.
  mlir::LogicalResult addKernel(KernelOp kernel, fb::KernelT &record);

private:
  const GpuCode &code;
  fb::PackageT &package;
  uint32_t target = 0;
  fb::Isa isa = fb::Isa::Sm90a;
  std::map<uint64_t, uint32_t> images; // number by hash
};

} // namespace k3::exec

#endif // K3_PASSES_EXEC_GPUIMAGES_H
