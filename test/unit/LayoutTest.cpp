//===- LayoutTest.cpp - Register and shared layouts, their algebra --------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Gf2.h"
#include "lib/Layout/Named.h"
#include "lib/Layout/Transform.h"
#include "test/unit/LayoutTestUtil.h"

#include <gtest/gtest.h>
#include <map>

using namespace k3;
using namespace k3::layout;

TEST(Gf2, InverseAndRank) {
  std::vector<uint32_t> columns = {0b011, 0b110, 0b100};
  auto inverse = gf2::inverse(columns);
  ASSERT_TRUE(inverse);
  for (uint32_t i = 0; i < 8; ++i)
    EXPECT_EQ(gf2::apply(*inverse, gf2::apply(columns, i)), i);
  EXPECT_EQ(gf2::rank(columns), 3u);
  columns = {0b011, 0b110, 0b101};
  EXPECT_FALSE(gf2::inverse(columns));
  EXPECT_EQ(gf2::rank(columns), 2u);
}

TEST(RegLayout, EveryElementIsHeldEquallyOften) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    RegLayout layout = randomLayout(random, 1 + round % 3);
    std::map<int32_t, int32_t> holders;
    for (int32_t element : layout.table())
      ++holders[element];
    ASSERT_EQ(static_cast<int64_t>(holders.size()), layout.numElements());
    ASSERT_EQ(holders.begin()->first, 0);
    for (auto [element, count] : holders)
      ASSERT_EQ(count, layout.replication());
  }
}

TEST(RegLayout, LocateIsTheSmallestHolder) {
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    RegLayout layout = randomLayout(random, 2);
    std::vector<Place> first(static_cast<size_t>(layout.numElements()), Place{-1, 0, 0});
    for (int32_t w = layout.numWarps(); w-- > 0;)
      for (int32_t l = numLanes; l-- > 0;)
        for (int32_t r = layout.numRegs(); r-- > 0;)
          first[static_cast<size_t>(linearIndex(layout.apply({r, l, w}), layout.shape()))] = {r, l, w};
    for (size_t i = 0; i < first.size(); ++i)
      ASSERT_EQ(layout.locate(coordOf(static_cast<int64_t>(i), layout.shape())), first[i]);
  }
}

TEST(RegLayout, WrittenDifferentlyIsEqual) {
  auto core =
      RegLayout::make({{1}, {2}, {4}, {256}}, {{8}, {16}, {32}, {64}, {128}}, {{512}}, {{Owner::Warp, 7, 0}});
  ASSERT_TRUE(core.ok()) << core.status().text();
  EXPECT_EQ(*rows(8, 7168, 14), *core);
  EXPECT_EQ(core->shape(), Coord{7168});
  EXPECT_EQ(core->numRegs(), 16);
  EXPECT_EQ(core->numWarps(), 14);
  // Register repeat 256 apart, warp repeat 512.
  EXPECT_EQ(core->apply({8, 0, 0}), Coord{256});
  EXPECT_EQ(core->apply({3, 5, 13}), Coord{13 * 512 + 5 * 8 + 3});
}

TEST(RegLayout, RefusesWhatIsNoLayout) {
  std::vector<Coord> lane = {{1}, {2}, {4}, {8}, {16}};
  EXPECT_EQ(RegLayout::make({}, {{1}}, {}).status().text(), "register layout: 1 lane bases, a warp has 5");
  EXPECT_NE(RegLayout::make({{0}}, lane, {}).status().text().find("a register basis is zero"),
            std::string::npos);
  EXPECT_NE(RegLayout::make({{3}}, lane, {}).status().text().find("linearly dependent"), std::string::npos);
  EXPECT_NE(RegLayout::make({{64}}, lane, {}).status().text().find("do not cover the core [128]"),
            std::string::npos);
  EXPECT_NE(RegLayout::make({{1, 0}}, lane, {}).status().text().find("another rank"), std::string::npos);
  EXPECT_FALSE(RegLayout::make({}, lane, {}, {{Owner::Register, 2, Repeat::replicate}}).ok());
}

TEST(Named, AccumulatorIsRegisterA) {
  for (int32_t k : {16, 32, 48, 64, 96, 128, 192, 256})
    EXPECT_EQ(*acc(k), *wgA(k)) << k;
  EXPECT_EQ(*mmaC(16), *mmaA(16)) << "two n8 accumulators are one A fragment";
  auto acc96 = acc(96);
  EXPECT_EQ(acc96->core(), (Coord{64, 32}));
  EXPECT_EQ(acc96->repeats(), (std::vector<Repeat>{{Owner::Register, 3, 1}}));
  EXPECT_EQ(acc96->numRegs(), 48);
  EXPECT_FALSE(acc(12).ok());
  EXPECT_FALSE(rows(8, 7168, 13).ok());
}

TEST(Named, PackingRule) {
  EXPECT_TRUE(mmaA(16)->packsAlong(1, 16));
  EXPECT_FALSE(mmaA(16)->packsAlong(1, 8));
  EXPECT_TRUE(mmaA(32, 8)->packsAlong(1, 8));
  EXPECT_TRUE(bt()->packsAlong(0, 16));
  EXPECT_FALSE(bt()->packsAlong(1, 16));
  EXPECT_TRUE(mxB()->packsAlong(1, 8)) << "sixteen contiguous bytes";
  EXPECT_TRUE(bt()->packsAlong(1, 32));
}

TEST(Relabel, KdaKMinusIsAnOperandB) {
  // G [token, channel] of an accumulator, read as B = [n = token, k = channel] of two n8 tiles.
  auto b = RegLayout::make({{0, 1}, {0, 8}, {8, 0}}, mmaB()->lane(), {});
  auto map = relabel(*mmaC(16), *b);
  ASSERT_TRUE(map);
  EXPECT_EQ(*map, (std::vector<int32_t>{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_FALSE(relabel(*mmaC(16), *bt()));
}

TEST(Relabel, FindsEveryPermutationOfRegisters) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    RegLayout from = randomLayout(random, 2, 4, 1, false);
    std::vector<Coord> reg = from.reg();
    std::shuffle(reg.begin(), reg.end(), random);
    RegLayout to = *RegLayout::make(reg, from.lane(), from.warp());
    auto map = relabel(from, to);
    ASSERT_TRUE(map);
    for (int32_t r = 0; r < to.numRegs(); ++r)
      ASSERT_EQ(from.apply({(*map)[static_cast<size_t>(r)], 7, 1}), to.apply({r, 7, 1}));
  }
}

TEST(Transform, RowSumsOfAnAccumulator) {
  auto sums = reduced(*acc(128), 1);
  ASSERT_TRUE(sums.ok()) << sums.status().text();
  EXPECT_EQ(*sums, *RegLayout::make({{8}}, {{0}, {0}, {1}, {2}, {4}}, {{16}, {32}}));
  EXPECT_EQ(sums->replication(), 4);
  EXPECT_EQ(sums->replicatedLanes(), 3u);
  auto all = reduced(*rows(8, 7168, 14), 0);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->replication(), 32 * 14);
  EXPECT_EQ(all->numRegs(), 1);
}

TEST(Transform, HalvesOfTwoFragmentsMakeOne) {
  auto upper = slice(*mmaA(), 0, 8, 8);
  ASSERT_TRUE(upper.ok()) << upper.status().text();
  EXPECT_EQ(upper->layout, *mmaB());
  EXPECT_EQ(upper->regs, (std::vector<int32_t>{2, 3, 6, 7}));
  auto both = concat(upper->layout, 0, 2);
  ASSERT_TRUE(both.ok());
  EXPECT_TRUE(relabel(*both, *mmaA()));
}

TEST(Transform, SliceOfRepeats) {
  auto middle = slice(*acc(192), 1, 64, 64);
  ASSERT_TRUE(middle.ok()) << middle.status().text();
  EXPECT_EQ(middle->layout, *acc(64));
  EXPECT_EQ(middle->regs.front(), 32);
  EXPECT_EQ(slice(*acc(192), 1, 96, 32)->layout, *acc(32));
  EXPECT_EQ(slice(*acc(224), 1, 112, 56)->layout, *acc(56)) << "a part cuts through the core of 32";
  EXPECT_EQ(slice(*acc(96), 1, 72, 24)->layout, *acc(24));
  EXPECT_FALSE(slice(*acc(128), 0, 32, 32).ok()) << "rows 32.. belong to other warps";
  EXPECT_FALSE(slice(*acc(128), 1, 4, 4).ok()) << "columns 4..7 belong to other lanes";
  EXPECT_FALSE(slice(*acc(128), 1, 8, 16).ok());
  EXPECT_EQ(*concat(*acc(64), 1, 3), *acc(192));
}

TEST(Transform, TransposedTwiceIsTheSame) {
  std::mt19937 random(4);
  for (int round = 0; round < 50; ++round) {
    RegLayout layout = randomLayout(random, 3);
    std::vector<int32_t> order = {1, 2, 0}, back = {2, 0, 1};
    auto there = transposed(layout, order);
    ASSERT_TRUE(there.ok());
    Coord from = layout.apply({0, 9, 0}), to = there->apply({0, 9, 0});
    ASSERT_EQ(to, (Coord{from[1], from[2], from[0]}));
    ASSERT_EQ(*transposed(*there, back), layout);
  }
}

TEST(Transform, ReductionHoldsTheRightRows) {
  std::mt19937 random(5);
  int reducible = 0;
  for (int round = 0; round < 200; ++round) {
    RegLayout layout = randomLayout(random, 2);
    auto sums = reduced(layout, 1);
    if (!sums.ok())
      continue; // a basis mixes rows and columns
    ++reducible;
    ASSERT_EQ(sums->shape()[0], layout.shape()[0]);
    // Every element of a lane belongs to a row that the lane's result has.
    for (int32_t l = 0; l < numLanes; ++l)
      for (int32_t r = 0; r < layout.numRegs(); ++r) {
        int32_t row = layout.apply({r, l, 0})[0];
        bool found = false;
        for (int32_t s = 0; s < sums->numRegs(); ++s)
          found |= sums->apply({s, l, 0})[0] == row;
        ASSERT_TRUE(found) << "lane " << l << " row " << row;
      }
  }
  EXPECT_GT(reducible, 10);
}

TEST(SharedLayout, SwizzleFormula) {
  for (int32_t span : {128, 64, 32}) {
    auto layout = swizzled(span, 24, span); // two panels of 16-bit elements, 3 atoms of rows
    ASSERT_TRUE(layout.ok()) << layout.status().text();
    EXPECT_EQ(layout->shape(), (Coord{24, span}));
    EXPECT_EQ(layout->sizeBytes(), 24 * span * 2);
    for (int32_t row = 0; row < 24; ++row)
      for (int32_t col = 0; col < span; ++col) {
        int64_t plain = int64_t(col * 2 / span) * 24 * span + int64_t(row) * span + col * 2 % span;
        int64_t chunks = span / 16;
        EXPECT_EQ(layout->offset({row, col}), plain ^ ((plain >> 7) % chunks << 4)) << row << ' ' << col;
      }
  }
}

TEST(SharedLayout, NamedBases) {
  EXPECT_EQ(swizzled(128, 64, 64)->bases(),
            (std::vector<std::vector<int32_t>>{{128 ^ 16, 256 ^ 32, 512 ^ 64, 1024, 2048, 4096},
                                               {2, 4, 8, 16, 32, 64}}));
  EXPECT_EQ(kdaKq()->bases()[1].back(), 4096);
  EXPECT_EQ(kdaZ()->bases()[1].back(), 2048);
  EXPECT_EQ(core8x8(16, 16)->bases(), (std::vector<std::vector<int32_t>>{{16, 32, 64, 256}, {2, 4, 8, 128}}));
  EXPECT_EQ(mxScales(3)->offset({2, 5, 1}), 2 * 1088 + 1024 + 5 * 8 + 4);
  EXPECT_EQ(mxCodes(3)->offset({2, 1, 17, 3}), 2 * 1088 + 512 + 17 * 16 + 12);
  EXPECT_EQ(mxCodes(3)->sizeBytes(), 2 * 1088 + 1024);
  // A padded row stays additive.
  auto padded = rowMajor(4, 96, 2, 208);
  EXPECT_EQ(padded->offset({3, 95}), 3 * 208 + 190);
  EXPECT_EQ(*rowMajor(8, 64, 2), *SharedLayout::make(2, {{128, 256, 512}, {2, 4, 8, 16, 32, 64}}));
}

TEST(SharedLayout, RefusesOverlap) {
  EXPECT_NE(SharedLayout::make(2, {{2, 2}}).status().text().find("two elements would lie at byte"),
            std::string::npos);
  EXPECT_NE(SharedLayout::make(4, {{2}}).status().text().find("an element of 4 B would lie at byte 2"),
            std::string::npos);
  EXPECT_FALSE(rowMajor(4, 96, 2, 190).ok());
}
