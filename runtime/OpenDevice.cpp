//===- OpenDevice.cpp - The device that a package runs on -----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/OpenDevice.h"

#include "lib/Package/GpuIsa.h"
#include "runtime/Cuda/CudaDevice.h"
#include "runtime/Host/HostDevice.h"

#include <charconv>

using namespace k3;

Expected<std::unique_ptr<Device>> k3::openDevice(const std::string &name, const ModelPackage &package,
                                                 uint32_t threads) {
  const fb::TargetT &target = *package.get().targets[package.runTarget()];
  bool forGpu = isaNumber(target.isa) != 0;
  std::string what = "the package is for target '" + target.name + "' (" + isaText(target.isa) + ")";
  if (name.empty() ? !forGpu : name == "host") {
    if (forGpu)
      return unsupported("device 'host': " + what + "; run it on a GPU, or compile with --target=host");
    return std::unique_ptr<Device>(std::make_unique<HostDevice>(threads));
  }
  int ordinal = 0;
  std::string_view rest = name.empty() ? std::string_view("cuda") : std::string_view(name);
  bool known = rest.starts_with("cuda");
  rest.remove_prefix(known ? 4 : 0);
  if (known && rest.starts_with(":")) {
    rest.remove_prefix(1);
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), ordinal);
    known = error == std::errc() && end == rest.data() + rest.size() && ordinal >= 0;
  } else {
    known &= rest.empty();
  }
  if (!known)
    return badUsage("device '" + name + "': expected host, cuda or cuda:N");
  if (!forGpu)
    return unsupported("device '" + name + "': " + what + "; compile with a GPU as --target");
  auto device = CudaDevice::open(ordinal);
  if (!device)
    return device.takeStatus().withContext(what);
  return std::unique_ptr<Device>(std::move(*device));
}
