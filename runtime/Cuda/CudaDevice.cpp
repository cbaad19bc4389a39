//===- CudaDevice.cpp - One NVIDIA GPU ------------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Cuda/CudaDevice.h"

#include "lib/Package/DType.h"
#include "lib/Package/GpuIsa.h"

#include <algorithm>
#include <cstring>
#include <optional>

using namespace k3;

static cuda::DevicePointer toPointer(const std::byte *address) {
  return static_cast<cuda::DevicePointer>(reinterpret_cast<uintptr_t>(address));
}

Expected<std::unique_ptr<CudaDevice>> CudaDevice::open(int ordinal) {
  K3_ASSIGN(std::shared_ptr<cuda::Gpu> gpu, cuda::Gpu::open(ordinal));
  K3_ASSIGN(std::unique_ptr<cuda::Stream> stream, cuda::Stream::create(gpu));
  K3_ASSIGN(cuda::PinnedMemory staging, cuda::PinnedMemory::allocate(gpu, size_t(4) << 20));
  return std::unique_ptr<CudaDevice>(new CudaDevice(std::move(gpu), std::move(stream), std::move(staging), ordinal));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Expected<DeviceMemory> CudaDevice::allocate(uint64_t bytes) {
  uint64_t size = std::max<uint64_t>(bytes, 16); // also an empty range has an address that kernels may be given
  K3_ASSIGN(cuda::Memory owned, cuda::Memory::allocate(gpu, size));
  K3_TRY(stream->fill(owned.address(), 0, size));
  auto *data = reinterpret_cast<std::byte *>(static_cast<uintptr_t>(owned.address()));
  memory.emplace(data, std::move(owned));
  return DeviceMemory{data, bytes};
}

void CudaDevice::release(DeviceMemory range) {
  (void)stream->synchronise(); // work that is under way may use it
  memory.erase(range.data);
}

Status CudaDevice::copyIn(std::byte *destination, const void *source, uint64_t bytes) {
  if (!bytes)
    return Status::success();
  if (bytes > staging.bytes() / 4) {
    K3_TRY(stream->copyIn(toPointer(destination), source, bytes));
    return stream->synchronise(); // the caller's memory is its own again
  }
  if (staged + bytes > staging.bytes()) {
    K3_TRY(stream->synchronise());
    staged = 0;
  }
  std::byte *place = staging.data() + staged;
  std::memcpy(place, source, bytes);
  staged += (bytes + 63) / 64 * 64;
  return stream->copyIn(toPointer(destination), place, bytes);
}

Status CudaDevice::copyOut(void *destination, const std::byte *source, uint64_t bytes) {
  if (!bytes)
    return Status::success();
  K3_TRY(stream->copyOut(destination, toPointer(source), bytes));
  return synchronise();
}

Status CudaDevice::copy(std::byte *destination, const std::byte *source, uint64_t bytes) {
  return bytes ? stream->copy(toPointer(destination), toPointer(source), bytes) : Status::success();
}

Status CudaDevice::fill(std::byte *destination, uint8_t value, uint64_t bytes) {
  return bytes ? stream->fill(toPointer(destination), value, bytes) : Status::success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Whether code for `isa` runs on compute capability `arch` (times ten). Code with an "a" runs on its own only, "f" on
/// its family, machine code without either on later ones of its generation; PTX without either on everything later.
static bool runsOn(fb::Isa isa, int arch, bool isPtx) {
  int base = isaNumber(isa), generation = base / 10;
  if (isaSuffix(isa) == 'a')
    return base == arch;
  if (isaSuffix(isa) == 'f' || !isPtx)
    return arch >= base && arch / 10 == generation;
  return arch >= base;
}

Status CudaDevice::loadKernels(const fb::PackageT &package, uint32_t target) {
  const fb::TargetT &wanted = *package.targets[target];
  kernels.assign(package.kernels.size(), {});
  for (uint32_t index : wanted.images) {
    const fb::CodeUnion &code = package.images[index]->code;
    const fb::CubinT *cubin = code.AsCubin();
    const fb::PtxT *ptx = code.AsPtx();
    std::string what = "image " + std::to_string(index) + " of target '" + wanted.name + "'";
    if (!cubin && !ptx)
      return unsupported(what + " is no GPU code, which is all that " + name() + " runs");
    fb::Isa isa = cubin ? cubin->isa : ptx->isa;
    if (!isaNumber(isa))
      return badInput(what + " is for " + fb::EnumNameIsa(isa) + ", which is no GPU");
    if (!runsOn(isa, gpu->architecture(), ptx != nullptr))
      return unsupported(what + " is for " + isaText(isa) + ", " + name() + " has compute capability " +
                         std::to_string(gpu->architecture() / 10) + "." + std::to_string(gpu->architecture() % 10) +
                         "; compile for it with --target");
    if (cubin ? cubin->elf.size() < 64 : ptx->text.empty())
      return badInput(what + " is empty");
    const void *image = cubin ? static_cast<const void *>(cubin->elf.data()) : ptx->text.c_str();
    K3_ASSIGN(std::unique_ptr<cuda::Module> module, cuda::Module::load(gpu, image, what));
    for (size_t k = 0; k < package.kernels.size(); ++k)
      if (package.kernels[k]->image == index)
        kernels[k] = {package.kernels[k]->symbol, module.get(), nullptr, 0};
    modules.push_back(std::move(module));
  }
  return Status::success();
}

Expected<CudaDevice::Kernel *> CudaDevice::prepare(const GpuLaunchRecord &record) {
  if (record.kernel >= kernels.size() || !kernels[record.kernel].module)
    return internalError("kernel " + std::to_string(record.kernel) + " is not of the loaded target");
  Kernel &kernel = kernels[record.kernel];
  if (!kernel.function || kernel.sharedBytes < record.sharedBytes) {
    K3_ASSIGN(kernel.function, kernel.module->kernel(kernel.symbol, record.sharedBytes));
    kernel.sharedBytes = record.sharedBytes;
  }
  // More blocks than every product can gather have to be asked for.
  constexpr uint32_t portableCluster = 8;
  if (record.cluster[0] * record.cluster[1] * record.cluster[2] > portableCluster)
    K3_TRY(gpu->driver().check(
        gpu->driver().functionSetAttribute(kernel.function, cuda::FunctionAttribute::NonPortableCluster, 1),
        "allowing a large cluster"));
  return &kernel;
}

/// CUtensorMapDataType; nothing for types that tensor maps do not have.
static std::optional<int> mapType(fb::DType dtype) {
  switch (dtype) {
  case fb::DType::F32:
    return 7;
  case fb::DType::BF16:
    return 9;
  case fb::DType::F16:
    return 6;
  case fb::DType::I32:
    return 3;
  case fb::DType::I64:
    return 5;
  default:
    return bitWidth(dtype) == 8 ? std::optional<int>(0) : std::nullopt;
  }
}

Status CudaDevice::encode(const TensorMapRecord &map, cuda::TensorMap &out) const {
  std::optional<int> type = mapType(map.dtype);
  if (!type)
    return unsupported("a tensor map of " + std::string(dtypeName(map.dtype)));
  int swizzle = map.swizzleBytes == 128 ? 3 : map.swizzleBytes == 64 ? 2 : map.swizzleBytes == 32 ? 1 : 0;
  std::string what = "encoding a tensor map of";
  for (uint32_t i = map.rank; i-- > 0;)
    what += " " + std::to_string(map.dims[i]) + " (box " + std::to_string(map.box[i]) + ")";
  return gpu->driver().check(
      gpu->driver().tensorMapEncodeTiled(&out, *type, map.rank, map.data, map.dims.data(), map.strides.data() + 1,
                                         map.box.data(), map.elementStrides.data(), /*interleave=*/0, swizzle,
                                         map.l2Promotion, map.nanOutside),
      what.c_str());
}

Status CudaDevice::launchGpu(const GpuLaunchRecord &record) {
  K3_ASSIGN(Kernel * kernel, prepare(record));
  cuda::Launch launch;
  launch.kernel = kernel->function;
  std::copy(record.grid.begin(), record.grid.end(), launch.grid);
  std::copy(record.block.begin(), record.block.end(), launch.block);
  std::copy(record.cluster.begin(), record.cluster.end(), launch.cluster);
  launch.sharedBytes = record.sharedBytes;
  launch.dependent = record.dependent;
  launch.resident = record.resident;
  maps.resize(std::max(maps.size(), record.arguments.size()));
  parameters.resize(record.arguments.size());
  for (size_t i = 0; i < record.arguments.size(); ++i) {
    const KernelArgument &argument = record.arguments[i];
    switch (argument.kind) {
    case KernelArgument::Kind::Pointer:
      parameters[i] = const_cast<std::byte **>(&argument.data);
      break;
    case KernelArgument::Kind::Scalar: // little-endian: an i32 or f32 are the low bytes
      parameters[i] = const_cast<uint64_t *>(&argument.bits);
      break;
    case KernelArgument::Kind::TensorMap:
      K3_TRY(encode(argument.map, maps[i]).withContext("argument " + std::to_string(i)));
      parameters[i] = &maps[i];
      break;
    }
  }
  return stream->launch(launch, parameters);
}

Status CudaDevice::launch(const LaunchRecord &) { return unsupported("a host kernel in a GPU program"); }

Status CudaDevice::gemm(const GemmRecord &) { return unsupported("a host product in a GPU program"); }

Status CudaDevice::synchronise() {
  staged = 0;
  return stream->synchronise();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {
struct RecordedGraph final : DeviceGraph {
  explicit RecordedGraph(std::unique_ptr<cuda::Graph> graph) : graph(std::move(graph)) {}
  std::unique_ptr<cuda::Graph> graph;
};
} // namespace

Expected<std::unique_ptr<DeviceGraph>> CudaDevice::capture(const std::function<Status()> &work) {
  K3_ASSIGN(std::unique_ptr<cuda::Graph> graph, stream->capture(work));
  return std::unique_ptr<DeviceGraph>(std::make_unique<RecordedGraph>(std::move(graph)));
}

Status CudaDevice::replay(const DeviceGraph &graph) {
  return stream->launch(*static_cast<const RecordedGraph &>(graph).graph);
}
