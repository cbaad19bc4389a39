//===- GpuIsa.h - Instruction sets of a package and of lib/Arch - -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PACKAGE_GPUISA_H
#define K3_PACKAGE_GPUISA_H

#include "lib/Arch/Gpu.h"
#include "lib/Package/Package_generated.h"

#include <string>

namespace k3 {

/// Compute capability times ten: 90 for Sm90a; 0 for instruction sets of CPUs and unknown ones.
int isaNumber(fb::Isa isa);
/// 'a', 'f' or 0: on which devices code of the instruction set runs.
char isaSuffix(fb::Isa isa);
/// "sm_90a".
std::string isaText(fb::Isa isa);

/// The limits of its architecture; NULL where lib/Arch has none.
const arch::GpuInfo *isaLimits(fb::Isa isa);
fb::Isa isaOf(arch::Gpu gpu);

} // namespace k3

#endif // K3_PACKAGE_GPUISA_H
