//===- EmulatorMmaTest.cpp - The product kernel, and the speed of checking --===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorTestUtil.h"
#include "lib/Emulator/Mma.h"

#include <ctime>

using namespace k3::emu;

TEST(EmulatorMma, SumsOverAscendingKAtEveryEdge) {
  k3::RandomStream random(1, 2);
  for (auto [m, n, k] :
       {std::array<int64_t, 3>{16, 8, 16}, {64, 256, 64}, {5, 33, 7}, {64, 96, 16}, {1, 1, 1}}) {
    std::vector<float> a(m * k), b(k * n), c(m * n), expected;
    auto fill = [&](std::vector<float> &v, uint64_t from) {
      // bf16 values, whose products are exact.
      for (size_t i = 0; i < v.size(); ++i)
        v[i] = static_cast<float>(static_cast<int>(random.bits(from + i) % 256) - 128) / 64;
    };
    fill(a, 0), fill(b, 1 << 20), fill(c, 2 << 20);
    for (float &value : c)
      value *= 1.1f; // sums that round
    expected = c;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t x = 0; x < k; ++x)
          expected[i * n + j] += a[i * k + x] * b[x * n + j];
    mma(c.data(), n, a.data(), k, b.data(), n, m, n, k);
    EXPECT_EQ(c, expected) << m << "x" << n << "x" << k;
  }
}

// The wgmma main loop of a GEMM, 128 x 256 x 64, with checks but without conversions: a lower bound of cost
// that fails if checking ever falls back to single bytes. The bar is far below what an idle core does.
TEST(EmulatorSpeed, ChecksAreSmallAgainstProducts) {
  KernelSpec kernel{"gemm",
                    {{"load", 1, 1}, {"math", 2, 4}},
                    {{"full", 4, 1}, {"empty", 4, 8}},
                    {{"A", 0, 4 * 16384}, {"B", 4 * 16384, 4 * 32768}},
                    4 * 49152};
  const int steps = 64;
  Machine machine({});
  for (const char *name : {"load", "math", "wait", "arrive"})
    machine.op(name);
  Block in("in", Space::Global, 49152, true);
  in.constant = true;
  std::vector<float> a(64 * 64, 1.0f), b(64 * 256, 0.5f);
  std::clock_t begin = std::clock(); // of the process: other load does not count
  machine.launch(kernel, {}, [&](Team &team) {
    std::vector<float> c(64 * 256);
    Block &shared = *team.cta.shared;
    for (int i = 0; i < steps; ++i) {
      unsigned slot = i % 4;
      uint64_t tileA = slot * 16384ull, tileB = 4 * 16384ull + slot * 32768ull;
      if (team.role == 0) {
        if (!team.wait(Wait, 1, slot, i / 4 - 1))
          return;
        team.expect(Arrive, 0, slot, 49152);
        team.copyIn(Load, {&in, {{0, 16384}}}, {&shared, {{tileA, 16384}}}, team.cta, 0, slot, 16384, [] {});
        team.copyIn(Load, {&in, {{16384, 32768}}}, {&shared, {{tileB, 32768}}}, team.cta, 0, slot, 32768,
                    [] {});
        continue;
      }
      if (!team.wait(Wait, 0, slot, i / 4))
        return;
      team.wgmma(Math, {{&shared, {{tileA + team.instance * 8192, 8192}}}, {&shared, {{tileB, 32768}}}},
                 [&] { mma(c.data(), 256, a.data(), 64, b.data(), 256, 64, 256, 64); });
      team.wgmmaCommit();
      team.wgmmaWait(0);
      team.arrive(Arrive, team.cta, 1, slot);
    }
  });
  double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_TRUE(machine.report.clean()) << machine.report.text();
  double rate = 2.0 * 128 * 256 * 64 * steps / seconds / 1e6;
  RecordProperty("mflops", static_cast<int>(rate));
  std::printf("%.0f MFLOP/s\n", rate);
  EXPECT_GT(rate, 200);
}
