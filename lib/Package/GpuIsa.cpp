//===- GpuIsa.cpp - Instruction sets of a package and of lib/Arch -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Package/GpuIsa.h"

using namespace k3;

// The numbers of the schema: the capability itself, or ten times it plus 0 for "a" and 1 for "f".
int k3::isaNumber(fb::Isa isa) {
  int number = static_cast<int>(isa);
  return number < 80 ? 0 : number < 900 ? number : number / 10;
}

char k3::isaSuffix(fb::Isa isa) {
  int number = static_cast<int>(isa);
  return number < 900 ? 0 : number % 10 == 1 ? 'f' : 'a';
}

std::string k3::isaText(fb::Isa isa) {
  if (!isaNumber(isa))
    return fb::EnumNameIsa(isa);
  std::string text = "sm_" + std::to_string(isaNumber(isa));
  return isaSuffix(isa) ? text + isaSuffix(isa) : text;
}

const arch::GpuInfo *k3::isaLimits(fb::Isa isa) {
  std::string name = isaText(isa == fb::Isa::Sm100f ? fb::Isa::Sm100a : isa);
  for (const arch::GpuInfo &info : arch::gpus())
    if (info.name == name)
      return &info;
  return nullptr;
}

fb::Isa k3::isaOf(arch::Gpu gpu) {
  switch (gpu) {
  case arch::Gpu::Sm80:
    return fb::Isa::Sm80;
  case arch::Gpu::Sm86:
    return fb::Isa::Sm86;
  case arch::Gpu::Sm89:
    return fb::Isa::Sm89;
  case arch::Gpu::Sm90a:
    return fb::Isa::Sm90a;
  case arch::Gpu::Sm100a:
    return fb::Isa::Sm100a;
  case arch::Gpu::Sm103a:
    return fb::Isa::Sm103a;
  case arch::Gpu::Sm120a:
    return fb::Isa::Sm120a;
  }
  return fb::Isa::Sm90a;
}
