//===- Cpu.cpp - CPU levels that host objects are built for ---------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Arch/Cpu.h"

#include <array>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

using namespace k3;
using namespace k3::arch;

namespace {

/// Where cpuid tells of a feature, and which register state the operating system must save for it (XCR0).
struct Feature {
  enum Register : uint8_t { Ebx, Ecx, Edx };
  uint32_t leaf;
  Register reg;
  uint8_t bit;
  uint8_t xcr0;
};

constexpr uint8_t noState = 0, avxState = 0x06, avx512State = 0xE6;

} // namespace

// In order of level: the features of a level are a prefix of those of the next. Leaves 1, 7 and 0x80000001 of
// the processor manuals.
static constexpr std::string_view featureNames[] = {
    // x86-64-v2
    "cx16", "sahf", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2",
    // x86-64-v3
    "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave",
    // x86-64-v4
    "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"};
[[maybe_unused]] static constexpr Feature features[] = {
    {1, Feature::Ecx, 13, noState},
    {0x80000001, Feature::Ecx, 0, noState},
    {1, Feature::Ecx, 23, noState},
    {1, Feature::Ecx, 0, noState},
    {1, Feature::Ecx, 9, noState},
    {1, Feature::Ecx, 19, noState},
    {1, Feature::Ecx, 20, noState},
    {1, Feature::Ecx, 28, avxState},
    {7, Feature::Ebx, 5, avxState},
    {7, Feature::Ebx, 3, noState},
    {7, Feature::Ebx, 8, noState},
    {1, Feature::Ecx, 29, avxState},
    {1, Feature::Ecx, 12, avxState},
    {0x80000001, Feature::Ecx, 5, noState},
    {1, Feature::Ecx, 22, noState},
    {1, Feature::Ecx, 27, noState}, // osxsave: enabled by the operating system
    {7, Feature::Ebx, 16, avx512State},
    {7, Feature::Ebx, 30, avx512State},
    {7, Feature::Ebx, 28, avx512State},
    {7, Feature::Ebx, 17, avx512State},
    {7, Feature::Ebx, 31, avx512State}};
static_assert(std::size(features) == std::size(featureNames));

static constexpr IsaInfo levels[] = {
    {Isa::X86_64_V2, "x86-64-v2", 4, std::span(featureNames).first(7)},
    {Isa::X86_64_V3, "x86-64-v3", 8, std::span(featureNames).first(16)},
    {Isa::X86_64_V4, "x86-64-v4", 16, std::span(featureNames)},
};
static constexpr std::string_view levelNames[] = {levels[0].name, levels[1].name, levels[2].name};

const IsaInfo &arch::isaInfo(Isa isa) { return levels[static_cast<size_t>(isa)]; }

std::string_view arch::isaName(Isa isa) { return isaInfo(isa).name; }

std::optional<Isa> arch::parseIsa(std::string_view name) {
  for (const IsaInfo &level : levels)
    if (level.name == name)
      return level.isa;
  return std::nullopt;
}

std::span<const std::string_view> arch::isaNames() { return levelNames; }

#if defined(__x86_64__)
/// The low half of XCR0: which register state the operating system saves. Read only where osxsave is set.
static uint32_t savedState() {
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

static bool hostHas(const Feature &feature) {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid_count(feature.leaf, 0, &eax, &ebx, &ecx, &edx))
    return false;
  std::array<uint32_t, 3> registers = {ebx, ecx, edx};
  if (!(registers[feature.reg] >> feature.bit & 1))
    return false;
  if (feature.xcr0 == noState)
    return true;
  bool osxsave = __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx >> 27 & 1);
  return osxsave && (savedState() & feature.xcr0) == feature.xcr0;
}
#endif

std::string arch::missingFeatures(Isa isa) {
#if defined(__x86_64__)
  std::string missing;
  for (size_t i = 0; i < isaInfo(isa).features.size(); ++i)
    if (!hostHas(features[i]))
      missing += (missing.empty() ? "" : ", ") + std::string(featureNames[i]);
  return missing;
#else
  return "x86-64";
#endif
}
