//===- LayoutAccessTest.cpp - Tiles against shared memory -----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Access.h"
#include "lib/Layout/Named.h"
#include "lib/Layout/Transform.h"
#include "test/unit/LayoutTestUtil.h"

#include <gtest/gtest.h>

using namespace k3;
using namespace k3::layout;

static RegLayout swapped(const Expected<RegLayout> &layout) {
  return *transposed(*layout, std::vector<int32_t>{1, 0});
}

TEST(Compose, ConstantsGiveEveryAddress) {
  std::mt19937 random(11);
  int composed = 0;
  for (int round = 0; round < 150; ++round) {
    RegLayout layout = randomLayout(random, 2, 3, 1, round % 2 == 0);
    int32_t rows = layout.shape()[0], cols = layout.shape()[1];
    for (int64_t padding : {0, 16}) {
      auto shared = rowMajor(rows, cols, 4, int64_t(4) * cols + padding);
      auto map = compose(layout, *shared, {0, 0});
      if (!map.ok())
        continue; // lane bases that mix across a padded stride
      ++composed;
      auto all = addresses(layout, *shared, {0, 0});
      size_t i = 0;
      for (int32_t w = 0; w < layout.numWarps(); ++w)
        for (int32_t l = 0; l < numLanes; ++l)
          for (int32_t r = 0; r < layout.numRegs(); ++r)
            ASSERT_EQ(map->at({r, l, w}), (*all)[i++]);
    }
  }
  EXPECT_GT(composed, 50);
}

TEST(Compose, PaddedRowsOfAnAccumulator) {
  auto map = compose(*acc(96), *rowMajor(64, 96, 4, 400), {0, 0});
  ASSERT_TRUE(map.ok()) << map.status().text();
  EXPECT_EQ(map->lane[4].add, 4 * 400);
  EXPECT_FALSE(compose(*acc(96), *rowMajor(64, 64, 4), {0, 0}).ok());
  EXPECT_EQ(compose(*acc(96), *rowMajor(64, 64, 4), {0, 0}).status().text(),
            "a register tile [64, 96] at [0, 0] is not inside a shared buffer [64, 64]");
}

TEST(MatrixAccess, RegisterAFromSwizzledRows) {
  // The address formula of the GEMM with A in registers.
  auto access = matrixAccess(*wgA(64), *swizzled(128, 64, 64), {0, 0}, false);
  ASSERT_TRUE(access.ok()) << access.status().text();
  ASSERT_EQ(access->instructions, 4);
  size_t i = 0;
  for (int32_t w = 0; w < 4; ++w)
    for (int32_t kk = 0; kk < 4; ++kk)
      for (int32_t l = 0; l < 32; ++l) {
        int32_t row = 16 * w + 8 * (l >> 3 & 1) + (l & 7), chunk = (l >> 4) ^ (l & 7);
        ASSERT_EQ(access->rows[i++], (row * 128 + chunk * 16) ^ 32 * kk);
      }
  BankCount count = bankCount(*access);
  EXPECT_EQ(count.accesses, 16);
  EXPECT_EQ(count.wavefronts, count.ideal);
  BankCount plain = bankCount(*matrixAccess(*wgA(64), *rowMajor(64, 64, 2), {0, 0}, false));
  EXPECT_EQ(plain.wavefronts, 8 * plain.ideal) << "128-byte rows: eight rows in one bank group";
}

TEST(MatrixAccess, KdaValuesTransposed) {
  // [token, v] in memory, `acc 16` as [v, token] in registers.
  auto shared = swizzled(128, 16, 64);
  auto access = matrixAccess(swapped(acc(16)), *shared, {0, 0}, true);
  ASSERT_TRUE(access.ok()) << access.status().text();
  for (int32_t w = 0; w < 4; ++w)
    for (int32_t l = 0; l < 32; ++l) {
      int32_t token = (l & 7) + 8 * (l >> 4 & 1), chunk = 2 * w + (l >> 3 & 1);
      ASSERT_EQ(access->rows[static_cast<size_t>(32 * w + l)], shared->offset({token, 8 * chunk}));
    }
  EXPECT_FALSE(matrixAccess(swapped(acc(16)), *shared, {0, 0}, false).ok());
}

TEST(MatrixAccess, OperandBOfTheProducer) {
  // `bt` reads [token, channel] blocks of z at any channel block.
  auto access = matrixAccess(*bt(), *kdaZ(), {0, 80}, true);
  ASSERT_TRUE(access.ok()) << access.status().text();
  EXPECT_EQ(access->rows[9], kdaZ()->offset({9, 80}));
  EXPECT_EQ(access->rows[16], kdaZ()->offset({0, 88}));
  auto staging = matrixAccess(swapped(mmaC(16)), *outputStaging(), {0, 0}, true);
  EXPECT_TRUE(staging.ok()) << staging.status().text();
}

TEST(MatrixAccess, RefusalNamesLaneAndBytes) {
  auto layout = RegLayout::make(mmaA()->reg(), {{0, 4}, {0, 2}, {1, 0}, {2, 0}, {4, 0}}, {});
  EXPECT_EQ(matrixAccess(*layout, *rowMajor(16, 16, 2), {0, 0}, false).status().text(),
            "lane 1 would access byte 4, the register layout asks for byte 8");
  EXPECT_NE(matrixAccess(*mmaA(), *rowMajor(16, 16, 2, 40), {0, 0}, false)
                .status()
                .text()
                .find("no multiple of 16"),
            std::string::npos);
  EXPECT_FALSE(matrixAccess(*mmaA(), *rowMajor(16, 16, 4), {0, 0}, false).ok());
}

TEST(Banks, CountedByHand) {
  std::vector<int64_t> lanes(32);
  auto fill = [&](int64_t stride) {
    for (size_t l = 0; l < 32; ++l)
      lanes[l] = static_cast<int64_t>(l) * stride;
    return lanes;
  };
  EXPECT_EQ(wavefronts(fill(4), 4), 1);
  EXPECT_EQ(wavefronts(fill(8), 4), 2);
  EXPECT_EQ(wavefronts(fill(128), 4), 32);
  EXPECT_EQ(wavefronts(fill(132), 4), 1);
  EXPECT_EQ(wavefronts(fill(0), 4), 1) << "one word is broadcast";
  EXPECT_EQ(wavefronts(fill(2), 2), 1) << "two lanes share a word";
  EXPECT_EQ(wavefronts(fill(8), 8), 2);
  EXPECT_EQ(wavefronts(fill(16), 16), 4);
  EXPECT_EQ(wavefronts(fill(128), 16), 32);
}

TEST(Banks, KdaDecayIsOneVectorLoad) {
  // The decay of 16 channels of `acc 128`: four registers, one LDS.128, rows broadcast.
  auto decay = reduced(*acc(128), 0);
  ASSERT_TRUE(decay.ok());
  EXPECT_EQ(vectorBytes(*decay, *kdaDecay(), {0}), 16);
  auto count = bankCount(*decay, *kdaDecay(), {0});
  EXPECT_EQ(count->accesses, 8 * 4);
  EXPECT_EQ(count->wavefronts, 8 * 4 * 4);
  EXPECT_EQ(vectorBytes(*decay, *rowMajor(1, 128, 4), {0}), 4) << "another rank";
  EXPECT_EQ(vectorBytes(*rows(8, 7168, 14), *SharedLayout::make(2, {{}}, {{0, 7168, 2}}), {0}), 16);
  EXPECT_FALSE(bankCount(*acc(16), *swizzled(64, 64, 32), {0, 0}, 16).ok());
}
