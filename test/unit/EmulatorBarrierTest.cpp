//===- EmulatorBarrierTest.cpp - mbarriers, named barriers, deadlocks -----===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorTestUtil.h"

using namespace k3::emu;

TEST(EmulatorMbarrier, APhaseNeedsAllArrivalsAndAllBytes) {
  Mbarrier bar(2, makeAgent(1, 9));
  bar.expect(100);
  EXPECT_TRUE(bar.arrive(2, {}));
  EXPECT_EQ(bar.phase, 0);
  bar.complete(60, {});
  EXPECT_EQ(bar.phase, 0);
  bar.complete(40, {});
  EXPECT_EQ(bar.phase, 1);
  // A peer's bytes may come before they are announced.
  bar.complete(8, {});
  bar.expect(8);
  EXPECT_TRUE(bar.arrive(2, {}));
  EXPECT_EQ(bar.phase, 2);
  EXPECT_FALSE(bar.arrive(3, {}));
}

TEST(EmulatorMbarrier, ParityIsAllThatHardwareCompares) {
  Mbarrier bar(1, makeAgent(1, 9));
  using Look = Mbarrier::Look;
  EXPECT_EQ(bar.look(-1), Look::Done);
  EXPECT_EQ(bar.look(0), Look::Wait);
  EXPECT_EQ(bar.look(1), Look::Aliased);
  EXPECT_EQ(bar.look(2), Look::Wait);
  bar.arrive(1, {});
  bar.arrive(1, {});
  bar.arrive(1, {});
  EXPECT_EQ(bar.look(2), Look::Done);
  EXPECT_EQ(bar.look(1), Look::Missed);
  EXPECT_EQ(bar.look(0), Look::Done);
  EXPECT_EQ(bar.look(3), Look::Wait);
  EXPECT_EQ(bar.look(4), Look::Aliased);
}

namespace {
/// Two warps hand bytes over through one mbarrier, `rounds` times and back.
Case handOver(std::function<void(Team &, int)> producer, std::function<void(Team &, int)> consumer,
              int rounds = 3) {
  Case c;
  c.kernel = {"k", {{"load", 1, 1}, {"math", 1, 2}}, {{"full", 1, 1}, {"empty", 1, 2}}, {{"A", 0, 256}}, 256};
  c.body = [=](Team &team) {
    for (int i = 0; i < rounds; ++i)
      team.role == 0 ? producer(team, i) : consumer(team, i);
  };
  return c;
}
void produce(Team &team, int i) {
  if (!team.wait(Wait, 1, 0, i - 1))
    return;
  team.write(Store, *team.cta.shared, everyWarp(team, 0, 256));
  team.arrive(Arrive, team.cta, 0, 0);
}
void consume(Team &team, int i) {
  if (!team.wait(Wait, 0, 0, i))
    return;
  team.read(Load, *team.cta.shared, everyWarp(team, 0, 256));
  team.arrive(Arrive, team.cta, 1, 0);
}
} // namespace

TEST(EmulatorMbarrier, ARingOfOneIsClean) {
  Report report = handOver(produce, consume).run();
  EXPECT_TRUE(report.clean()) << report.text();
}

TEST(EmulatorMbarrier, AMissingWaitIsARaceWithBothPlaces) {
  auto greedy = [](Team &team, int) {
    team.write(Store, *team.cta.shared, everyWarp(team, 0, 256));
    team.arrive(Arrive, team.cta, 0, 0);
  };
  // One round: the producer never has to wait, so only the consumer's fault is planted.
  auto blind = [](Team &team, int) { team.read(Load, *team.cta.shared, everyWarp(team, 0, 256)); };
  std::string text = handOver(greedy, blind, 1).run().text();
  EXPECT_NE(text.find("bytes [0, 16) of 'A'"), std::string::npos) << text;
  EXPECT_NE(text.find("load (warp 0 of 'math' 0 of CTA 0)"), std::string::npos) << text;
  EXPECT_NE(text.find("store (warp 0 of 'load' 0 of CTA 0)"), std::string::npos) << text;
  EXPECT_NE(text.find("nothing orders the two"), std::string::npos) << text;
}

TEST(EmulatorMbarrier, EarlyReuseOfAnOccupiedSlotIsARace) {
  auto release = [](Team &team, int i) {
    if (!team.wait(Wait, 0, 0, i))
      return;
    team.arrive(Arrive, team.cta, 1, 0); // before the read
    team.read(Load, *team.cta.shared, everyWarp(team, 0, 256));
  };
  Report report = handOver(produce, release).run();
  EXPECT_GE(report.count(FindingKind::Race), 1u) << report.text();
}

TEST(EmulatorMbarrier, AWrongPhaseIsNamed) {
  auto ahead = [](Team &team, int i) {
    if (team.wait(Wait, 0, 0, i + 1))
      team.arrive(Arrive, team.cta, 1, 0);
  };
  Report report = handOver(produce, ahead, 1).run();
  EXPECT_EQ(report.first(FindingKind::Barrier), "wait by 'math' 0 of CTA 0: parity wait aliases: waits for "
                                                "phase 1 of 'full'[0], the barrier is in phase 0");
}

TEST(EmulatorMbarrier, AMissedPhaseIsNamed) {
  Case c;
  c.kernel = {"k", {{"math", 1, 1}}, {{"full", 1, 1}}, {}, 64};
  c.body = [](Team &team) {
    team.arrive(Arrive, team.cta, 0, 0);
    team.arrive(Arrive, team.cta, 0, 0);
    if (!team.wait(Wait, 0, 0, 0))
      return;
  };
  EXPECT_NE(
      c.run().first(FindingKind::Barrier).find("phase 0 of 'full'[0] was missed, the barrier is in phase 2"),
      std::string::npos);
}

TEST(EmulatorMbarrier, TooManyArrivalsAreReported) {
  Case c;
  c.kernel = {"k", {{"math", 1, 4}}, {{"full", 1, 3}}, {}, 64};
  c.body = [](Team &team) {
    team.expect(Arrive, 0, 0, 64); // 1 arrival, and bytes that never come
    team.arrive(Arrive, team.cta, 0, 0);
  };
  EXPECT_NE(c.run().first(FindingKind::Barrier).find("more than its 3 arrivals"), std::string::npos);
}

TEST(EmulatorMbarrier, OneWarpsKnowledgeIsNotThatOfItsTeam) {
  for (bool sync : {true, false}) {
    Case c;
    c.kernel = {"k", {{"math", 1, 4}}, {}, {{"A", 0, 256}}, 256};
    c.body = [sync](Team &team) {
      team.write(Store, *team.cta.shared, splitWarps(team, 0, 64));
      if (sync)
        team.teamSync();
      team.read(Load, *team.cta.shared, everyWarp(team, 0, 256));
    };
    Report report = c.run();
    EXPECT_EQ(report.count(FindingKind::Race), sync ? 0u : 1u) << report.text();
  }
}

TEST(EmulatorNamedBarrier, SyncAndArriveOrderTwoRoles) {
  for (bool sync : {true, false}) {
    Case c;
    c.kernel = {"k", {{"load", 1, 1}, {"math", 1, 2}}, {}, {{"A", 0, 256}}, 256};
    c.body = [sync](Team &team) {
      for (int round = 0; round < 3; ++round) {
        if (team.role == 0) {
          if (round > 0 && !team.namedSync(Wait, 2, 3))
            return;
          team.write(Store, *team.cta.shared, everyWarp(team, 0, 256));
          team.namedArrive(Arrive, 1, 3);
          continue;
        }
        if (sync && !team.namedSync(Wait, 1, 3))
          return;
        team.read(Load, *team.cta.shared, everyWarp(team, 0, 256));
        if (round < 2)
          team.namedArrive(Arrive, 2, 3);
      }
    };
    c.seeds = sync ? 6 : 1;
    Report report = c.run();
    EXPECT_EQ(report.clean(), sync) << report.text();
  }
}

TEST(EmulatorNamedBarrier, TwoCountsOnOneBarrierAreAnError) {
  Case c;
  c.kernel = {"k", {{"load", 1, 1}, {"math", 1, 2}}, {}, {}, 64};
  c.body = [](Team &team) { team.namedArrive(Arrive, 1, team.role == 0 ? 5 : 4); };
  EXPECT_NE(c.run().first(FindingKind::Barrier).find("named barrier 1 is in use with"), std::string::npos);
}

TEST(EmulatorDeadlock, EveryBlockedTeamSaysWhatItWaitsFor) {
  Case c;
  c.kernel = {"k", {{"load", 1, 1}, {"math", 1, 2}}, {{"full", 2, 1}, {"empty", 2, 2}}, {}, 64};
  c.body = [](Team &team) {
    if (team.role == 0) {
      team.expect(Arrive, 0, 1, 4096); // nobody copies
      if (!team.wait(Wait, 1, 0, 0))
        return;
    } else if (!team.wait(Load, 0, 1, 0)) {
      return;
    }
  };
  std::string text = c.run().text();
  EXPECT_NE(
      text.find("deadlock: wait by 'load' 0 of CTA 0 waits for phase 0 of mbarrier 'empty'[0], which is in "
                "phase 0: 2 of 2 arrivals missing"),
      std::string::npos)
      << text;
  EXPECT_NE(
      text.find(
          "load by 'math' 0 of CTA 0 waits for phase 0 of mbarrier 'full'[1], which is in phase 0: 0 of "
          "1 arrivals missing, 4096 bytes missing"),
      std::string::npos)
      << text;
}

TEST(EmulatorDeadlock, APollThatNeverEndsRunsOutOfSteps) {
  Machine machine({Schedule::ofSeed(0, 1), true, 1000});
  machine.op("poll");
  machine.launch({"k", {{"math", 1, 1}}, {{"full", 1, 1}}, {}, 64}, {}, [](Team &team) {
    while (!team.cancelled() && !team.test(1, 0, 0, 0)) {
    }
  });
  EXPECT_EQ(machine.report.first(FindingKind::Limit), "'k' did not end within 1000 switches");
}
