//===- HostAttnResTest.cpp - Block attention residuals on the host ---------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/HostKernelHarness.h"

using namespace k3::test;
namespace ref = k3::reference;

namespace {

struct Case {
  int64_t sources;
  bool delta, norm;
};

/// Runs one case and compares with the reference; the sum must be exact.
void check(const Case &c, int64_t hidden, int64_t rows) {
  HostKernel kernel;
  Loaded so([&](KernelModule &m) { kernel = buildAttnRes(m, {hidden, c.sources, c.delta, c.norm, 1e-5f}); });
  Random random;
  std::vector<Floats> bank(2, Floats(rows, hidden, 3));
  for (Floats &source : bank)
    source.random(random);
  Floats partial(rows, hidden, 1), delta(rows, hidden), mixed(rows, hidden, 2), sum(rows, hidden, 4);
  partial.random(random), delta.random(random);
  std::vector<float> query = random.vector(hidden), weight = random.vector(hidden);

  if (c.sources == 2 && c.delta && c.norm)
    so.run(kernel, rows, 4, bank[0], bank[1], partial, delta, query, weight, mixed, sum);
  else if (c.sources == 2 && c.delta)
    so.run(kernel, rows, 4, bank[0], bank[1], partial, delta, query, mixed, sum);
  else if (c.sources == 2 && c.norm)
    so.run(kernel, rows, 4, bank[0], bank[1], partial, query, weight, mixed);
  else if (c.sources == 2)
    so.run(kernel, rows, 4, bank[0], bank[1], partial, query, mixed);
  else if (c.norm)
    so.run(kernel, rows, 4, partial, query, weight, mixed);
  else
    so.run(kernel, rows, 4, partial, query, mixed);

  std::vector<std::vector<double>> all;
  for (int64_t i = 0; i < c.sources; ++i)
    all.push_back(bank[i].doubles());
  all.push_back(partial.doubles());
  if (c.delta) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t d = 0; d < hidden; ++d)
        ASSERT_EQ(sum.at(r, d), partial.at(r, d) + delta.at(r, d));
    all.back() = sum.doubles();
  }
  std::vector<double> ones(hidden, 1.0);
  std::vector<ref::In> views(all.begin(), all.end());
  auto expected = ref::attnRes(views, ones, doubles(query), 1e-5f).mixed;
  if (c.norm)
    expected = ref::rmsNorm(expected, doubles(weight), 1e-5f);
  EXPECT_LT(relative(mixed, expected), c.sources == 0 && !c.norm ? 1e-12 : 1e-6)
      << c.sources << c.delta << c.norm << " " << hidden;
}

TEST(HostAttnRes, everyVariant) {
  for (bool delta : {false, true})
    for (bool norm : {false, true})
      check({2, delta, norm}, 100, 17);
  check({2, true, true}, 192, 0);
  check({2, true, true}, 192, 64);
}

TEST(HostAttnRes, aSingleSourceIsReturnedAsItIs) {
  check({0, false, false}, 50, 15);
  check({0, false, true}, 50, 15);
}

TEST(HostAttnRes, theSumMayReplaceThePartialSum) {
  HostKernel kernel;
  Loaded so([&](KernelModule &m) { kernel = buildAttnRes(m, {20, 1, true, false, 1e-5f}); });
  Random random;
  Floats bank(3, 20), partial(3, 20), delta(3, 20), mixed(3, 20), sum(3, 20), inPlace(3, 20);
  bank.random(random), partial.random(random), delta.random(random);
  std::vector<float> query = random.vector(20);
  so.run(kernel, 3, 0, bank, partial, delta, query, mixed, sum);
  so.run(kernel, 3, 0, bank, partial, delta, query, inPlace, partial);
  EXPECT_TRUE(sameBits(mixed, inPlace));
  EXPECT_TRUE(sameBits(sum, partial));
}

} // namespace
