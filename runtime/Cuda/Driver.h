//===- Driver.h - The CUDA driver, loaded at run time -*- C++ -*- ---------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver API is opened with dlopen, so that one binary runs with and without a GPU and the build needs no CUDA
// toolkit. Types and entry points are those of the CUDA Driver API reference; only what the runtime calls is declared.
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_CUDA_DRIVER_H
#define K3_RUNTIME_CUDA_DRIVER_H

#include "lib/Support/Status.h"

#include <cstddef>
#include <cstdint>

namespace k3::cuda {

using Result = int; ///< CUresult; 0 is success.
using DeviceId = int;
using DevicePointer = unsigned long long;
struct ContextHandle;
struct ModuleHandle;
struct FunctionHandle;
struct StreamHandle;
struct EventHandle;
struct GraphHandle;
struct GraphExecHandle;

/// CUlaunchAttribute: an id and a value of 64 bytes.
struct alignas(8) LaunchAttribute {
  enum Id : int { Cooperative = 2, ClusterDimension = 4, ProgrammaticStreamSerialization = 6 };
  Id id;
  char pad[4];
  union {
    struct {
      unsigned x, y, z;
    } cluster;
    int flag;
    char bytes[64];
  };
};
static_assert(sizeof(LaunchAttribute) == 72);

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid[3], block[3];
  unsigned sharedBytes;
  StreamHandle *stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

/// CUtensorMap: what TMA instructions read.
struct alignas(64) TensorMap {
  uint64_t opaque[16];
};

/// CUdevice_attribute and CUfunction_attribute numbers in use.
enum class DeviceAttribute : int { MultiprocessorCount = 16, Major = 75, Minor = 76, SharedBytesOptIn = 97 };
enum class FunctionAttribute : int { StaticSharedBytes = 1, LocalBytes = 3, Registers = 4, MaxDynamicSharedBytes = 8, NonPortableCluster = 14 };

// The entry points in use: member, exported symbol, parameters.
#define K3_CUDA_ENTRY_POINTS(X)                                                                                        \
  X(init, "cuInit", (unsigned flags))                                                                                  \
  X(driverGetVersion, "cuDriverGetVersion", (int *version))                                                            \
  X(getErrorName, "cuGetErrorName", (Result result, const char **text))                                                \
  X(getErrorString, "cuGetErrorString", (Result result, const char **text))                                            \
  X(deviceGetCount, "cuDeviceGetCount", (int *count))                                                                  \
  X(deviceGet, "cuDeviceGet", (DeviceId *device, int ordinal))                                                         \
  X(deviceGetName, "cuDeviceGetName", (char *name, int length, DeviceId device))                                       \
  X(deviceGetAttribute, "cuDeviceGetAttribute", (int *value, DeviceAttribute attribute, DeviceId device))              \
  X(primaryRetain, "cuDevicePrimaryCtxRetain", (ContextHandle * *context, DeviceId device))                            \
  X(primaryRelease, "cuDevicePrimaryCtxRelease_v2", (DeviceId device))                                                 \
  X(setCurrent, "cuCtxSetCurrent", (ContextHandle * context))                                                          \
  X(memAlloc, "cuMemAlloc_v2", (DevicePointer * pointer, size_t bytes))                                                \
  X(memFree, "cuMemFree_v2", (DevicePointer pointer))                                                                  \
  X(hostAlloc, "cuMemAllocHost_v2", (void **pointer, size_t bytes))                                                    \
  X(hostFree, "cuMemFreeHost", (void *pointer))                                                                        \
  X(copyIn, "cuMemcpyHtoDAsync_v2", (DevicePointer to, const void *from, size_t bytes, StreamHandle *stream))          \
  X(copyOut, "cuMemcpyDtoHAsync_v2", (void *to, DevicePointer from, size_t bytes, StreamHandle *stream))               \
  X(copy, "cuMemcpyDtoDAsync_v2", (DevicePointer to, DevicePointer from, size_t bytes, StreamHandle *stream))          \
  X(fill, "cuMemsetD8Async", (DevicePointer to, unsigned char value, size_t bytes, StreamHandle *stream))              \
  X(moduleLoad, "cuModuleLoadDataEx",                                                                                  \
    (ModuleHandle * *module, const void *image, unsigned count, const int *options, void **values))                    \
  X(moduleUnload, "cuModuleUnload", (ModuleHandle * module))                                                           \
  X(moduleGetFunction, "cuModuleGetFunction", (FunctionHandle * *function, ModuleHandle *module, const char *name))    \
  X(functionGetAttribute, "cuFuncGetAttribute", (int *value, FunctionAttribute attribute, FunctionHandle *function))   \
  X(functionSetAttribute, "cuFuncSetAttribute", (FunctionHandle * function, FunctionAttribute attribute, int value))   \
  X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                                          \
    (int *blocks, FunctionHandle *function, int threads, size_t sharedBytes))                                          \
  X(clusterOccupancy, "cuOccupancyMaxActiveClusters",                                                                  \
    (int *clusters, FunctionHandle *function, const LaunchConfig *config))                                             \
  X(launch, "cuLaunchKernelEx",                                                                                        \
    (const LaunchConfig *config, FunctionHandle *function, void **arguments, void **extra))                            \
  X(streamCreate, "cuStreamCreate", (StreamHandle * *stream, unsigned flags))                                          \
  X(streamDestroy, "cuStreamDestroy_v2", (StreamHandle * stream))                                                      \
  X(streamSynchronize, "cuStreamSynchronize", (StreamHandle * stream))                                                 \
  X(eventCreate, "cuEventCreate", (EventHandle * *event, unsigned flags))                                              \
  X(eventDestroy, "cuEventDestroy_v2", (EventHandle * event))                                                          \
  X(eventRecord, "cuEventRecord", (EventHandle * event, StreamHandle *stream))                                         \
  X(eventSynchronize, "cuEventSynchronize", (EventHandle * event))                                                     \
  X(eventElapsed, "cuEventElapsedTime", (float *milliseconds, EventHandle *from, EventHandle *to))                     \
  X(beginCapture, "cuStreamBeginCapture_v2", (StreamHandle * stream, int mode))                                        \
  X(endCapture, "cuStreamEndCapture", (StreamHandle * stream, GraphHandle **graph))                                    \
  X(graphInstantiate, "cuGraphInstantiateWithFlags",                                                                   \
    (GraphExecHandle * *executable, GraphHandle *graph, unsigned long long flags))                                     \
  X(graphLaunch, "cuGraphLaunch", (GraphExecHandle * executable, StreamHandle *stream))                                \
  X(graphExecDestroy, "cuGraphExecDestroy", (GraphExecHandle * executable))                                            \
  X(graphDestroy, "cuGraphDestroy", (GraphHandle * graph))                                                             \
  X(tensorMapEncodeTiled, "cuTensorMapEncodeTiled",                                                                    \
    (TensorMap * map, int type, unsigned rank, void *address, const uint64_t *extents, const uint64_t *strides,        \
     const unsigned *box, const unsigned *elementStrides, int interleave, int swizzle, int promotion, int fill))

/// The loaded entry points. One per process, never unloaded.
class Driver {
public:
  /// Opens libcuda and initialises it. Fails (Unsupported) with what is missing: no driver library, one that is too
  /// old (names the entry point), no device.
  static Expected<const Driver *> get();

#define K3_CUDA_DECLARE(member, symbol, parameters) Result(*member) parameters = nullptr;
  K3_CUDA_ENTRY_POINTS(K3_CUDA_DECLARE)
#undef K3_CUDA_DECLARE

  /// A failed call as a Status: "what: CUDA_ERROR_X (text)". Out of memory is NoMemory.
  Status check(Result result, const char *what) const;
};

} // namespace k3::cuda

#endif // K3_RUNTIME_CUDA_DRIVER_H
