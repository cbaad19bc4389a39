//===- EmulatorAsyncTest.cpp - Copies, proxies, wgmma groups --------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorTestUtil.h"

using namespace k3::emu;

namespace {
struct Faults {
  bool fence = true, waitFull = true, waitEmpty = true, retire = true, readWait = true, sync = true;
};

/// A one-slot pipeline: copy in, wgmma, stage the result, copy out.
Report pipeline(Faults f, int rounds = 3) {
  Case c;
  c.kernel = {"k",
              {{"load", 1, 1}, {"math", 1, 4}},
              {{"full", 1, 1}, {"empty", 1, 4}},
              {{"A", 0, 4096}, {"stage", 4096, 4096}},
              8192};
  Block *in = &c.global("in", 4096), *out = &c.global("out", 4096 * 4);
  in->constant = true;
  c.body = [=](Team &team) {
    Block &shared = *team.cta.shared;
    for (int i = 0; i < rounds; ++i) {
      if (team.role == 0) {
        team.setElected(true);
        if (f.waitEmpty && !team.wait(Wait, 1, 0, i - 1))
          return;
        team.expect(Arrive, 0, 0, 4096);
        team.copyIn(Load, {in, {{0, 4096}}}, {&shared, {{0, 4096}}}, team.cta, 0, 0, 4096, [] {});
        team.setElected(false);
        continue;
      }
      if (f.waitFull && !team.wait(Wait, 0, 0, i))
        return;
      team.wgmma(Math, {{&shared, {{0, 4096}}}}, nullptr);
      team.wgmmaCommit();
      if (f.retire)
        team.wgmmaWait(0);
      team.arrive(Arrive, team.cta, 1, 0);
      team.write(Other, shared, splitWarps(team, 4096, 1024));
      if (f.fence)
        team.fenceProxy(true, false);
      if (f.sync)
        team.teamSync();
      team.setElected(true);
      team.copyOut(
          Store, {&shared, {{4096, 4096}}}, {out, {{4096ull * i, 4096}}}, [] {}, [] {});
      team.bulkCommit();
      if ((f.readWait || i + 1 == rounds) && !team.bulkWait(Wait, 0, true))
        return;
      team.setElected(false);
      team.teamSync();
    }
  };
  c.seeds = f.waitEmpty && f.waitFull ? 6 : 1;
  Report report = c.run();
  return report;
}
} // namespace

TEST(EmulatorAsync, ACorrectPipelineIsClean) {
  Report report = pipeline({});
  EXPECT_TRUE(report.clean()) << report.text();
  EXPECT_GT(report.checkedBytes, 0u);
}

TEST(EmulatorAsync, AMissingProxyFenceIsNotARaceButIsReported) {
  Faults f;
  f.fence = false;
  Report report = pipeline(f);
  EXPECT_EQ(report.findings.size(), 1u) << report.text();
  EXPECT_EQ(report.first(FindingKind::MissingFence),
            "store (source reads of bulk group 1 of 'math' 0 of CTA 0) reads bytes [0, 16) of 'stage', other "
            "(warp 0 "
            "of 'math' 0 of CTA 0) wrote them before with generic stores and no fence_proxy comes between");
}

TEST(EmulatorAsync, AMissingWaitForTheCopyIsARace) {
  Faults f;
  f.waitFull = false;
  EXPECT_GE(pipeline(f).count(FindingKind::Race), 1u);
}

TEST(EmulatorAsync, AMissingWaitForTheReadersIsARace) {
  Faults f;
  f.waitEmpty = false;
  EXPECT_GE(pipeline(f).count(FindingKind::Race), 1u);
}

TEST(EmulatorAsync, ASlotReleasedBeforeTheWgmmaRetiresIsARace) {
  Faults f;
  f.retire = false;
  std::string text = pipeline(f).text();
  EXPECT_NE(text.find("math (wgmma group 1 of 'math' 0 of CTA 0) read"), std::string::npos) << text;
}

TEST(EmulatorAsync, StagingReusedBeforeTheSourceWasReadIsARace) {
  Faults f;
  f.readWait = false;
  Report report = pipeline(f);
  EXPECT_GE(report.count(FindingKind::Race), 1u) << report.text();
}

TEST(EmulatorAsync, OtherWarpsStoresNeedABarrierBeforeTheCopy) {
  Faults f;
  f.sync = false;
  Report report = pipeline(f);
  EXPECT_GE(report.count(FindingKind::Race), 1u) << report.text();
}

TEST(EmulatorAsync, AnAsyncOverwriteOfGenericReadsNeedsNoFence) {
  Case c;
  c.kernel = {"k", {{"math", 1, 1}}, {{"full", 1, 1}}, {{"A", 0, 64}}, 64};
  Block *in = &c.global("in", 64);
  for (bool generic : {false, true}) {
    c.body = [=](Team &team) {
      if (generic)
        team.write(Other, *team.cta.shared, everyWarp(team, 0, 64));
      else
        team.read(Other, *team.cta.shared, everyWarp(team, 0, 64));
      team.warpSync();
      team.expect(Arrive, 0, 0, 64);
      team.copyIn(Load, {in, {{0, 64}}}, {team.cta.shared.get(), {{0, 64}}}, team.cta, 0, 0, 64, [] {});
      if (!team.wait(Wait, 0, 0, 0))
        return;
    };
    Report report = c.run();
    EXPECT_EQ(report.count(FindingKind::MissingFence), generic ? 1u : 0u) << report.text();
    EXPECT_EQ(report.count(FindingKind::Race), 0u) << report.text();
  }
}

TEST(EmulatorAsync, CopiesOfDifferentSlotsAreNotOrderedByTheirIssue) {
  Case c;
  c.kernel = {"k", {{"math", 1, 1}}, {{"full", 2, 1}}, {{"A", 0, 128}}, 128};
  Block *in = &c.global("in", 128);
  c.body = [=](Team &team) {
    for (unsigned slot = 0; slot < 2; ++slot) {
      team.expect(Arrive, 0, slot, 64);
      team.copyIn(Load, {in, {{64 * slot, 64}}}, {team.cta.shared.get(), {{64 * slot, 64}}}, team.cta, 0,
                  slot, 64, [] {});
    }
    if (!team.wait(Wait, 0, 1, 0))
      return;
    team.read(Other, *team.cta.shared, everyWarp(team, 0, 64)); // the first copy was not waited for
    if (!team.wait(Wait, 0, 0, 0))
      return;
  };
  Report report = c.run();
  EXPECT_GE(report.count(FindingKind::Race), 1u) << report.text();
}

TEST(EmulatorAsync, ValuesOfALateCopyAppearOnlyThen) {
  Machine machine({{0, Order::RoundRobin, Completion::Late}, true, 1000});
  machine.op("x");
  int moved = 0, atIssue = -1, afterWait = -1;
  Block memory("in", Space::Global, 64, true), *in = &memory;
  machine.launch({"k", {{"math", 1, 1}}, {{"full", 1, 1}}, {}, 64}, {}, [&](Team &team) {
    team.expect(1, 0, 0, 64);
    team.copyIn(1, {in, {{0, 64}}}, {team.cta.shared.get(), {{0, 64}}}, team.cta, 0, 0, 64,
                [&] { moved = 1; });
    atIssue = moved;
    if (team.wait(1, 0, 0, 0))
      afterWait = moved;
  });
  EXPECT_EQ(atIssue, 0);
  EXPECT_EQ(afterWait, 1);
}

TEST(EmulatorAsync, ABulkStoreMustBeWaitedForBeforeTheEnd) {
  Case c;
  c.kernel = {"k", {{"math", 1, 1}}, {}, {}, 64};
  Block *out = &c.global("out", 64);
  c.body = [=](Team &team) {
    team.copyOut(
        Store, {team.cta.shared.get(), {{0, 64}}}, {out, {{0, 64}}}, [] {}, [] {});
    team.bulkCommit();
  };
  c.seeds = 1;
  EXPECT_EQ(c.run().count(FindingKind::Lifetime), 1u);
}

TEST(EmulatorAsync, CpAsyncNeedsItsWaitAndABarrierForOtherWarps) {
  for (int fault = 0; fault < 3; ++fault) {
    Case c;
    c.kernel = {"k", {{"math", 1, 2}}, {}, {{"A", 0, 64}}, 64};
    Block *in = &c.global("in", 64);
    c.body = [=](Team &team) {
      team.cpAsync(Load, *in, splitWarps(team, 0, 32), *team.cta.shared, splitWarps(team, 0, 32), [] {});
      team.cpAsyncCommit();
      if (fault != 1 && !team.cpAsyncWait(Wait, 0))
        return;
      if (fault != 2)
        team.teamSync();
      team.read(Other, *team.cta.shared, everyWarp(team, 0, 64));
      if (!team.cpAsyncWait(Wait, 0))
        return;
    };
    Report report = c.run();
    EXPECT_EQ(report.count(FindingKind::Race) != 0, fault != 0) << fault << "\n" << report.text();
  }
}

TEST(EmulatorAsync, ACpAsyncRingReusesItsSlotsInOrder) {
  for (bool sync : {true, false}) {
    Case c;
    c.kernel = {"k", {{"math", 1, 2}}, {}, {{"A", 0, 128}}, 128};
    Block *in = &c.global("in", 512);
    c.body = [=](Team &team) {
      for (unsigned i = 0; i < 6; ++i) {
        unsigned slot = i % 2 * 64;
        team.cpAsync(Load, *in, splitWarps(team, i * 64, 32), *team.cta.shared, splitWarps(team, slot, 32), [] {});
        team.cpAsyncCommit();
        if (!team.cpAsyncWait(Wait, 1))
          return;
        team.teamSync();
        if (i > 0)
          team.read(Other, *team.cta.shared, everyWarp(team, 64 - slot, 64));
        if (sync)
          team.teamSync();
      }
      if (!team.cpAsyncWait(Wait, 0))
        return;
    };
    Report report = c.run();
    EXPECT_EQ(report.clean(), sync) << report.text();
  }
}

TEST(EmulatorWgmma, AGroupIsRetiredInOrder) {
  Case c;
  c.kernel = {"k", {{"math", 1, 4}}, {}, {}, 64};
  auto order = std::make_shared<std::vector<int>>();
  c.body = [order](Team &team) {
    order->clear();
    uint32_t first = team.wgmma(Math, {}, [order] { order->push_back(1); });
    team.wgmmaCommit();
    uint32_t second = team.wgmma(Math, {}, [order] { order->push_back(2); });
    team.wgmmaCommit();
    EXPECT_FALSE(team.retired(first));
    team.wgmmaWait(1);
    EXPECT_TRUE(team.retired(first));
    EXPECT_FALSE(team.retired(second));
    team.wgmmaWait(0);
    EXPECT_TRUE(team.retired(second));
    EXPECT_EQ(*order, (std::vector<int>{1, 2}));
  };
  EXPECT_TRUE(c.run().clean());
}
