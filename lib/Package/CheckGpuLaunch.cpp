//===- CheckGpuLaunch.cpp - Launches of GPU code in a package ----- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What of a launch can be judged without a device: the limits of the architecture (lib/Arch), whole clusters, tensor
// maps against the views that they describe.
//
//===----------------------------------------------------------------------===//

#include "lib/Package/Check.h"
#include "lib/Package/DType.h"
#include "lib/Package/Expr.h"
#include "lib/Package/GpuIsa.h"

#include <algorithm>

using namespace k3;

static std::string number(uint64_t value) { return std::to_string(value); }

static Status checkBlock(const fb::KernelT &kernel, const fb::LaunchT &launch, const arch::GpuInfo &limits) {
  if (launch.block.empty() || launch.block.size() > 3)
    return badInput("has a block of " + number(launch.block.size()) + " dimensions, expected 1 to 3");
  uint64_t threads = 1;
  for (uint32_t extent : launch.block)
    threads = std::min<uint64_t>(threads * extent, UINT32_MAX);
  if (threads < 1 || threads > arch::maxThreadsPerBlock)
    return badInput("has a block of " + number(threads) + " threads, expected 1 to " + number(arch::maxThreadsPerBlock));
  uint64_t shared = uint64_t(launch.dyn_smem) + kernel.static_smem;
  if (shared > limits.sharedPerBlock)
    return badInput("needs " + number(shared) + " bytes of shared memory, a block of " + std::string(limits.name) +
                    " has at most " + number(limits.sharedPerBlock));
  if (kernel.regs && residentBlocks(limits, static_cast<unsigned>(threads), kernel.regs, static_cast<unsigned>(shared)) == 0)
    return badInput("does not fit a multiprocessor of " + std::string(limits.name) + ": " + number(threads) + " threads of " +
                    number(kernel.regs) + " registers, " + number(shared) + " bytes of shared memory");
  if (launch.pdl && !limits.has(arch::Feature::Pdl))
    return badInput("starts before the launch ahead has ended (pdl), which " + std::string(limits.name) + " cannot");
  return Status::success();
}

static Status checkCluster(const fb::LaunchT &launch, const arch::GpuInfo &limits, const SymbolValues &symbols) {
  if (launch.cluster.empty())
    return Status::success();
  if (launch.cluster.size() != 3)
    return badInput("has a cluster of " + number(launch.cluster.size()) + " dimensions, expected 3");
  uint64_t blocks = 1;
  for (uint32_t extent : launch.cluster)
    blocks = std::min<uint64_t>(blocks * extent, UINT32_MAX);
  if (blocks < 1 || blocks > limits.clusterMax)
    return badInput("has clusters of " + number(blocks) + " blocks, " + std::string(limits.name) + " has 1 to " +
                    number(limits.clusterMax));
  if (launch.max_ctas) // rounded down to whole clusters
    return launch.cluster[1] == 1 && launch.cluster[2] == 1
               ? Status::success()
               : badInput("has max_ctas, hence a one-dimensional grid, and clusters of several dimensions");
  const std::unique_ptr<fb::ExprT> *extents[] = {&launch.grid->x, &launch.grid->y, &launch.grid->z};
  for (int i = 0; i < 3; ++i)
    if (int64_t value = 1; (!*extents[i] || tryEvaluate(**extents[i], symbols, value)) && value % launch.cluster[i])
      return badInput("has a grid of " + std::to_string(value) + " blocks in dimension " + std::to_string(i) +
                      ", which is not whole clusters of " + number(launch.cluster[i]));
  return Status::success();
}

/// Rank, box and swizzle, and that extents and strides are those of the view, which lies in its buffer.
static Status checkMap(const fb::TensorMapArgT &map, const arch::GpuInfo &limits, const SymbolValues &symbols) {
  if (!limits.has(arch::Feature::Tma))
    return badInput("is a tensor map, which " + std::string(limits.name) + " does not have");
  const fb::ViewT &view = *map.view;
  int64_t element = bitWidth(view.dtype) / 8;
  if (map.dims.empty() || map.dims.size() > 5 || map.dims.size() != view.dims.size())
    return badInput("is a tensor map of " + number(map.dims.size()) + " dimensions over a view of " +
                    number(view.dims.size()) + ", expected the same, 1 to 5");
  for (size_t i = 0; i < map.dims.size(); ++i) {
    const fb::MapDimT *dim = map.dims[i].get();
    std::string where = "dimension " + number(i) + " of the tensor map ";
    if (!dim || !dim->size || !dim->stride)
      return badInput(where + "has no extent or stride");
    if (dim->box < 1 || dim->box > 256)
      return badInput(where + "has a box of " + number(dim->box) + ", expected 1 to 256");
    if (dim->elem_stride != 1)
      return unsupported(where + "takes every " + number(dim->elem_stride) + "th element");
    int64_t size = 0, stride = 0, viewSize = 0, viewStride = 0;
    if (!tryEvaluate(*dim->size, symbols, size) || !tryEvaluate(*dim->stride, symbols, stride) ||
        !tryEvaluate(*view.dims[i]->size, symbols, viewSize) || !tryEvaluate(*view.strides[i], symbols, viewStride))
      continue;
    if (size != viewSize || stride != viewStride * element)
      return badInput(where + "is " + std::to_string(size) + " every " + std::to_string(stride) + " bytes, the view has " +
                      std::to_string(viewSize) + " every " + std::to_string(viewStride * element));
    if (i + 1 < map.dims.size() && stride % 16)
      return badInput(where + "has a stride of " + std::to_string(stride) + " bytes, expected a multiple of 16");
  }
  int64_t inner = map.dims.back()->box * element;
  if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 && map.swizzle != 128)
    return badInput("is a tensor map that swizzles " + number(map.swizzle) + " bytes, expected 0, 32, 64 or 128");
  if (inner % 16 || (map.swizzle && inner > map.swizzle))
    return badInput("is a tensor map whose box has rows of " + std::to_string(inner) +
                    " bytes, expected a multiple of 16, at most the swizzle");
  return Status::success();
}

Status k3::checkGpuLaunch(const fb::PackageT &package, const fb::ProgramT &program, const fb::LaunchT &launch,
                          const SymbolValues &symbols) {
  const fb::KernelT &kernel = *package.kernels[launch.kernel];
  const fb::TargetT &target = *package.targets[program.target];
  std::string where = "kernel '" + kernel.symbol + "'";
  auto bad = [&](const std::string &text) { return badInput(where + " " + text); };
  bool gpuCode = package.images[kernel.image]->code.type != fb::Code::HostObject;
  bool gpuTarget = isaNumber(target.isa) != 0;
  if (gpuCode != gpuTarget)
    return bad(std::string(gpuCode ? "is GPU code" : "is a function of the host") + ", target '" + target.name + "' is " +
               (gpuTarget ? "a GPU" : "the host"));
  if (!gpuCode)
    return Status::success();
  if (std::find(target.images.begin(), target.images.end(), kernel.image) == target.images.end())
    return bad("is in image " + number(kernel.image) + ", which is not of target '" + target.name + "'");
  const arch::GpuInfo *limits = isaLimits(target.isa);
  if (!limits)
    return Status::success(); // an architecture without a table: its device decides
  K3_TRY(checkBlock(kernel, launch, *limits).withContext(where));
  K3_TRY(checkCluster(launch, *limits, symbols).withContext(where));
  for (size_t i = 0; i < launch.args.size(); ++i) {
    std::string argument = where + ": argument " + number(i);
    const fb::ScalarArgT *scalar = launch.args[i]->arg.AsScalarArg();
    if (scalar && scalar->dtype != fb::DType::I32 && scalar->dtype != fb::DType::I64 && scalar->dtype != fb::DType::F32)
      return badInput(argument + " is a scalar of type " + std::string(dtypeName(scalar->dtype)) +
                      ", expected I32, I64 or F32");
    if (const fb::TensorMapArgT *map = launch.args[i]->arg.AsTensorMapArg())
      K3_TRY(checkMap(*map, *limits, symbols).withContext(argument));
  }
  return Status::success();
}
