//===- Driver.cpp - The CUDA driver, loaded at run time -------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Cuda/Driver.h"

#include <dlfcn.h>

namespace k3::cuda {

static Status load(Driver &driver) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return unsupported("the CUDA driver library libcuda.so.1 cannot be opened; install an NVIDIA driver, or use the host target");
#define K3_CUDA_RESOLVE(member, symbol, parameters)                                                                    \
  driver.member = reinterpret_cast<Result(*) parameters>(dlsym(library, symbol));                                      \
  if (!driver.member)                                                                                                  \
    return unsupported("libcuda.so.1 has no " symbol "; this runtime needs a driver for CUDA 12.0 or newer");
  K3_CUDA_ENTRY_POINTS(K3_CUDA_RESOLVE)
#undef K3_CUDA_RESOLVE
  K3_TRY(driver.check(driver.init(0), "initialising the CUDA driver"));
  int count = 0;
  K3_TRY(driver.check(driver.deviceGetCount(&count), "counting CUDA devices"));
  if (count == 0)
    return unsupported("the CUDA driver sees no device; check nvidia-smi and CUDA_VISIBLE_DEVICES");
  return Status::success();
}

Expected<const Driver *> Driver::get() {
  static Driver driver;
  static const Status loaded = load(driver);
  if (!loaded.ok())
    return loaded;
  return &driver;
}

Status Driver::check(Result result, const char *what) const {
  if (result == 0)
    return Status::success();
  const char *name = nullptr, *text = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &text);
  std::string message = std::string(what) + ": " + (name ? name : "CUDA error " + std::to_string(result)) + " (" +
                        (text ? text : "no description") + ")";
  constexpr Result outOfMemory = 2;
  return {result == outOfMemory ? Code::NoMemory : Code::Internal, std::move(message)};
}

} // namespace k3::cuda
