//===- CudaDevice.h - One NVIDIA GPU -----------------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device backend over the CUDA driver. Everything goes onto one stream, in the order of the calls; a failure of the
// device itself is reported by the next call that waits. Parameters of kernels are described in runtime/Device.h.
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_CUDA_CUDADEVICE_H
#define K3_RUNTIME_CUDA_CUDADEVICE_H

#include "runtime/Cuda/Cuda.h"
#include "runtime/Device.h"

#include <map>

namespace k3 {

class CudaDevice final : public Device {
public:
  /// GPU number `ordinal`. Fails in one line where there is no driver or no such device.
  static Expected<std::unique_ptr<CudaDevice>> open(int ordinal);

  std::string name() const override { return "cuda:" + std::to_string(ordinal) + " (" + gpu->name() + ")"; }
  unsigned workers() const override { return static_cast<unsigned>(gpu->multiprocessors()); }
  Expected<DeviceMemory> allocate(uint64_t bytes) override;
  void release(DeviceMemory memory) override;
  Status loadKernels(const fb::PackageT &package, uint32_t target) override;
  Status copyIn(std::byte *destination, const void *source, uint64_t bytes) override;
  Status copyOut(void *destination, const std::byte *source, uint64_t bytes) override;
  Status copy(std::byte *destination, const std::byte *source, uint64_t bytes) override;
  Status fill(std::byte *destination, uint8_t value, uint64_t bytes) override;
  Status launch(const LaunchRecord &record) override;
  Status launchGpu(const GpuLaunchRecord &record) override;
  Status gemm(const GemmRecord &record) override;
  Status synchronise() override;

  bool recordsGraphs() const override { return true; }
  Expected<std::unique_ptr<DeviceGraph>> capture(const std::function<Status()> &work) override;
  Status replay(const DeviceGraph &graph) override;

  /// For tools that time work or add work of their own.
  const std::shared_ptr<cuda::Gpu> &hardware() const { return gpu; }
  cuda::Stream &workStream() { return *stream; }

private:
  /// A kernel of the loaded target; NULL module: of another target.
  struct Kernel {
    std::string symbol;
    const cuda::Module *module = nullptr;
    cuda::FunctionHandle *function = nullptr; ///< found at the first launch
    uint32_t sharedBytes = 0;                 ///< dynamic shared memory that it is prepared for
  };

  CudaDevice(std::shared_ptr<cuda::Gpu> gpu, std::unique_ptr<cuda::Stream> stream, cuda::PinnedMemory staging,
             int ordinal)
      : gpu(std::move(gpu)), staging(std::move(staging)), stream(std::move(stream)), ordinal(ordinal) {}
  Status encode(const TensorMapRecord &map, cuda::TensorMap &out) const;
  Expected<Kernel *> prepare(const GpuLaunchRecord &record);

  std::shared_ptr<cuda::Gpu> gpu;
  // Small copies to the device go through here, one behind the other until it is full.
  cuda::PinnedMemory staging;
  size_t staged = 0;
  std::unique_ptr<cuda::Stream> stream;
  int ordinal;
  std::map<std::byte *, cuda::Memory> memory; // by address
  std::vector<std::unique_ptr<cuda::Module>> modules;
  std::vector<Kernel> kernels; // by number in the package
  std::vector<cuda::TensorMap> maps;
  std::vector<void *> parameters;
};

} // namespace k3

#endif // K3_RUNTIME_CUDA_CUDADEVICE_H
