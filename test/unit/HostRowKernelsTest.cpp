//===- HostRowKernelsTest.cpp - Norms, gates and copies ---------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/HostKernelHarness.h"

using namespace k3::test;

namespace {

TEST(HostRowKernels, rmsNormAtOddSizes) {
  for (int64_t hidden : {8, 100, 192, 7}) {
    HostKernel kernel;
    Loaded so([&](KernelModule &m) { kernel = buildRmsNorm(m, {hidden, 1e-5f}); });
    for (int64_t rows : {0, 1, 15, 17}) {
      Random random;
      Floats x(rows, hidden, 5), y(rows, hidden, 3);
      x.random(random);
      std::vector<float> w = random.vector(hidden);
      so.run(kernel, rows, 4, x, w, y);
      std::vector<double> expected;
      for (int64_t t = 0; t < rows; ++t) {
        double sum = 0;
        for (int64_t c = 0; c < hidden; ++c)
          sum += double(x.at(t, c)) * x.at(t, c);
        for (int64_t c = 0; c < hidden; ++c)
          expected.push_back(x.at(t, c) / std::sqrt(sum / hidden + 1e-5) * w[c]);
      }
      EXPECT_LT(relative(y, expected), 3e-7) << hidden << " x " << rows;
    }
  }
}

} // namespace
