//===- EmulatorMemoryTest.cpp - Clocks, granules, poison, lanes -----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorTestUtil.h"

using namespace k3::emu;

TEST(EmulatorClock, JoinAndMeetWorkPerAgent) {
  Clock a, b;
  a.raise(makeAgent(1, 0), 5);
  a.raise(makeAgent(3, 2), 1);
  b.raise(makeAgent(1, 0), 3);
  b.raise(makeAgent(2, 7), 9);
  const Clock *both[] = {&a, &b};
  Clock low = Clock::meet(both);
  EXPECT_EQ(low.at(makeAgent(1, 0)), 3u);
  EXPECT_EQ(low.at(makeAgent(3, 2)), 0u);
  a.join(b);
  EXPECT_EQ(a.at(makeAgent(1, 0)), 5u);
  EXPECT_EQ(a.at(makeAgent(2, 7)), 9u);
  EXPECT_EQ(a.at(makeAgent(3, 2)), 1u);
}

namespace {
/// Writes and reads of agents 1.. of CTA 1 that know nothing of each other.
struct ShadowProbe {
  Shadow shadow{256};
  GridSpan grids;
  std::vector<Conflict> found;
  void access(uint32_t agent, bool write, Range range, const Clock &clock = {}) {
    Accessor by;
    by.record = {makeAgent(1, agent), 1, 1, kCollective, false, false};
    Clock mine = clock;
    mine.raise(by.record.agent, 1);
    by.clock = &mine;
    by.inOrder = true;
    by.syncTime = 1;
    auto note = [&](Conflict c, const AccessRecord &, bool, uint64_t, unsigned) { found.push_back(c); };
    write ? shadow.write(by, range, grids, note) : shadow.read(by, range, grids, note);
  }
};
} // namespace

TEST(EmulatorShadow, NeighboursInOneGranuleDoNotConflict) {
  ShadowProbe probe;
  probe.access(1, true, {32, 2});
  probe.access(2, true, {34, 2});
  probe.access(3, true, {36, 12});
  EXPECT_TRUE(probe.found.empty());
  probe.access(4, false, {35, 1});
  EXPECT_EQ(probe.found.size(), 1u);
}

TEST(EmulatorShadow, AWholeWriteJoinsASplitGranuleAndSeesEveryPart) {
  ShadowProbe probe;
  probe.access(1, true, {16, 4});
  probe.access(2, true, {28, 4});
  Clock knowsOne;
  knowsOne.raise(makeAgent(1, 1), 1);
  probe.access(3, true, {16, 16}, knowsOne); // agent 2's four bytes
  EXPECT_EQ(probe.found.size(), 4u);
  Clock knowsThree;
  knowsThree.raise(makeAgent(1, 3), 1);
  probe.access(4, false, {16, 16}, knowsThree);
  EXPECT_EQ(probe.found.size(), 4u);
}

TEST(EmulatorShadow, AWriteSeesEveryReaderSinceTheLastWrite) {
  ShadowProbe probe;
  for (uint32_t agent = 1; agent <= 5; ++agent)
    probe.access(agent, false, {0, 16});
  EXPECT_TRUE(probe.found.empty());
  Clock knows;
  for (uint32_t agent = 1; agent <= 4; ++agent)
    knows.raise(makeAgent(1, agent), 1);
  probe.access(6, true, {0, 16}, knows);
  EXPECT_EQ(probe.found.size(), 1u); // agent 5
}

TEST(EmulatorBlock, PoisonIsPerByteAndTravelsWithCopies) {
  Block from("from", Space::Global, 256, false), to("to", Space::Shared, 256, false);
  from.clearPoison(0, 100);
  from.clearPoison(101, 155);
  from.setPoison(130, 1, 7);
  EXPECT_FALSE(from.poisoned(0, 100));
  EXPECT_EQ(from.firstPoison(0, 256), 100u);
  EXPECT_EQ(from.firstPoison(101, 155), 130u);
  to.copyFrom(16, from, 96, 64);
  EXPECT_EQ(to.firstPoison(16, 64), 20u);
  EXPECT_EQ(to.firstPoison(21, 59), 50u);
  EXPECT_EQ(to.origin(50), 7u);
  to.nameRegion(0, 128, "tile");
  to.nameRegion(32, 64, "slot 1");
  EXPECT_EQ(to.describe(40, 4), "bytes [8, 12) of 'slot 1'");
}

TEST(EmulatorLanes, OtherLanesOfAWarpNeedAWarpSync) {
  for (bool sync : {true, false}) {
    Case c;
    c.kernel = {"k", {{"math", 1, 1}}, {}, {{"A", 0, 1024}}, 1024};
    c.body = [sync](Team &team) {
      WarpRanges write(1), read(1);
      for (uint8_t lane = 0; lane < 32; ++lane) {
        write[0].push_back({lane * 16ull, 16, lane});
        read[0].push_back({(31ull - lane) * 16, 16, lane});
      }
      team.write(Store, *team.cta.shared, write);
      team.read(Other, *team.cta.shared, write); // its own bytes
      if (sync)
        team.warpSync();
      team.read(Load, *team.cta.shared, read);
    };
    Report report = c.run();
    EXPECT_EQ(report.count(FindingKind::MissingSync), sync ? 0u : 1u) << report.text();
    EXPECT_EQ(report.findings.size(), sync ? 0u : 1u) << report.text();
  }
}

TEST(EmulatorLanes, InPlaceOverwriteAfterACollectiveReadIsFine) {
  Case c;
  c.kernel = {"k", {{"math", 1, 1}}, {}, {{"A", 0, 1024}}, 1024};
  c.body = [](Team &team) {
    team.read(Load, *team.cta.shared, everyWarp(team, 0, 512));
    team.write(Store, *team.cta.shared, everyWarp(team, 0, 512));
  };
  EXPECT_TRUE(c.run().clean());
}

TEST(EmulatorAccess, OutsideTheBlockIsReportedAndNotTouched) {
  Case c;
  c.kernel = {"k", {{"math", 1, 1}}, {}, {}, 64};
  c.body = [](Team &team) { team.write(Store, *team.cta.shared, everyWarp(team, 48, 32)); };
  EXPECT_EQ(c.run().first(FindingKind::Bounds),
            "store (warp 0 of 'math' 0 of CTA 0) writes bytes [48, 80) of 'shared memory', which has 64");
}
