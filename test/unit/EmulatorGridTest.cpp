//===- EmulatorGridTest.cpp - Clusters, flags between CTAs, dependent launches --===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorTestUtil.h"

using namespace k3::emu;

TEST(EmulatorCluster, PeersSeeEachOthersSharedMemoryAfterTheBarrier) {
  for (bool relaxed : {false, true}) {
    Case c;
    c.kernel = {"k", {{"math", 1, 2}}, {}, {{"A", 0, 64}}, 64};
    c.grid = {4, 2};
    c.body = [relaxed](Team &team) {
      team.write(Store, *team.cta.shared, splitWarps(team, 0, 32));
      team.clusterArrive(Arrive, relaxed);
      if (!team.clusterWait(Wait))
        return;
      Cta &peer = *team.cta.cluster->ctas[1 - team.cta.rank];
      team.read(Load, *peer.shared, everyWarp(team, 0, 64));
      team.clusterArrive(Arrive, false);
      if (!team.clusterWait(Wait))
        return;
    };
    Report report = c.run();
    EXPECT_EQ(report.clean(), !relaxed) << report.text();
  }
}

TEST(EmulatorCluster, AWarpThatEndedIsNotWaitedFor) {
  Case c;
  c.kernel = {"k", {{"idle", 1, 1}, {"math", 1, 2}}, {}, {}, 64};
  c.grid = {2, 2};
  c.body = [](Team &team) {
    if (team.role == 0)
      return;
    team.clusterArrive(Arrive, false);
    if (!team.clusterWait(Wait))
      return;
  };
  Report report = c.run();
  EXPECT_TRUE(report.clean()) << report.text();
}

TEST(EmulatorCluster, APeersArrivalOrdersItsWrites) {
  Case c;
  c.kernel = {"k", {{"math", 1, 1}}, {{"full", 1, 1}}, {{"A", 0, 64}}, 64};
  c.grid = {2, 2};
  c.body = [](Team &team) {
    Cta &peer = *team.cta.cluster->ctas[1 - team.cta.rank];
    team.write(Store, *peer.shared, everyWarp(team, 0, 64));
    team.arrive(Arrive, peer, 0, 0);
    if (!team.wait(Wait, 0, 0, 0))
      return;
    team.read(Load, *team.cta.shared, everyWarp(team, 0, 64));
  };
  Report report = c.run();
  EXPECT_TRUE(report.clean()) << report.text();
}

/// Every CTA writes its part; CTA 7 reads all of them.
static Report gather(bool sync, bool signal, bool await, unsigned resident) {
  Case c;
  c.kernel = {"k", {{"math", 1, 2}}, {}, {}, 64};
  c.grid = {8, 1, resident};
  Block &data = c.global("data", 8 * 64), &counter = c.global("counter", 16);
  c.body = [=, &data, &counter](Team &team) {
    auto part = [&] { team.write(Store, data, splitWarps(team, 64ull * team.cta.index, 32)); };
    if (team.cta.index != 7) {
      part();
      if (sync)
        team.teamSync();
      if (signal)
        team.signal(Arrive, counter, 4, 1);
      return;
    }
    if (await && !team.await(Wait, counter, 4, 7))
      return;
    team.read(Load, data, everyWarp(team, 0, 7 * 64));
  };
  c.seeds = await ? 6 : 1;
  return c.run();
}

TEST(EmulatorFlags, AReleaseSequenceOrdersAllItsWriters) {
  Report report = gather(true, true, true, 8);
  EXPECT_TRUE(report.clean()) << report.text();
}

TEST(EmulatorFlags, WarpsThatDidNotJoinTheSignalAreNotOrdered) {
  Report report = gather(false, true, true, 8);
  EXPECT_EQ(report.count(FindingKind::Race), 1u) << report.text();
}

TEST(EmulatorFlags, WithoutTheAwaitItIsARace) {
  Report report = gather(true, true, false, 8);
  EXPECT_EQ(report.count(FindingKind::Race), 1u) << report.text();
}

TEST(EmulatorFlags, WithoutTheSignalItIsADeadlock) {
  Report report = gather(true, false, true, 8);
  EXPECT_EQ(report.first(FindingKind::Deadlock),
            "wait by 'math' 0 of CTA 7 waits for 7 in bytes [4, 8) of 'counter', which holds 0");
}

TEST(EmulatorFlags, AwaitingACtaThatIsNotResidentIsADeadlock) {
  Case c;
  c.kernel = {"k", {{"math", 1, 1}}, {}, {}, 64};
  c.grid = {6, 1};
  Block &counter = c.global("counter", 16);
  c.body = [&](Team &team) {
    if (team.cta.index == 5)
      team.signal(Arrive, counter, 0, 1);
    else if (!team.await(Wait, counter, 0, 1))
      return;
  };
  EXPECT_NE(c.run().text().find("2 CTAs of 'k' had not started"), std::string::npos);
}

TEST(EmulatorFlags, TheLastCtaOfAnUnboundedGridMayReduce) {
  Case c;
  c.kernel = {"k", {{"math", 1, 1}}, {}, {}, 64};
  c.grid = {12, 1};
  Block &data = c.global("data", 12 * 16), &counter = c.global("counter", 16);
  unsigned reducers = 0;
  c.body = [&](Team &team) {
    team.write(Store, data, everyWarp(team, 16ull * team.cta.index, 16));
    if (team.signal(Arrive, counter, 0, 1, /*acquire=*/true) != 11)
      return;
    ++reducers;
    team.read(Load, data, everyWarp(team, 0, 12 * 16));
  };
  Report report = c.run();
  EXPECT_TRUE(report.clean()) << report.text();
  EXPECT_EQ(reducers, c.seeds);
}

TEST(EmulatorFlags, TwoCtasOnOneByteAreARaceEvenIfTheyNeverMeet) {
  Case c;
  c.kernel = {"k", {{"math", 1, 1}}, {}, {}, 64};
  c.grid = {12, 1};
  Block &data = c.global("data", 64);
  c.body = [&](Team &team) {
    if (team.cta.index == 0 || team.cta.index == 11)
      team.write(Store, data, everyWarp(team, 0, 4));
  };
  EXPECT_GE(c.run().count(FindingKind::Race), 1u);
}

TEST(EmulatorFlags, ANeverWrittenCounterIsReported) {
  Machine machine({});
  machine.op("signal");
  Block counter("counter", Space::Global, 16, true);
  machine.launch({"k", {{"math", 1, 1}}, {}, {}, 64}, {}, [&](Team &team) { team.signal(1, counter, 0, 1); });
  EXPECT_EQ(machine.report.first(FindingKind::Poison),
            "signal: the counter in bytes [0, 4) of 'counter' was never written");
}

/// One grid writes, the next, launched early, reads; `async` by a bulk copy.
static Report dependent(bool wait, bool async, bool newStep, bool constantRead = false) {
  Machine machine({});
  for (const char *name : {"load", "math", "store"})
    machine.op(name);
  Block data("data", Space::Global, 64, true), weights("weights", Space::Global, 64, true);
  weights.constant = true;
  KernelSpec first{"first", {{"math", 1, 1}}, {}, {}, 64},
      second{"second", {{"math", 1, 1}}, {{"full", 1, 1}}, {}, 64};
  machine.launch(first, {}, [&](Team &team) { team.write(Store, data, everyWarp(team, 0, 64)); });
  if (newStep)
    machine.newStep();
  Grid grid;
  grid.dependent = true;
  machine.launch(second, grid, [&](Team &team) {
    if (constantRead)
      team.read(Load, weights, everyWarp(team, 0, 64));
    if (wait)
      team.pdlWait();
    if (!async) {
      team.read(Load, data, everyWarp(team, 0, 64));
      return;
    }
    team.expect(Math, 0, 0, 64);
    team.copyIn(Load, {&data, {{0, 64}}}, {team.cta.shared.get(), {{0, 64}}}, team.cta, 0, 0, 64, [] {});
    if (!team.wait(Math, 0, 0, 0))
      return;
  });
  return std::move(machine.report);
}

TEST(EmulatorPdl, EarlierBytesNeedTheWait) {
  for (bool async : {false, true}) {
    EXPECT_TRUE(dependent(true, async, false, true).clean());
    EXPECT_EQ(dependent(false, async, false).count(FindingKind::BeforePdlWait), 1u);
    EXPECT_TRUE(dependent(false, async, true).clean()) << "an earlier step has ended";
  }
  EXPECT_EQ(dependent(false, false, false).first(FindingKind::BeforePdlWait),
            "load (warp 0 of 'math' 0 of CTA 0) reads bytes [0, 16) of 'data', store (warp 0 of 'math' 0 of "
            "CTA 0 of "
            "the earlier grid 'first') wrote them before and pdl_wait has not been passed");
}

TEST(EmulatorPdl, AnOrdinaryLaunchNeedsNoWait) {
  Machine machine({});
  machine.op("x");
  Block data("data", Space::Global, 64, true);
  for (int i = 0; i < 2; ++i)
    machine.launch({"k", {{"math", 1, 1}}, {}, {}, 64}, {},
                   [&](Team &team) { team.write(1, data, everyWarp(team, 0, 64)); });
  EXPECT_TRUE(machine.report.clean()) << machine.report.text();
}

TEST(EmulatorAccess, AConstantArgumentIsNotWritten) {
  Machine machine({});
  machine.op("store");
  Block data("w", Space::Global, 64, true);
  data.constant = true;
  machine.launch({"k", {{"math", 1, 1}}, {}, {}, 64}, {},
                 [&](Team &team) { team.write(1, data, everyWarp(team, 0, 64)); });
  EXPECT_EQ(machine.report.first(FindingKind::Race),
            "store (warp 0 of 'math' 0 of CTA 0) writes 'w', which is constant");
}

TEST(EmulatorSchedule, ASeedIsAReproducibleRun) {
  auto trace = [](uint64_t seed) {
    Machine machine({Schedule::ofSeed(seed, 1), true, 100000});
    machine.op("x");
    std::string order;
    machine.launch({"k", {{"math", 4, 1}}, {{"b", 1, 1000}}, {}, 64}, {2, 1}, [&](Team &team) {
      for (int i = 0; i < 5; ++i) {
        team.arrive(1, team.cta, 0, 0);
        order += static_cast<char>('a' + team.instance + 4 * team.cta.index);
      }
    });
    return order;
  };
  EXPECT_EQ(trace(5), trace(5));
  EXPECT_NE(trace(5), trace(6));
}

TEST(EmulatorSchedule, AStarvedRoleRunsLast) {
  Machine machine({{0, Order::Starve, Completion::Eager, 0}, true, 100000});
  machine.op("x");
  std::string order;
  machine.launch({"k", {{"a", 1, 1}, {"b", 1, 1}}, {{"bar", 1, 1000}}, {}, 64}, {}, [&](Team &team) {
    for (int i = 0; i < 3; ++i) {
      team.arrive(1, team.cta, 0, 0);
      order += team.role == 0 ? 'a' : 'b';
    }
  });
  EXPECT_EQ(order, "bbbaaa");
}
