//===- PackageBuilder.cpp - A lowered module as a package -----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Pipeline/PackageBuilder.h"

#include "lib/Package/GridAbi.h"
#include "lib/Support/Hash.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace k3 {

static fb::Isa isaOf(llvm::StringRef name) {
  return llvm::StringSwitch<fb::Isa>(name)
      .Case("x86-64-v2", fb::Isa::X86_64_v2)
      .Case("x86-64-v4", fb::Isa::X86_64_v4)
      .Default(fb::Isa::X86_64_v3);
}

/// The host object as image 0 and the target that it makes.
static void addHost(fb::PackageT &package, const std::vector<char> &hostObject, const std::string &isa) {
  fb::HostObjectT object;
  object.elf.assign(hostObject.begin(), hostObject.end());
  object.isa = isaOf(isa);
  object.needs = {"libm.so.6", "libc.so.6"};
  object.grid_abi = K3_GRID_ABI;
  auto image = std::make_unique<fb::ImageT>();
  image->hash = hash64(hostObject.data(), hostObject.size());
  image->code.Set(std::move(object));
  package.images.push_back(std::move(image));

  auto target = std::make_unique<fb::TargetT>();
  target->name = "host";
  target->isa = isaOf(isa);
  target->images = {0};
  package.targets.push_back(std::move(target));
}

Expected<fb::PackageT> buildPackage(ModuleOp module, const std::vector<char> &hostObject, const std::string &isa,
                                    const exec::GpuCode *gpu) {
  K3_ASSIGN(fb::PackageT package, describeModel(module));
  package.producer = "k3-compile " K3_VERSION;
  if (!hostObject.empty())
    addHost(package, hostObject, isa);
  if (failed(exec::addPrograms(module, package, /*image=*/0, gpu)))
    return internalError("the programs cannot be written as a package");
  return package;
}

} // namespace k3
