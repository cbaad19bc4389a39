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

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
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

/// A launch of a grid function (lib/Package/GridAbi.h).
struct LaunchRecord {
  KernelIndex kernel = 0;
  int64_t units = 0;         ///< grid.x; > 0
  int64_t grain = 1;         ///< units of one work item; >= 1
  uint32_t scratchBytes = 0; ///< per thread
  std::span<const DeviceArray> arrays;
};

/// What a tensor map describes. Dimensions innermost first, as cuTensorMapEncodeTiled takes them: the reverse of a
/// view's. Elements outside read as zero and are not written.
struct TensorMapRecord {
  static constexpr size_t maxRank = 5;
  std::byte *data = nullptr;
  fb::DType dtype = fb::DType::None;
  uint32_t rank = 0;
  std::array<uint64_t, maxRank> dims{};    ///< elements, each at least 1
  std::array<uint64_t, maxRank> strides{}; ///< bytes; strides[0] is one element
  std::array<uint32_t, maxRank> box{}, elementStrides{};
  uint32_t swizzleBytes = 0; ///< 0, 32, 64 or 128
  uint8_t l2Promotion = 0;   ///< 0 none, 1 64, 2 128, 3 256 bytes
  bool nanOutside = false;   ///< NaN instead of zero
};

/// One parameter of a GPU kernel.
struct KernelArgument {
  enum class Kind : uint8_t { Pointer, Scalar, TensorMap };
  Kind kind = Kind::Pointer;
  uint8_t access = 0; ///< Pointer, TensorMap: 1 read, 2 write, 3 both; 0 not stated
  uint8_t role = 0;   ///< Pointer: 0 constant, 1 step_in, 2 step_out
  fb::DType dtype = fb::DType::None; ///< Scalar: I32, I64 or F32; else of the elements
  std::byte *data = nullptr;         ///< Pointer
  uint64_t bytes = 0;                ///< Pointer: from the first byte of the view to behind its last one
  uint64_t bits = 0;                 ///< Scalar: the value, in the low bytes
  TensorMapRecord map;               ///< TensorMap
};

/// A launch of GPU code. Parameters are in the order of the kernel's: a pointer is 8 bytes, a scalar 4 or 8, a tensor
/// map a CUtensorMap of 128 bytes by value.
struct GpuLaunchRecord {
  KernelIndex kernel = 0;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1}; ///< all at least 1
  uint32_t sharedBytes = 0; ///< dynamic, per block
  bool dependent = false;   ///< may start before the launch ahead has ended (programmatic dependent launch)
  uint32_t resident = 0;    ///< blocks that wait for each other; a device that cannot hold them refuses
  std::span<const KernelArgument> arguments;

  uint64_t blocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
};

/// Work that was recorded and can be run again, with the sizes and addresses that it was recorded with.
class DeviceGraph {
public:
  virtual ~DeviceGraph() = default;
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
  virtual Status launchGpu(const GpuLaunchRecord &) { return unsupported(name() + " runs no GPU code"); }
  virtual Status gemm(const GemmRecord &record) = 0;
  virtual Status synchronise() = 0;

  /// Whether `capture` records; else a program's entries are handed over at every run.
  virtual bool recordsGraphs() const { return false; }
  /// Records the calls of `work` instead of doing them: launches, copies on the device, fills.
  virtual Expected<std::unique_ptr<DeviceGraph>> capture(const std::function<Status()> &work) {
    (void)work;
    return unsupported(name() + " records no graphs");
  }
  virtual Status replay(const DeviceGraph &) { return unsupported(name() + " records no graphs"); }
};

} // namespace k3

#endif // K3_RUNTIME_DEVICE_H
