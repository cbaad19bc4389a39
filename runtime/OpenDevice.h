//===- OpenDevice.h - The device that a package runs on ---------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_OPENDEVICE_H
#define K3_RUNTIME_OPENDEVICE_H

#include "runtime/Device.h"
#include "runtime/ModelPackage.h"

namespace k3 {

/// The device `name`: "host" (of `threads` threads, 0: one per CPU), "cuda" or "cuda:N". Empty: what the target of the
/// package's steps and graphs needs. Errors: an unknown name (BadUsage), a device that runs none of the package's
/// code, no driver, no such GPU.
Expected<std::unique_ptr<Device>> openDevice(const std::string &name, const ModelPackage &package, uint32_t threads);

} // namespace k3

#endif // K3_RUNTIME_OPENDEVICE_H
