//===- ArchTest.cpp - CPU levels ------------------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Arch/Cpu.h"

#include <gtest/gtest.h>

using namespace k3::arch;

TEST(Cpu, NamesRoundTrip) {
  ASSERT_EQ(isaNames().size(), 3u);
  for (std::string_view name : isaNames()) {
    ASSERT_TRUE(parseIsa(name));
    EXPECT_EQ(isaName(*parseIsa(name)), name);
  }
  EXPECT_FALSE(parseIsa("x86-64-v5"));
  EXPECT_EQ(isaInfo(Isa::X86_64_V3).f32Lanes, 8u);
  EXPECT_EQ(isaInfo(Isa::X86_64_V3).features.back(), "xsave");
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
TEST(Cpu, AgreesWithTheCompilersOwnCheck) {
  __builtin_cpu_init();
  EXPECT_EQ(hostSupports(Isa::X86_64_V2), __builtin_cpu_supports("x86-64-v2") != 0)
      << missingFeatures(Isa::X86_64_V2);
  EXPECT_EQ(hostSupports(Isa::X86_64_V3), __builtin_cpu_supports("x86-64-v3") != 0)
      << missingFeatures(Isa::X86_64_V3);
  EXPECT_EQ(hostSupports(Isa::X86_64_V4), __builtin_cpu_supports("x86-64-v4") != 0)
      << missingFeatures(Isa::X86_64_V4);
}
#endif
