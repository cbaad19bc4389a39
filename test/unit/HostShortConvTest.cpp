//===- HostShortConvTest.cpp - Convolution with state on the host ----------===//
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

struct Conv {
  int64_t channels;
  HostKernel kernel;
  Loaded so;
  Random random;
  Floats w;
  explicit Conv(int64_t channels)
      : channels(channels), so([&](KernelModule &m) { kernel = buildShortConv(m, {channels}); }),
        w(channels, 4, 1) {
    w.random(random);
  }
  Floats run(const ref::Batch &batch, Floats &u, Floats &state, int64_t piece = 0) {
    StepArrays a(batch);
    Floats y(u.rows, channels, 2);
    so.run(kernel, batch.sequences() * shortConvBlocks(channels), piece, u, w, a.cu, a.context, a.readSlots,
           a.writeSlots, a.ckptSlots, a.ckptRows, state, y);
    return y;
  }
  void check(const ref::Batch &batch) {
    Floats u(batch.tokens(), channels, 7), state(6, 3 * channels);
    u.random(random), state.random(random);
    ref::SlotState window(6, 3 * channels);
    window.values = state.doubles();
    auto expected = ref::shortConv(u.doubles(), batch, w.doubles(), 4, window);
    Floats y = run(batch, u, state, 1);
    EXPECT_LT(relative(y, expected), 3e-7);
    for (size_t i = 0; i < window.values.size(); ++i)
      ASSERT_EQ(state.data[i], float(window.values[i])) << "slot " << i / (3 * channels);
  }
};

TEST(HostShortConv, lengthsAndStates) {
  for (int64_t channels : {16, 100, 130}) {
    Conv conv(channels);
    for (int32_t rows : {1, 2, 3, 4, 9})
      for (int32_t context : {0, 5})
        conv.check({{0, rows}, {context}, {1}, {1}, {}, {}, {}});
  }
}

TEST(HostShortConv, raggedWithForkEmptyPaddingAndCheckpoints) {
  Conv conv(72);
  // Sequence 1 is empty and forks 2 -> 4, sequence 3 is padding; checkpoints after rows 0, 6 and 10.
  conv.check({{0, 2, 2, 11, 11}, {7, 3, 0, 0}, {0, 2, 1, -1}, {0, 4, 1, -1}, {}, {3, 5, -1}, {0, 6, -1}});
}

TEST(HostShortConv, laterRowsDoNotReachEarlierOnes) {
  Conv conv(20);
  ref::Batch batch{{0, 17}, {3}, {0}, {0}, {}, {}, {}};
  Floats u(17, 20), state(1, 60);
  u.random(conv.random), state.random(conv.random);
  Floats state1 = state, state2 = state;
  Floats before = conv.run(batch, u, state1);
  for (int64_t c = 0; c < 20; ++c)
    u.at(8, c) = NAN;
  Floats after = conv.run(batch, u, state2);
  EXPECT_EQ(memcmp(before.data.data(), after.data.data(), 8 * before.stride * sizeof(float)), 0);
  EXPECT_TRUE(std::isnan(after.at(8, 0)));
}

} // namespace
