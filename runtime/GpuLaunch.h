//===- GpuLaunch.h - A GPU launch with its numbers evaluated ----*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_GPULAUNCH_H
#define K3_RUNTIME_GPULAUNCH_H

#include "runtime/Device.h"
#include "runtime/View.h"

namespace k3 {

/// Whether kernel `kernel` of the package is GPU code and not a function of a host object.
bool isGpuKernel(const fb::PackageT &package, uint32_t kernel);

/// Evaluates grid, residency and arguments. With Launch.max_ctas the grid is one-dimensional: min(x * y * z, max_ctas)
/// blocks, rounded down to whole clusters. A grid without blocks gives grid[0] = 0, and no arguments. The record points
/// into `arguments`. Errors: an argument of a kind that GPU kernels do not take, a grid that is not whole clusters or
/// beyond what a launch can name, a tensor map that the hardware cannot describe.
Status evaluateGpuLaunch(const fb::LaunchT &launch, const SymbolValues &symbols,
                         const std::vector<DeviceMemory> &buffers, std::vector<KernelArgument> &arguments,
                         GpuLaunchRecord &record);

} // namespace k3

#endif // K3_RUNTIME_GPULAUNCH_H
