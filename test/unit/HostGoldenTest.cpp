//===- HostGoldenTest.cpp - Host kernels against the released code's operators ===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs and float64 results of single operators, found through K3_GOLDEN_DIR.
//
//===----------------------------------------------------------------------===//

#include "test/unit/HostKernelHarness.h"

#include "lib/Safetensors/File.h"

#include <optional>

using namespace k3::test;

namespace {

struct HostGolden : testing::Test {
  std::optional<k3::SafetensorsFile> file;

  void SetUp() override {
    const char *directory = getenv("K3_GOLDEN_DIR");
    if (!directory && !getenv("CI"))
      GTEST_SKIP() << "K3_GOLDEN_DIR is not set";
    auto opened = k3::SafetensorsFile::open(std::string(directory ? directory : "") + "/ops/ops.safetensors");
    ASSERT_TRUE(opened.ok()) << opened.status().text();
    file = std::move(*opened);
  }

  /// A tensor seen as `rows` rows, in f32.
  Floats get(const std::string &name, int64_t rows) {
    auto view = file->find(name);
    EXPECT_TRUE(view) << name;
    size_t size = view->bytes.size() / view->elements();
    Floats result(rows, view->elements() / rows);
    for (int64_t i = 0; i < view->elements(); ++i) {
      double wide;
      float narrow;
      if (size == 8)
        memcpy(&wide, view->bytes.data() + 8 * i, 8), narrow = float(wide);
      else
        memcpy(&narrow, view->bytes.data() + 4 * i, 4);
      result.data[i] = narrow;
    }
    return result;
  }
};

TEST_F(HostGolden, kdaCore) {
  HostKernel kernel;
  Loaded so([&](KernelModule &m) { kernel = buildKdaCore(m, {2, 128, 128}); });
  for (auto [set, rows] : {std::pair{"T1", 1},
                           {"T15", 15},
                           {"T16", 16},
                           {"T17", 17},
                           {"T64", 64},
                           {"T129", 129},
                           {"bound", 144}}) {
    auto part = [&](const char *name, int64_t n) { return get(std::string("kda.") + set + "." + name, n); };
    Floats q = part("q_norm", rows), k = part("k_norm", rows), v = part("v", rows), g = part("g", rows),
           beta = part("beta", rows), state = part("state_in", 1), o(rows, 256);
    for (float &x : q.data)
      x *= 0.08838834764831845f;
    std::vector<int32_t> cu{0, rows}, context{1}, slot{0}, none;
    so.run(kernel, 2, 0, q, k, v, g, beta, cu, context, slot, slot, none, none, state, o);
    EXPECT_LT(relative(o, part("o", rows).doubles()), 1e-6) << set;
    EXPECT_LT(relative(state, part("state_out", 1).doubles()), 1e-6) << set;
  }
}

TEST_F(HostGolden, kdaGateAndL2Norm) {
  HostKernel gate, norm;
  Loaded so([&](KernelModule &m) {
    gate = buildKdaGate(m, {2, 128, -5});
    norm = buildL2Norm(m, {2, 128, 1e-6f, 1});
  });
  auto part = [&](const char *name) { return get(std::string("kda.T129.") + name, 129); };
  Floats z = part("z"), b = part("b"), g(129, 256), beta(129, 2), q = part("q_raw"), y(129, 256);
  std::vector<float> aLog = get("kda.A_log", 1).data, bias = get("kda.dt_bias", 1).data;
  so.run(gate, 129, 0, z, b, aLog, bias, g, beta);
  EXPECT_LT(relative(g, part("g").doubles()), 1e-6);
  EXPECT_LT(relative(beta, part("beta").doubles()), 1e-6);
  so.run(norm, 129, 0, q, y);
  EXPECT_LT(relative(y, part("q_norm").doubles()), 1e-6);
}

TEST_F(HostGolden, attnResOfFiveSources) {
  HostKernel kernel;
  Loaded so([&](KernelModule &m) { kernel = buildAttnRes(m, {256, 4, false, false, 1e-5f}); });
  Floats all = get("attnres.L5.sources", 5 * 11), mixed(11, 256);
  std::vector<Floats> sources;
  for (int64_t i = 0; i < 5; ++i) {
    sources.emplace_back(11, 256);
    std::copy_n(&all.at(11 * i, 0), 11 * 256, sources[i].data.data());
  }
  std::vector<float> query = get("attnres.L5.query", 1).data, norm = get("attnres.L5.norm_weight", 1).data;
  for (size_t i = 0; i < query.size(); ++i)
    query[i] *= norm[i];
  so.run(kernel, 11, 0, sources[0], sources[1], sources[2], sources[3], sources[4], query, mixed);
  EXPECT_LT(relative(mixed, get("attnres.L5.out", 11).doubles()), 1e-6);
}

TEST_F(HostGolden, situGlu) {
  HostKernel kernel;
  Loaded so([&](KernelModule &m) { kernel = buildSituGlu(m, {1, 4, 25}); });
  std::vector<float> grid = get("situ.grid", 1).data;
  int64_t n = grid.size();
  Floats x(n * n, 2), y(n * n, 1), expected = get("situ.out", n * n);
  for (int64_t i = 0; i < n * n; ++i)
    x.at(i, 0) = grid[i / n], x.at(i, 1) = grid[i % n];
  so.run(kernel, n * n, 0, x, y);
  EXPECT_LT(relative(y, expected.doubles()), 1e-6);
  for (int64_t i = 0; i < n * n; ++i)
    EXPECT_NEAR(y.at(i, 0), expected.at(i, 0), 1e-6 * std::abs(expected.at(i, 0)) + 1e-37)
        << x.at(i, 0) << " " << x.at(i, 1);
}

TEST_F(HostGolden, shortConv) {
  HostKernel kernel;
  Loaded so([&](KernelModule &m) { kernel = buildShortConv(m, {16}); });
  Floats w = get("conv.weight", 16);
  for (int64_t rows : {1, 2, 3, 4, 9}) {
    auto part = [&](const char *name, int64_t n) {
      return get("conv.T" + std::to_string(rows) + "." + name, n);
    };
    Floats u = part("x", rows), before = part("state_in", 16), after = part("state_out", 16), state(1, 48),
           y(rows, 16);
    for (int64_t c = 0; c < 16; ++c)
      for (int64_t i = 0; i < 3; ++i)
        state.at(0, i * 16 + c) = before.at(c, i + 1);
    std::vector<int32_t> cu{0, int32_t(rows)}, context{4}, slot{0}, none;
    so.run(kernel, 1, 0, u, w, cu, context, slot, slot, none, none, state, y);
    EXPECT_LT(relative(y, part("out", rows).doubles()), 1e-6) << rows;
    for (int64_t c = 0; c < 16; ++c)
      for (int64_t i = 0; i < 3; ++i)
        EXPECT_EQ(state.at(0, i * 16 + c), after.at(c, i + 1));
  }
}

TEST_F(HostGolden, gatedNorm) {
  HostKernel kernel;
  Loaded so([&](KernelModule &m) { kernel = buildGatedNorm(m, {2, 128, 1e-5f}); });
  Floats x = get("gated_norm.x", 6), gate = get("gated_norm.gate", 6), y(6, 256);
  std::vector<float> w = get("gated_norm.weight", 1).data;
  so.run(kernel, 6, 0, x, gate, w, y);
  EXPECT_LT(relative(y, get("gated_norm.out", 6).doubles()), 1e-6);
}

} // namespace
