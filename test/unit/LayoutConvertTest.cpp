//===- LayoutConvertTest.cpp - Conversions between register layouts, executed -===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Access.h"
#include "lib/Layout/Convert.h"
#include "lib/Layout/Named.h"
#include "lib/Layout/Transform.h"
#include "test/unit/LayoutTestUtil.h"

#include <gtest/gtest.h>

using namespace k3;
using namespace k3::layout;

/// Runs the rounds on element numbers as a warp would: every lane sends, then every lane stores.
static std::vector<int32_t> execute(const Conversion &plan, const RegLayout &from, const RegLayout &to) {
  size_t fromRegs = static_cast<size_t>(from.numRegs()), toRegs = static_cast<size_t>(to.numRegs());
  size_t unit = static_cast<size_t>(plan.unit);
  std::vector<int32_t> source = from.table(), result(to.table().size(), -1);
  for (size_t w = 0; w < static_cast<size_t>(to.numWarps()); ++w)
    for (const ShuffleRound &round : plan.rounds)
      for (size_t l = 0; l < numLanes; ++l) {
        if (round.receive[l] < 0)
          continue;
        size_t peer = static_cast<size_t>(round.source[l]);
        for (size_t e = 0; e < unit; ++e)
          result[(w * numLanes + l) * toRegs + static_cast<size_t>(round.receive[l]) * unit + e] =
              source[(w * numLanes + peer) * fromRegs + static_cast<size_t>(round.send[peer]) * unit + e];
      }
  return result;
}

TEST(Convert, NoneAndRelabel) {
  EXPECT_EQ(planConversion(*acc(64), *wgA(64), 16)->via, Via::None);
  auto reg = mmaA()->reg();
  std::swap(reg[1], reg[2]);
  auto to = RegLayout::make(reg, mmaA()->lane(), {});
  auto plan = planConversion(*mmaA(), *to, 16);
  EXPECT_EQ(plan->via, Via::Relabel);
  EXPECT_EQ(plan->regs, (std::vector<int32_t>{0, 1, 4, 5, 2, 3, 6, 7}));
}

TEST(Convert, RandomLayoutsOfOneWarp) {
  std::mt19937 random(21);
  int shuffled = 0;
  for (int round = 0; round < 300; ++round) {
    RegLayout from = randomLayout(random, 2, 3, 0, false);
    // The same core with other bases: shuffle registers and lanes, add one basis to another.
    std::vector<Coord> all = from.reg();
    all.insert(all.end(), from.lane().begin(), from.lane().end());
    std::shuffle(all.begin(), all.end(), random);
    size_t regs = from.reg().size();
    auto to = RegLayout::make({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(regs)},
                              {all.begin() + static_cast<std::ptrdiff_t>(regs), all.end()}, {});
    if (!to.ok())
      continue; // a zero basis came to the registers
    auto plan = planConversion(from, *to, 32);
    ASSERT_TRUE(plan.ok());
    if (plan->via != Via::Shuffle)
      continue;
    ++shuffled;
    ASSERT_EQ(execute(*plan, from, *to), to->table());
    if (from.replication() == 1) {
      ASSERT_LE(plan->shuffles(), to->numRegs()) << "no more rounds than a lane has registers";
    }
  }
  EXPECT_GT(shuffled, 100);
}

TEST(Convert, SwapOfARegisterAndALaneIsOneExchange) {
  auto from = RegLayout::make({{1}}, {{2}, {4}, {8}, {16}, {32}}, {});
  auto to = RegLayout::make({{2}}, {{1}, {4}, {8}, {16}, {32}}, {});
  auto plan = planConversion(*from, *to, 32);
  ASSERT_EQ(plan->via, Via::Shuffle);
  EXPECT_EQ(plan->rounds.back().laneXor(), 1);
  EXPECT_EQ(plan->shuffles(), 1) << "each lane keeps one of its two registers";
  EXPECT_EQ(execute(*plan, *from, *to), to->table());
}

TEST(Convert, PackedPairsTravelTogether) {
  // Fragment A to rows of eight contiguous elements: 16-bit pairs are kept.
  auto to = RegLayout::make({{0, 1}, {0, 2}, {0, 4}}, {{0, 8}, {1, 0}, {2, 0}, {4, 0}, {8, 0}}, {});
  auto plan = planConversion(*mmaA(), *to, 16);
  ASSERT_EQ(plan->via, Via::Shuffle);
  EXPECT_EQ(plan->unit, 2);
  EXPECT_LE(plan->shuffles(), 4);
  EXPECT_EQ(execute(*plan, *mmaA(), *to), to->table());
  EXPECT_EQ(planConversion(*mmaA(), *bt(), 16)->unit, 1) << "bt pairs along the other dimension";
}

TEST(Convert, ReplicasAreReadInPlace) {
  // Row sums of an accumulator are in four lanes; a layout with one holder needs no shuffle.
  auto sums = reduced(*mmaC(8), 1);
  auto wide = RegLayout::make({}, {{8}, {0}, {1}, {2}, {4}}, {});
  auto plan = planConversion(*sums, *wide, 32);
  ASSERT_EQ(plan->via, Via::Shuffle);
  EXPECT_EQ(plan->shuffles(), 0) << "a select by lane";
  EXPECT_EQ(execute(*plan, *sums, *wide), wide->table());
}

TEST(Convert, OtherWarpsNeedSharedMemory) {
  auto halves = RegLayout::make(acc(16)->reg(), acc(16)->lane(), {{32, 0}, {16, 0}});
  EXPECT_EQ(planConversion(*acc(16), *halves, 32)->via, Via::Shared);
  auto rowsOfWarp = RegLayout::make({{0, 1}, {0, 2}, {0, 4}}, {{0, 8}, {1, 0}, {2, 0}, {4, 0}, {8, 0}},
                                    {{16, 0}, {32, 0}}, {{Owner::Register, 16, 1}});
  EXPECT_EQ(planConversion(*acc(256), *rowsOfWarp, 32)->via, Via::Shared) << "too many shuffles";
  auto staging =
      stagingLayout(*acc(64),
                    *RegLayout::make({{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}},
                                     {{0, 32}, {1, 0}, {2, 0}, {4, 0}, {8, 0}}, {{16, 0}, {32, 0}}),
                    16);
  ASSERT_TRUE(staging.ok()) << staging.status().text();
  auto store = bankCount(*acc(64), *staging, {0, 0}),
       plain = bankCount(*acc(64), *rowMajor(64, 64, 2), {0, 0});
  EXPECT_LT(store->wavefronts, plain->wavefronts);
}

TEST(Convert, RefusesOtherShapes) {
  EXPECT_EQ(planConversion(*mmaA(), *mmaC(8), 16).status().text(),
            "a conversion keeps the shape: [16, 16] to [16, 8]");
  EXPECT_FALSE(planConversion(*mxA(1), *RegLayout::make(mxA()->reg(), mxA()->lane(), {{0, 0}}), 16).ok());
}
