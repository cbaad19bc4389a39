//===- Cuda.cpp - Device, memory, streams, modules and graphs -------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Cuda/Cuda.h"

#include <array>
#include <utility>

namespace k3::cuda {

//===----------------------------------------------------------------------===//
// Gpu
//===----------------------------------------------------------------------===//

Expected<std::shared_ptr<Gpu>> Gpu::open(int ordinal) {
  K3_ASSIGN(const Driver *driver, Driver::get());
  int count = 0;
  K3_TRY(driver->check(driver->deviceGetCount(&count), "counting CUDA devices"));
  if (ordinal < 0 || ordinal >= count)
    return badInput("CUDA device " + std::to_string(ordinal) + " does not exist; there are " + std::to_string(count));

  std::shared_ptr<Gpu> gpu(new Gpu(*driver));
  K3_TRY(driver->check(driver->deviceGet(&gpu->device, ordinal), "opening a CUDA device"));
  char name[128] = {};
  K3_TRY(driver->check(driver->deviceGetName(name, sizeof(name) - 1, gpu->device), "naming a CUDA device"));
  gpu->deviceName = name;
  auto attribute = [&](DeviceAttribute which, int &value) {
    return driver->check(driver->deviceGetAttribute(&value, which, gpu->device), "asking a CUDA device");
  };
  int major = 0, minor = 0;
  K3_TRY(attribute(DeviceAttribute::Major, major));
  K3_TRY(attribute(DeviceAttribute::Minor, minor));
  K3_TRY(attribute(DeviceAttribute::MultiprocessorCount, gpu->processors));
  K3_TRY(attribute(DeviceAttribute::SharedBytesOptIn, gpu->shared));
  gpu->arch = major * 10 + minor;
  K3_TRY(driver->check(driver->primaryRetain(&gpu->context, gpu->device), "creating a CUDA context"));
  K3_TRY(gpu->activate());
  return gpu;
}

Gpu::~Gpu() {
  if (context)
    (void)api.primaryRelease(device);
}

Status Gpu::activate() const { return api.check(api.setCurrent(context), "activating a CUDA context"); }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Expected<Memory> Memory::allocate(std::shared_ptr<Gpu> gpu, size_t bytes) {
  K3_TRY(gpu->activate());
  DevicePointer pointer = 0;
  // The driver refuses zero bytes; an empty range has no address.
  if (bytes)
    K3_TRY(gpu->driver().check(gpu->driver().memAlloc(&pointer, bytes),
                               ("allocating " + std::to_string(bytes) + " bytes on " + gpu->name()).c_str()));
  return Memory(std::move(gpu), pointer, bytes);
}

Memory::Memory(Memory &&other) noexcept : gpu(std::move(other.gpu)), pointer(other.pointer), size(other.size) {
  other.pointer = 0;
}

Memory &Memory::operator=(Memory &&other) noexcept {
  std::swap(gpu, other.gpu);
  std::swap(pointer, other.pointer);
  std::swap(size, other.size);
  return *this;
}

Memory::~Memory() {
  if (pointer && gpu->activate().ok())
    (void)gpu->driver().memFree(pointer);
}

Expected<PinnedMemory> PinnedMemory::allocate(std::shared_ptr<Gpu> gpu, size_t bytes) {
  K3_TRY(gpu->activate());
  void *pointer = nullptr;
  K3_TRY(gpu->driver().check(gpu->driver().hostAlloc(&pointer, bytes), "allocating pinned memory of the host"));
  return PinnedMemory(std::move(gpu), pointer, bytes);
}

PinnedMemory::PinnedMemory(PinnedMemory &&other) noexcept
    : gpu(std::move(other.gpu)), pointer(std::exchange(other.pointer, nullptr)), size(other.size) {}

PinnedMemory::~PinnedMemory() {
  if (pointer && gpu->activate().ok())
    (void)gpu->driver().hostFree(pointer);
}

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Module>> Module::load(std::shared_ptr<Gpu> gpu, const void *image, const std::string &what) {
  K3_TRY(gpu->activate());
  // CU_JIT_ERROR_LOG_BUFFER and its size: what the driver says of PTX that it cannot compile.
  std::array<char, 2048> log{};
  constexpr int options[] = {5, 6};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  ModuleHandle *module = nullptr;
  Status status = gpu->driver().check(gpu->driver().moduleLoad(&module, image, 2, options, values),
                                      ("loading " + what + " on " + gpu->name()).c_str());
  if (!status.ok()) {
    std::string text = log.data();
    for (char &c : text)
      if (c == '\n')
        c = ' ';
    return Status(status.code(), status.text() + (text.empty() ? "" : ": " + text));
  }
  return std::unique_ptr<Module>(new Module(std::move(gpu), module, what));
}

Module::~Module() {
  if (gpu->activate().ok())
    (void)gpu->driver().moduleUnload(module);
}

Expected<FunctionHandle *> Module::kernel(const std::string &name, unsigned dynamicShared) const {
  const Driver &api = gpu->driver();
  std::string where = "kernel '" + name + "' of " + what;
  if (dynamicShared > static_cast<unsigned>(gpu->sharedBytes()))
    return unsupported(where + " needs " + std::to_string(dynamicShared) + " bytes of shared memory, a block of " +
                       gpu->name() + " has at most " + std::to_string(gpu->sharedBytes()));
  K3_TRY(gpu->activate());
  FunctionHandle *function = nullptr;
  K3_TRY(api.check(api.moduleGetFunction(&function, module, name.c_str()), ("finding " + where).c_str()));
  if (dynamicShared)
    K3_TRY(api.check(api.functionSetAttribute(function, FunctionAttribute::MaxDynamicSharedBytes, dynamicShared),
                     ("preparing " + where).c_str()));
  return function;
}

//===----------------------------------------------------------------------===//
// Stream
//===----------------------------------------------------------------------===//

Graph::~Graph() {
  if (gpu->activate().ok())
    (void)gpu->driver().graphExecDestroy(executable);
}

Expected<std::unique_ptr<Stream>> Stream::create(std::shared_ptr<Gpu> gpu) {
  const Driver &api = gpu->driver();
  K3_TRY(gpu->activate());
  constexpr unsigned nonBlocking = 1;
  StreamHandle *stream = nullptr;
  EventHandle *from = nullptr, *to = nullptr;
  K3_TRY(api.check(api.streamCreate(&stream, nonBlocking), "creating a stream"));
  K3_TRY(api.check(api.eventCreate(&from, 0), "creating an event"));
  K3_TRY(api.check(api.eventCreate(&to, 0), "creating an event"));
  return std::unique_ptr<Stream>(new Stream(std::move(gpu), stream, from, to));
}

Stream::~Stream() {
  if (!gpu->activate().ok())
    return;
  const Driver &api = gpu->driver();
  (void)api.streamSynchronize(stream);
  (void)api.eventDestroy(from);
  (void)api.eventDestroy(to);
  (void)api.streamDestroy(stream);
}

Status Stream::copyIn(DevicePointer to, const void *source, size_t bytes) {
  K3_TRY(gpu->activate());
  return gpu->driver().check(gpu->driver().copyIn(to, source, bytes, stream), "copying to the device");
}

Status Stream::copyOut(void *to, DevicePointer source, size_t bytes) {
  K3_TRY(gpu->activate());
  return gpu->driver().check(gpu->driver().copyOut(to, source, bytes, stream), "copying from the device");
}

Status Stream::copy(DevicePointer to, DevicePointer source, size_t bytes) {
  K3_TRY(gpu->activate());
  return gpu->driver().check(gpu->driver().copy(to, source, bytes, stream), "copying on the device");
}

Status Stream::fill(DevicePointer to, unsigned char value, size_t bytes) {
  K3_TRY(gpu->activate());
  return gpu->driver().check(gpu->driver().fill(to, value, bytes, stream), "filling device memory");
}

Status Stream::launch(const Launch &launch, std::span<void *const> arguments) {
  const Driver &api = gpu->driver();
  K3_TRY(gpu->activate());
  unsigned threads = launch.block[0] * launch.block[1] * launch.block[2];
  LaunchAttribute attributes[2] = {};
  LaunchConfig config = {{launch.grid[0], launch.grid[1], launch.grid[2]},
                         {launch.block[0], launch.block[1], launch.block[2]},
                         launch.sharedBytes,
                         stream,
                         attributes,
                         0};
  unsigned clusterBlocks = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  if (clusterBlocks > 1) {
    LaunchAttribute &attribute = attributes[config.attributeCount++];
    attribute.id = LaunchAttribute::ClusterDimension;
    attribute.cluster = {launch.cluster[0], launch.cluster[1], launch.cluster[2]};
  }
  if (launch.resident) {
    int64_t fit = 0;
    int count = 0;
    if (clusterBlocks > 1) {
      K3_TRY(api.check(api.clusterOccupancy(&count, launch.kernel, &config), "asking for the clusters that fit"));
      fit = int64_t(count) * clusterBlocks;
    } else {
      K3_TRY(api.check(api.occupancy(&count, launch.kernel, static_cast<int>(threads), launch.sharedBytes),
                       "asking for the occupancy of a kernel"));
      fit = int64_t(count) * gpu->multiprocessors();
    }
    if (launch.resident > fit)
      return unsupported("a kernel needs " + std::to_string(launch.resident) + " resident blocks that wait for each other, " +
                         gpu->name() + " holds " + std::to_string(fit) + "; launching it would hang");
  }
  if (launch.dependent) {
    LaunchAttribute &attribute = attributes[config.attributeCount++];
    attribute.id = LaunchAttribute::ProgrammaticStreamSerialization;
    attribute.flag = 1;
  }
  return api.check(api.launch(&config, launch.kernel, const_cast<void **>(arguments.data()), nullptr), "launching a kernel");
}

Status Stream::synchronise() {
  K3_TRY(gpu->activate());
  return gpu->driver().check(gpu->driver().streamSynchronize(stream), "waiting for the device");
}

Expected<std::unique_ptr<Graph>> Stream::capture(const std::function<Status()> &work) {
  const Driver &api = gpu->driver();
  K3_TRY(gpu->activate());
  constexpr int threadLocal = 1;
  K3_TRY(api.check(api.beginCapture(stream, threadLocal), "beginning a graph"));
  Status recorded = work();
  GraphHandle *graph = nullptr;
  // A capture has to be ended also after a failure, or the stream stays unusable.
  Status ended = api.check(api.endCapture(stream, &graph), "ending a graph");
  Status instantiated;
  GraphExecHandle *executable = nullptr;
  if (recorded.ok() && ended.ok())
    instantiated = api.check(api.graphInstantiate(&executable, graph, 0), "instantiating a graph");
  if (graph)
    (void)api.graphDestroy(graph);
  K3_TRY(recorded);
  K3_TRY(ended);
  K3_TRY(instantiated);
  return std::unique_ptr<Graph>(new Graph(gpu, executable));
}

Status Stream::launch(const Graph &graph) {
  K3_TRY(gpu->activate());
  return gpu->driver().check(gpu->driver().graphLaunch(graph.executable, stream), "launching a graph");
}

Expected<double> Stream::time(const std::function<Status()> &work) {
  const Driver &api = gpu->driver();
  K3_TRY(gpu->activate());
  K3_TRY(api.check(api.eventRecord(from, stream), "recording an event"));
  K3_TRY(work());
  K3_TRY(api.check(api.eventRecord(to, stream), "recording an event"));
  K3_TRY(api.check(api.eventSynchronize(to), "waiting for the device"));
  float milliseconds = 0;
  K3_TRY(api.check(api.eventElapsed(&milliseconds, from, to), "reading a time"));
  return static_cast<double>(milliseconds) * 1e-3;
}

} // namespace k3::cuda
