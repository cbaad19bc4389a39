//===- Cpu.h - CPU levels that host objects are built for -------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The x86-64 levels (psABI "microarchitecture levels") that a host object may be built for, and whether this
// machine runs them.
//
//===----------------------------------------------------------------------===//

#ifndef K3_ARCH_CPU_H
#define K3_ARCH_CPU_H

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace k3::arch {

enum class Isa { X86_64_V2, X86_64_V3, X86_64_V4 };

struct IsaInfo {
  Isa isa;
  std::string_view name; ///< As compilers (-march) and the package spell it: "x86-64-v3".
  unsigned f32Lanes;     ///< float elements of one vector register.
  /// CPU features beyond plain x86-64, spelled as LLVM does; those of lower levels included.
  std::span<const std::string_view> features;
};

const IsaInfo &isaInfo(Isa isa);
std::string_view isaName(Isa isa);

/// None where the name is unknown.
std::optional<Isa> parseIsa(std::string_view name);

/// All names, for messages.
std::span<const std::string_view> isaNames();

/// Features of the level that this machine (CPU and operating system) lacks, separated by ", "; empty if it
/// runs.
std::string missingFeatures(Isa isa);

/// Whether objects of that level run on this machine.
inline bool hostSupports(Isa isa) { return missingFeatures(isa).empty(); }

} // namespace k3::arch

#endif // K3_ARCH_CPU_H
