//===- HostDevice.h - The CPU of this process -------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device backend of this machine's CPU. A launch is cut into work items of `grain` units that a thread pool
// runs; a matrix product into panels of 256 columns, each one single-threaded BLAS call. Both cuts are
// independent of the number of threads, hence so are the bits.
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_HOST_HOSTDEVICE_H
#define K3_RUNTIME_HOST_HOSTDEVICE_H

#include "runtime/Device.h"
#include "runtime/Host/HostImage.h"
#include "runtime/Host/ThreadPool.h"

#include <memory>

namespace k3 {

class HostDevice final : public Device {
public:
  /// threads 0: one per CPU that the process may run on.
  explicit HostDevice(unsigned threads);
  ~HostDevice() override;

  std::string name() const override { return "host"; }
  unsigned workers() const override { return pool.size(); }
  Expected<DeviceMemory> allocate(uint64_t bytes) override;
  void release(DeviceMemory memory) override;
  Status loadKernels(const fb::PackageT &package, uint32_t target) override;
  Status copyIn(std::byte *destination, const void *source, uint64_t bytes) override;
  Status copyOut(void *destination, const std::byte *source, uint64_t bytes) override;
  Status copy(std::byte *destination, const std::byte *source, uint64_t bytes) override;
  Status fill(std::byte *destination, uint8_t value, uint64_t bytes) override;
  Status launch(const LaunchRecord &record) override;
  Status gemm(const GemmRecord &record) override;
  Status synchronise() override { return Status::success(); } // every call above returns when it is done

private:
  /// Scratch of one worker, grown on demand and kept.
  struct Scratch {
    std::byte *data = nullptr;
    uint64_t bytes = 0;
  };
  Status reserveScratch(uint64_t bytes);

  ThreadPool pool;
  std::vector<HostImage> images;
  std::vector<k3_grid_function> functions; // by kernel number; NULL for kernels of other targets
  std::vector<Scratch> scratch;            // by worker
};

/// CPUs that this process may run on, at least 1.
unsigned usableCpus();

} // namespace k3

#endif // K3_RUNTIME_HOST_HOSTDEVICE_H
