//===- Device.h - What the runtime needs of a machine -----------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The boundary between the executor, which walks the entries of a program, and the machine that does the
// work. Entries are handed over with every expression evaluated. Work is done in the order of the calls; a
// backend may return before it is done, `synchronise` waits. Memory is addressed by plain pointers of the
// device's address space: only a backend reads through them, everybody else copies.
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_DEVICE_H
#define K3_RUNTIME_DEVICE_H

#include "lib/Package/Package_generated.h"
#include "lib/Support/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace k3 {

/// Device memory; `data` is an address of the device.
struct DeviceMemory {
  std::byte *data = nullptr;
  uint64_t bytes = 0;
};

/// An array argument: a base address, the extent of dimension 0 (1 for a scalar), the elements between rows.
struct DeviceArray {
  std::byte *data = nullptr;
  int64_t rows = 1;
  int64_t rowStride = 1;
};

/// Number of a kernel in Package.kernels.
using KernelIndex = uint32_t;

struct LaunchRecord {
  KernelIndex kernel = 0;
  int64_t units = 0;         ///< grid.x; > 0
  int64_t grain = 1;         ///< units of one work item; >= 1
  uint32_t scratchBytes = 0; ///< host: per thread; GPU: dynamic shared memory
  std::span<const DeviceArray> arrays;
};

/// c[m, n] = alpha * a[m, k] * b[n, k]^T + beta * c, all f32, row strides in elements. b is [k, n] unless
/// transB.
struct GemmRecord {
  DeviceArray a, b, c;
  int64_t m = 0, n = 0, k = 0;
  bool transB = true;
  float alpha = 1, beta = 0;
};

class Device {
public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;
  /// Workers that run the units of a launch: threads or multiprocessors (symbols Threads and SM).
  virtual unsigned workers() const = 0;

  /// Zeroed memory, aligned to at least 64 bytes; large ranges cost nothing until they are touched.
  virtual Expected<DeviceMemory> allocate(uint64_t bytes) = 0;
  virtual void release(DeviceMemory memory) = 0;

  /// Makes the kernels of target `target` of the package callable. The package outlives the device.
  virtual Status loadKernels(const fb::PackageT &package, uint32_t target) = 0;

  virtual Status copyIn(std::byte *destination, const void *source, uint64_t bytes) = 0;
  virtual Status copyOut(void *destination, const std::byte *source, uint64_t bytes) = 0;
  virtual Status copy(std::byte *destination, const std::byte *source, uint64_t bytes) = 0;
  virtual Status fill(std::byte *destination, uint8_t value, uint64_t bytes) = 0;
  virtual Status launch(const LaunchRecord &record) = 0;
  virtual Status gemm(const GemmRecord &record) = 0;
  virtual Status synchronise() = 0;
};

} // namespace k3

#endif // K3_RUNTIME_DEVICE_H
