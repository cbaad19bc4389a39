//===- HostRowKernelsTest.cpp - Norms, gates and copies --------------------===//
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

const int64_t rowCounts[] = {0, 1, 15, 17, 64};

TEST(HostRowKernels, rmsNorm) {
  for (int64_t hidden : {8, 100, 192, 7}) {
    HostKernel kernel;
    Loaded so([&](KernelModule &m) { kernel = buildRmsNorm(m, {hidden, 1e-5f}); });
    EXPECT_EQ(kernel.access, "rrw");
    for (int64_t rows : rowCounts) {
      Random random;
      Floats x(rows, hidden, 5), y(rows, hidden, 3);
      x.random(random);
      std::vector<float> w = random.vector(hidden);
      so.run(kernel, rows, 4, x, w, y);
      EXPECT_LT(relative(y, ref::rmsNorm(x.doubles(), doubles(w), 1e-5f)), 2e-7) << hidden << " x " << rows;
    }
  }
}

TEST(HostRowKernels, l2Norm) {
  HostKernel kernel;
  Loaded so([&](KernelModule &m) { kernel = buildL2Norm(m, {3, 20, 1e-6f, 0.25f}); });
  for (int64_t rows : rowCounts) {
    Random random;
    Floats x(rows, 60, 4), y(rows, 60);
    x.random(random, 0.01f);
    so.run(kernel, rows, 4, x, y);
    EXPECT_LT(relative(y, ref::l2Norm(x.doubles(), 20, 1e-6f, 0.25f)), 2e-7);
  }
}

TEST(HostRowKernels, gatedNorm) {
  HostKernel kernel;
  Loaded so([&](KernelModule &m) { kernel = buildGatedNorm(m, {2, 24, 1e-5f}); });
  for (int64_t rows : rowCounts) {
    Random random;
    Floats o(rows, 48), gate(rows, 48, 100), y(rows, 48, 1);
    o.random(random), gate.random(random, 9);
    std::vector<float> w = random.vector(24);
    so.run(kernel, rows, 4, o, gate, w, y);
    EXPECT_LT(relative(y, ref::gatedNorm(o.doubles(), gate.doubles(), doubles(w), 1e-5f)), 3e-7);
  }
}

TEST(HostRowKernels, embeddingAndGather) {
  HostKernel embedding, gather;
  Loaded so([&](KernelModule &m) {
    embedding = buildEmbedding(m, {12});
    gather = buildGatherRows(m, {12});
  });
  Random random;
  Floats table(9, 12, 3), out(4, 12, 2), again(4, 12);
  table.random(random);
  std::vector<int32_t> ids = {8, -1, 0, 8};
  so.run(embedding, 4, 2, ids, table, out);
  so.run(gather, 4, 0, table, ids, again);
  for (int64_t c = 0; c < 12; ++c) {
    EXPECT_EQ(out.at(0, c), table.at(8, c));
    EXPECT_EQ(out.at(1, c), 0);
    EXPECT_EQ(out.at(2, c), table.at(0, c));
  }
  EXPECT_TRUE(sameBits(out, again));
}

TEST(HostRowKernels, addAndSigmoidGate) {
  HostKernel add, gate;
  Loaded so([&](KernelModule &m) {
    add = buildAdd(m, {19});
    gate = buildSigmoidGate(m, {19});
  });
  Random random;
  Floats a(17, 19, 2), b(17, 19), y(17, 19, 5);
  a.random(random), b.random(random, 20);
  so.run(add, 17, 5, a, b, y);
  EXPECT_LT(relative(y, ref::add(a.doubles(), b.doubles())), 1e-7);
  so.run(gate, 17, 5, a, b, y);
  EXPECT_LT(relative(y, ref::sigmoidGate(a.doubles(), b.doubles())), 2e-7);
}

TEST(HostRowKernels, situGluFromTinyToSaturated) {
  HostKernel kernel;
  Loaded so([&](KernelModule &m) { kernel = buildSituGlu(m, {21, 4.0f, 25.0f}); });
  for (float scale : {1e-6f, 1e-2f, 1.0f, 10.0f, 300.0f}) {
    Random random;
    Floats x(16, 42, 1), y(16, 21);
    x.random(random, scale);
    so.run(kernel, 16, 3, x, y);
    EXPECT_LT(relative(y, ref::situGlu(x.doubles(), 21, 4, 25)), 3e-7) << scale;
  }
}

TEST(HostRowKernels, sigmoidIsAccurateElementwise) {
  HostKernel kernel;
  Loaded so([&](KernelModule &m) { kernel = buildSigmoidGate(m, {9}); });
  Floats one(1000, 9), x(1000, 9), y(1000, 9);
  one.fill(1);
  for (int64_t i = 0; i < 9000; ++i)
    x.data[i] = -87 + float(i) * 0.012f;
  so.run(kernel, 1000, 0, one, x, y);
  for (int64_t i = 0; i < 9000; ++i) {
    double expected = ref::sigmoid(x.data[i]);
    ASSERT_NEAR(y.data[i], expected, 2.5e-7 * expected) << x.data[i];
  }
  x.fill(-INFINITY);
  so.run(kernel, 1000, 0, one, x, y);
  EXPECT_EQ(y.at(3, 4), 0);
  x.fill(NAN);
  so.run(kernel, 1000, 0, one, x, y);
  EXPECT_TRUE(std::isnan(y.at(3, 0)) && std::isnan(y.at(3, 8)));
}

TEST(HostRowKernels, kdaGate) {
  HostKernel kernel;
  Loaded so([&](KernelModule &m) { kernel = buildKdaGate(m, {2, 20, -5.0f}); });
  Random random;
  Floats f(17, 40, 4), b(17, 2, 9), g(17, 40), beta(17, 2);
  f.random(random, 4), b.random(random, 4);
  // Longer than the head count, as the checkpoint stores it.
  std::vector<float> aLog = random.vector(128), bias = random.vector(40);
  so.run(kernel, 17, 4, f, b, aLog, bias, g, beta);
  auto expected = ref::kdaGate(f.doubles(), b.doubles(), doubles(aLog), doubles(bias), 2, -5);
  EXPECT_LT(relative(g, expected.g), 3e-7);
  EXPECT_LT(relative(beta, expected.beta), 3e-7);
}

TEST(HostRowKernels, copyRowsSkipsPadding) {
  HostKernel kernel;
  Loaded so([&](KernelModule &m) { kernel = buildCopyRows(m, {10}); });
  Random random;
  Floats state(5, 10, 2);
  state.random(random);
  Floats before = state;
  std::vector<int32_t> from = {1, -1, 0}, to = {3, 2, -1};
  so.run(kernel, 3, 1, from, to, state);
  for (int64_t r = 0; r < 5; ++r)
    for (int64_t c = 0; c < 10; ++c)
      EXPECT_EQ(state.at(r, c), before.at(r == 3 ? 1 : r, c));
}

TEST(HostRowKernels, sampleGreedy) {
  HostKernel kernel;
  Loaded so([&](KernelModule &m) { kernel = buildSampleGreedy(m, {5}); });
  Floats logits(5, 5, 1);
  const float rows[5][5] = {{1, 3, 2, 3, 0},
                            {NAN, -INFINITY, -INFINITY, NAN, -INFINITY},
                            {NAN, NAN, NAN, NAN, NAN},
                            {NAN, -2, NAN, -1, -1},
                            {-0.0f, 0.0f, -1, -1, -1}};
  for (int64_t r = 0; r < 5; ++r)
    for (int64_t c = 0; c < 5; ++c)
      logits.at(r, c) = rows[r][c];
  std::vector<int32_t> ids(5, -7);
  so.run(kernel, 5, 2, logits, ids);
  EXPECT_EQ(ids, (std::vector<int32_t>{1, 1, 0, 3, 0}));
}

TEST(HostRowKernels, sameParametersSameKernel) {
  mlir::MLIRContext context;
  KernelModule module(&context);
  EXPECT_EQ(buildAdd(module, {8}).symbol, buildAdd(module, {8}).symbol);
  EXPECT_NE(buildRmsNorm(module, {8, 1e-5f}).symbol, buildRmsNorm(module, {8, 1e-6f}).symbol);
  EXPECT_EQ(std::distance(module.module().getBody()->begin(), module.module().getBody()->end()), 3);
}

} // namespace
