//===- GpuLaunch.cpp - A GPU launch with its numbers evaluated ------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/GpuLaunch.h"

#include "lib/Package/DType.h"

#include <algorithm>
#include <limits>

using namespace k3;

bool k3::isGpuKernel(const fb::PackageT &package, uint32_t kernel) {
  return package.images[package.kernels[kernel]->image]->code.type != fb::Code::HostObject;
}

/// min(x * y * z, max_ctas) in whole clusters, or x, y, z.
static Status evaluateGrid(const fb::LaunchT &launch, const SymbolValues &symbols, GpuLaunchRecord &record) {
  int64_t extents[3] = {1, 1, 1};
  const std::unique_ptr<fb::ExprT> *fields[] = {&launch.grid->x, &launch.grid->y, &launch.grid->z};
  for (int i = 0; i < 3; ++i) {
    K3_ASSIGN(extents[i], evaluateOr(*fields[i], symbols, 1));
    if (i < static_cast<int>(launch.block.size()))
      record.block[i] = launch.block[i];
    if (i < static_cast<int>(launch.cluster.size()))
      record.cluster[i] = launch.cluster[i];
  }
  if (extents[0] <= 0 || extents[1] <= 0 || extents[2] <= 0) {
    record.grid = {0, 1, 1};
    return Status::success();
  }
  if (launch.max_ctas) {
    K3_ASSIGN(int64_t most, evaluate(*launch.max_ctas, symbols));
    int64_t blocks = 0;
    if (__builtin_mul_overflow(extents[0], extents[1], &blocks) ||
        __builtin_mul_overflow(blocks, extents[2], &blocks))
      blocks = most;
    int64_t cluster = record.cluster[0];
    if (most < cluster)
      return badInput("at most " + std::to_string(most) + " blocks are allowed, a cluster has " + std::to_string(cluster));
    // At least one cluster: its kernel finds work for the blocks or has none for them.
    extents[0] = std::max(std::min(blocks, most) / cluster * cluster, cluster);
    extents[1] = extents[2] = 1;
  }
  constexpr int64_t most[] = {std::numeric_limits<int32_t>::max(), 65535, 65535};
  for (int i = 0; i < 3; ++i) {
    if (extents[i] > most[i])
      return badInput("a grid of " + std::to_string(extents[i]) + " blocks in dimension " + std::to_string(i) +
                      ", a launch takes at most " + std::to_string(most[i]));
    if (extents[i] % record.cluster[i])
      return badInput("a grid of " + std::to_string(extents[i]) + " blocks in dimension " + std::to_string(i) +
                      " is not whole clusters of " + std::to_string(record.cluster[i]));
    record.grid[i] = static_cast<uint32_t>(extents[i]);
  }
  return Status::success();
}

/// From the first byte of a view to behind its last one.
static uint64_t reach(const ResolvedView &view) {
  int64_t last = 0;
  for (size_t i = 0; i < view.rank; ++i) {
    if (view.dims[i] <= 0)
      return 0;
    last += (view.dims[i] - 1) * view.strides[i];
  }
  return static_cast<uint64_t>(last + 1) * view.elementBytes;
}

static Status evaluateMap(const fb::TensorMapArgT &arg, const SymbolValues &symbols,
                          const std::vector<DeviceMemory> &buffers, KernelArgument &out) {
  K3_ASSIGN(ResolvedView view, resolveView(*arg.view, symbols, buffers));
  TensorMapRecord &map = out.map;
  out.kind = KernelArgument::Kind::TensorMap;
  out.dtype = map.dtype = view.dtype;
  map.data = view.data;
  map.rank = static_cast<uint32_t>(arg.dims.size());
  if (map.rank < 1 || map.rank > TensorMapRecord::maxRank)
    return unsupported("a tensor map of " + std::to_string(map.rank) + " dimensions, expected 1 to 5");
  if (arg.interleave)
    return unsupported("an interleaved tensor map");
  for (uint32_t i = 0; i < map.rank; ++i) {
    const fb::MapDimT &dim = *arg.dims[map.rank - 1 - i];
    K3_ASSIGN(int64_t size, evaluate(*dim.size, symbols));
    K3_ASSIGN(int64_t stride, evaluate(*dim.stride, symbols));
    // The hardware knows no empty dimension; a kernel does not load a box of an empty view.
    map.dims[i] = static_cast<uint64_t>(std::max<int64_t>(size, 1));
    map.strides[i] = static_cast<uint64_t>(stride);
    map.box[i] = dim.box;
    map.elementStrides[i] = dim.elem_stride;
    if (i > 0 && (stride <= 0 || stride % 16 || stride >> 40))
      return badInput("a tensor map with a stride of " + std::to_string(stride) +
                      " bytes, expected a multiple of 16 below 2^40");
  }
  if (reinterpret_cast<uintptr_t>(map.data) % 16)
    return badInput("a tensor map that begins at no multiple of 16 bytes");
  map.swizzleBytes = arg.swizzle;
  map.l2Promotion = arg.l2_promotion;
  map.nanOutside = arg.oob_nan;
  return Status::success();
}

static Status evaluateArgument(const fb::ArgBoxT &box, const SymbolValues &symbols,
                               const std::vector<DeviceMemory> &buffers, KernelArgument &out) {
  if (const fb::BufferArgT *buffer = box.arg.AsBufferArg()) {
    K3_ASSIGN(ResolvedView view, resolveView(*buffer->view, symbols, buffers));
    out.data = view.data;
    out.bytes = reach(view);
    out.dtype = view.dtype;
    out.access = buffer->access;
    out.role = buffer->role;
    return Status::success();
  }
  if (const fb::ScalarArgT *scalar = box.arg.AsScalarArg()) {
    out.kind = KernelArgument::Kind::Scalar;
    out.dtype = scalar->dtype;
    out.bits = scalar->bits;
    if (!scalar->is_const) {
      K3_ASSIGN(int64_t value, evaluate(*scalar->value, symbols));
      if (scalar->dtype == fb::DType::I32 && value != static_cast<int32_t>(value))
        return badInput("the value " + std::to_string(value) + " leaves the range of i32");
      out.bits = static_cast<uint64_t>(value);
    }
    if (scalar->dtype != fb::DType::I32 && scalar->dtype != fb::DType::I64 && scalar->dtype != fb::DType::F32)
      return unsupported("a scalar of type " + std::string(dtypeName(scalar->dtype)) + ", expected I32, I64 or F32");
    return Status::success();
  }
  if (const fb::TensorMapArgT *map = box.arg.AsTensorMapArg())
    return evaluateMap(*map, symbols, buffers, out);
  return unsupported("is of a kind that GPU kernels do not take");
}

Status k3::evaluateGpuLaunch(const fb::LaunchT &launch, const SymbolValues &symbols,
                             const std::vector<DeviceMemory> &buffers, std::vector<KernelArgument> &arguments,
                             GpuLaunchRecord &record) {
  record.kernel = launch.kernel;
  record.sharedBytes = launch.dyn_smem;
  record.dependent = launch.pdl;
  arguments.clear();
  K3_TRY(evaluateGrid(launch, symbols, record));
  if (record.grid[0] == 0)
    return Status::success();
  K3_ASSIGN(int64_t resident, evaluateOr(launch.min_resident, symbols, 0));
  record.resident = static_cast<uint32_t>(std::clamp<int64_t>(resident, 0, static_cast<int64_t>(record.blocks())));
  arguments.resize(launch.args.size());
  for (size_t i = 0; i < launch.args.size(); ++i)
    K3_TRY(evaluateArgument(*launch.args[i], symbols, buffers, arguments[i])
               .withContext("argument " + std::to_string(i)));
  record.arguments = arguments;
  return Status::success();
}
