//===- LayoutTextTest.cpp - Layouts as text; operands of register products -===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Mma.h"
#include "lib/Layout/Named.h"
#include "lib/Layout/Text.h"
#include "lib/Layout/Transform.h"
#include "test/unit/LayoutTestUtil.h"

#include <gtest/gtest.h>

using namespace k3;
using namespace k3::layout;

TEST(LayoutText, NamesPrintAsNames) {
  EXPECT_EQ(print(*acc(128)), "acc 128");
  EXPECT_EQ(print(*acc(192)), "acc 192");
  EXPECT_EQ(print(*wgA(64)), "acc 64") << "the same layout";
  EXPECT_EQ(print(*mmaC()), "mma_c 8");
  EXPECT_EQ(print(*mmaB()), "mma_b 16");
  EXPECT_EQ(print(*mmaA(32, 8)), "mma_a8 32");
  EXPECT_EQ(print(*bt()), "bt");
  EXPECT_EQ(print(*mxA(6)), "mx_a 6");
  EXPECT_EQ(print(*rows(8, 7168, 14)), "rows 8 7168 14");
  EXPECT_EQ(print(*swizzled(128, 64, 128)), "sw128 64 128 2");
  EXPECT_EQ(print(*kdaDecay()), "decay");
  EXPECT_EQ(print(*mxScales(96)), "mx_scales 96");
}

TEST(LayoutText, BasesPrintWithRepeats) {
  EXPECT_EQ(printBases(*acc(96)),
            "reg [[0, 1], [8, 0], [0, 8], [0, 16]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] "
            "warp [[16, 0], [32, 0]] repeat [reg 3 on 1]");
  EXPECT_EQ(print(*reduced(*rows(8, 7168, 14), 0)),
            "lane [[], [], [], [], []] warp [[]] repeat [warp 7 on *]");
  EXPECT_EQ(printBases(*mxScales(3)),
            "bytes 4 bases [[], [8, 16, 32], [4]] repeat [3 on 0 by 1088] base 1024");
}

TEST(LayoutText, EverythingParsesBack) {
  std::mt19937 random(31);
  for (int round = 0; round < 200; ++round) {
    RegLayout layout = randomLayout(random, 1 + round % 3);
    auto again = parseRegLayout(print(layout));
    ASSERT_TRUE(again.ok()) << print(layout) << ": " << again.status().text();
    ASSERT_EQ(*again, layout);
  }
  for (const auto &layout : {acc(96), mmaA(8), mmaB(64), mxB(3), rows(4, 896, 7), reduced(*acc(64), 1)}) {
    EXPECT_EQ(*parseRegLayout(print(*layout)), *layout);
    EXPECT_EQ(*parseRegLayout(printBases(*layout)), *layout);
  }
  for (const auto &layout :
       {swizzled(64, 24, 96), core8x8(16, 48), kdaKq(), kdaDecay(), mxCodes(5), mxScales(3),
        rowMajor(12, 96, 2, 208), outputStaging(), swizzled(128, 32, 128, 2, 5120)}) {
    ASSERT_TRUE(layout.ok()) << layout.status().text();
    EXPECT_EQ(*parseSharedLayout(print(*layout)), *layout) << print(*layout);
    EXPECT_EQ(*parseSharedLayout(printBases(*layout)), *layout);
  }
  EXPECT_EQ(*parseSharedLayout("sw128 32 128 2 5120"), *swizzled(128, 32, 128, 2, 5120));
}

TEST(LayoutText, ErrorsSayWhatIsExpected) {
  EXPECT_EQ(parseRegLayout("acc").status().text(),
            "layout 'acc': expected 1 numbers after 'acc', not 0, at ''");
  EXPECT_EQ(parseRegLayout("acc 12").status().text(), "acc: n = 12, must be a multiple of 8 up to 256");
  EXPECT_NE(parseRegLayout("mma_d 8").status().text().find("(did you mean 'mma_"), std::string::npos)
      << parseRegLayout("mma_d 8").status().text();
  EXPECT_EQ(parseRegLayout("reg [[1]] warp [[2]]").status().text(),
            "layout 'reg [[1]] warp [[2]]': expected 'lane' at 'warp [[2]]'");
  EXPECT_FALSE(parseRegLayout("lane [[1],[2],[4],[8],[16]] more").ok());
  EXPECT_FALSE(parseRegLayout("lane [[1],[2],[4],[8],[99999999999]]").ok());
  EXPECT_FALSE(parseSharedLayout("bytes 2 bases [[2,4").ok());
  EXPECT_FALSE(parseSharedLayout("bytes 2").ok());
  EXPECT_FALSE(parseSharedLayout("").ok());
}

TEST(Mma, InstructionLayoutsAgree) {
  EXPECT_TRUE(checkMma(*mmaA(), *mmaB(), *mmaC(), 16).ok()) << checkMma(*mmaA(), *mmaB(), *mmaC(), 16).text();
  EXPECT_TRUE(checkMma(*mmaA(32, 8), *mmaB(32, 8), *mmaC(), 8).ok());
  EXPECT_TRUE(checkMma(*mmaA(64), *mmaB(64), *mmaC(), 16).ok());
  // Two n8 tiles.
  auto wide = concat(*mmaB(), 0, 2);
  EXPECT_TRUE(checkMma(*mmaA(), *wide, *mmaC(16), 16).ok());
}

TEST(Mma, AnyOrderOfKThatBothShare) {
  auto c = RegLayout::make({{0, 1}, {8, 0}, {16, 0}}, mmaC()->lane(), {});
  EXPECT_TRUE(checkMma(*mxA(), *mxB(), *c, 16).ok()) << checkMma(*mxA(), *mxB(), *c, 16).text();
  EXPECT_EQ(checkMma(*mmaA(32), *mxB(), *mmaC(), 16).text(),
            "mma: k-slot 0 (lane bit 0) is 2 in A and 8 in B");
  auto otherPairs = RegLayout::make({{0, 8}, {0, 1}}, mmaB()->lane(), {});
  EXPECT_NE(checkMma(*mmaA(), *otherPairs, *mmaC(), 16).text().find("different k in A and B from element 1"),
            std::string::npos);
}

TEST(Mma, RefusesOtherRows) {
  EXPECT_FALSE(checkMma(*mmaA(), *mmaB(32), *mmaC(), 16).ok());
  EXPECT_FALSE(checkMma(*mmaA(), *mmaB(), *RegLayout::make({{8, 0}, {0, 1}}, mmaC()->lane(), {}), 16).ok());
  EXPECT_FALSE(checkMma(*bt(), *concat(*mmaB(), 0, 1), *mmaC(), 16).ok()) << "bt is [k, n]";
  EXPECT_FALSE(checkMma(*acc(16), *mmaB(), *mmaC(), 16).ok()) << "a team of four warps against one";
}
