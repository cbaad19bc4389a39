//===- Cuda.h - Device, memory, streams, modules and graphs -*- C++ -*- ---===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owning wrappers over the driver API. Every call works on the device of its Gpu, whichever thread it comes from.
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_CUDA_CUDA_H
#define K3_RUNTIME_CUDA_CUDA_H

#include "runtime/Cuda/Driver.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace k3::cuda {

/// One device with its primary context.
class Gpu {
public:
  /// Fails where there is no driver or no such device.
  static Expected<std::shared_ptr<Gpu>> open(int ordinal);
  ~Gpu();

  const Driver &driver() const { return api; }
  const std::string &name() const { return deviceName; }
  /// 90 for compute capability 9.0.
  int architecture() const { return arch; }
  int multiprocessors() const { return processors; }
  /// Shared memory that one block may ask for.
  int sharedBytes() const { return shared; }
  /// Makes the device current in the calling thread.
  Status activate() const;

private:
  explicit Gpu(const Driver &api) : api(api) {}

  const Driver &api;
  DeviceId device = 0;
  ContextHandle *context = nullptr;
  std::string deviceName;
  int arch = 0, processors = 0, shared = 0;
};

/// Memory of the device, freed with the object.
class Memory {
public:
  static Expected<Memory> allocate(std::shared_ptr<Gpu> gpu, size_t bytes);
  Memory(Memory &&other) noexcept;
  Memory &operator=(Memory &&other) noexcept;
  ~Memory();

  DevicePointer address() const { return pointer; }
  size_t bytes() const { return size; }

private:
  Memory(std::shared_ptr<Gpu> gpu, DevicePointer pointer, size_t size) : gpu(std::move(gpu)), pointer(pointer), size(size) {}

  std::shared_ptr<Gpu> gpu;
  DevicePointer pointer = 0;
  size_t size = 0;
};

/// Memory of the host that the device copies from while the caller goes on.
class PinnedMemory {
public:
  static Expected<PinnedMemory> allocate(std::shared_ptr<Gpu> gpu, size_t bytes);
  PinnedMemory(PinnedMemory &&other) noexcept;
  ~PinnedMemory();

  std::byte *data() const { return static_cast<std::byte *>(pointer); }
  size_t bytes() const { return size; }

private:
  PinnedMemory(std::shared_ptr<Gpu> gpu, void *pointer, size_t size) : gpu(std::move(gpu)), pointer(pointer), size(size) {}

  std::shared_ptr<Gpu> gpu;
  void *pointer = nullptr;
  size_t size = 0;
};

/// A cubin or PTX text on the device.
class Module {
public:
  /// `image` is a cubin, or PTX with a terminating zero. `what` names it in errors, which carry the driver's log.
  static Expected<std::unique_ptr<Module>> load(std::shared_ptr<Gpu> gpu, const void *image, const std::string &what);
  ~Module();

  /// A kernel, allowed to use `dynamicShared` bytes of dynamic shared memory.
  Expected<FunctionHandle *> kernel(const std::string &name, unsigned dynamicShared = 0) const;

private:
  Module(std::shared_ptr<Gpu> gpu, ModuleHandle *module, std::string what)
      : gpu(std::move(gpu)), module(module), what(std::move(what)) {}

  std::shared_ptr<Gpu> gpu;
  ModuleHandle *module;
  std::string what;
};

/// How a kernel is launched.
struct Launch {
  FunctionHandle *kernel = nullptr;
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  unsigned sharedBytes = 0;
  bool dependent = false; ///< Programmatic dependent launch: may start before the kernel ahead of it has ended.
  /// CTAs that must be resident together because they wait for each other; 0: none do. More than fit is refused.
  unsigned resident = 0;
};

/// A captured sequence of work that is launched as one.
class Graph {
public:
  ~Graph();

private:
  friend class Stream;
  Graph(std::shared_ptr<Gpu> gpu, GraphExecHandle *executable) : gpu(std::move(gpu)), executable(executable) {}

  std::shared_ptr<Gpu> gpu;
  GraphExecHandle *executable;
};

/// Work in order.
class Stream {
public:
  static Expected<std::unique_ptr<Stream>> create(std::shared_ptr<Gpu> gpu);
  ~Stream();

  Status copyIn(DevicePointer to, const void *from, size_t bytes);
  Status copyOut(void *to, DevicePointer from, size_t bytes);
  Status copy(DevicePointer to, DevicePointer from, size_t bytes);
  Status fill(DevicePointer to, unsigned char value, size_t bytes);
  /// `arguments`: addresses of the kernel's parameters, in order.
  Status launch(const Launch &launch, std::span<void *const> arguments);
  Status synchronise();

  /// Records what `work` puts on this stream instead of running it.
  Expected<std::unique_ptr<Graph>> capture(const std::function<Status()> &work);
  Status launch(const Graph &graph);
  /// For libraries that put their work on this stream.
  StreamHandle *handle() const { return stream; }

  /// Seconds between two points of the stream: the start and end of what `work` puts on it. Waits for it.
  Expected<double> time(const std::function<Status()> &work);

private:
  Stream(std::shared_ptr<Gpu> gpu, StreamHandle *stream, EventHandle *from, EventHandle *to)
      : gpu(std::move(gpu)), stream(stream), from(from), to(to) {}

  std::shared_ptr<Gpu> gpu;
  StreamHandle *stream;
  EventHandle *from, *to;
};

} // namespace k3::cuda

#endif // K3_RUNTIME_CUDA_CUDA_H
