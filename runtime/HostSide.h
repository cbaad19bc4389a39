//===- HostSide.h - Programs of a GPU package that run on the host *- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A package whose steps are for a GPU may pack its weights and sample on the CPU. Such programs have memory of their
// own here; the engine carries packed weights over.
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_HOSTSIDE_H
#define K3_RUNTIME_HOSTSIDE_H

#include "runtime/Executor.h"
#include "runtime/Host/HostDevice.h"

namespace k3 {

struct HostSide {
  HostSide(const fb::PackageT &package, uint32_t threads)
      : device(threads), buffers(package.buffers.size()), executor(package, device, buffers) {}
  ~HostSide() {
    for (DeviceMemory &buffer : buffers)
      device.release(buffer);
  }

  HostDevice device;
  std::vector<DeviceMemory> buffers; // by number in Package.buffers; none for state
  Executor executor;
};

} // namespace k3

#endif // K3_RUNTIME_HOSTSIDE_H
