//===- HostKdaCoreTest.cpp - The gated delta rule on the host --------------===//
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

/// One compiled shape, with inputs of the ranges that the layer gives it.
struct Kda {
  KdaCoreParams p;
  HostKernel kernel;
  Loaded so;
  Random random;
  explicit Kda(const KdaCoreParams &p) : p(p), so([&](KernelModule &m) { kernel = buildKdaCore(m, p); }) {}

  struct Inputs {
    Floats q, k, v, g, beta;
  };
  /// decay: g in (-decay, 0).
  Inputs inputs(int64_t rows, float decay = 5) {
    Inputs in{Floats(rows, p.heads * p.keyDim, 5), Floats(rows, p.heads * p.keyDim),
              Floats(rows, p.heads * p.valueDim, 1), Floats(rows, p.heads * p.keyDim),
              Floats(rows, p.heads, 2)};
    float unit = 1.7f / std::sqrt(float(p.keyDim));
    in.q.random(random, unit / std::sqrt(float(p.keyDim))), in.k.random(random, unit), in.v.random(random);
    for (int64_t t = 0; t < rows; ++t) {
      for (int64_t c = 0; c < in.g.width; ++c)
        in.g.at(t, c) = -decay * (0.5f + 0.5f * random.next());
      for (int64_t h = 0; h < p.heads; ++h)
        in.beta.at(t, h) = 0.5f + 0.5f * random.next();
    }
    return in;
  }
  Floats newState(int64_t slots) {
    Floats state(slots, p.heads * p.valueDim * p.keyDim);
    state.random(random, 0.3f);
    return state;
  }
  Floats run(const ref::Batch &batch, Inputs &in, Floats &state, int64_t piece = 0) {
    StepArrays a(batch);
    Floats o(in.q.rows, p.heads * p.valueDim, 3);
    so.run(kernel, batch.sequences() * p.heads, piece, in.q, in.k, in.v, in.g, in.beta, a.cu, a.context,
           a.readSlots, a.writeSlots, a.ckptSlots, a.ckptRows, state, o);
    return o;
  }
  void check(const ref::Batch &batch, float decay = 5) {
    Inputs in = inputs(batch.tokens(), decay);
    Floats state = newState(6);
    ref::SlotState expectedState(6, state.width);
    expectedState.values = state.doubles();
    auto expected = ref::kdaCore(in.q.doubles(), in.k.doubles(), in.v.doubles(), in.g.doubles(),
                                 in.beta.doubles(), batch, p.heads, p.keyDim, p.valueDim, expectedState);
    Floats o = run(batch, in, state, 1);
    EXPECT_LT(relative(o, expected), 2e-6) << batch.tokens();
    EXPECT_LT(relative(state, expectedState.values), 2e-6) << batch.tokens();
  }
};

TEST(HostKdaCore, lengthsAndDecays) {
  Kda kda({2, 32, 32});
  for (int32_t rows : {0, 1, 15, 16, 17, 64, 129})
    for (int32_t context : {rows ? 0 : 2, 5}) // an empty sequence without context has no state to keep
      kda.check({{0, rows}, {context}, {1}, {2}, {}, {}, {}});
  for (float decay : {1e-3f, 1.0f})
    kda.check({{0, 129}, {16}, {1}, {1}, {}, {}, {}}, decay);
}

TEST(HostKdaCore, shapesThatNoVectorDivides) {
  Kda kda({1, 20, 13});
  kda.check({{0, 37}, {3}, {1}, {1}, {}, {}, {}});
  kda.check({{0, 1}, {3}, {1}, {1}, {}, {}, {}});
}

TEST(HostKdaCore, recurrenceAndChunksAgree) {
  for (KdaForm form : {KdaForm::Chunked, KdaForm::Recurrent}) {
    Kda kda({1, 24, 24, 16, form});
    kda.check({{0, 1, 18}, {0, 2}, {1, 3}, {1, 4}, {}, {5, 2}, {9, 17}});
  }
}

TEST(HostKdaCore, raggedWithForkEmptyPaddingAndCheckpoints) {
  Kda kda({2, 16, 16});
  kda.check({{0, 1, 1, 38, 38}, {7, 3, 0, 0}, {0, 2, 1, -1}, {0, 4, 1, -1}, {}, {3, 5, -1}, {0, 20, -1}});
}

TEST(HostKdaCore, laterRowsDoNotReachEarlierOnes) {
  Kda kda({2, 16, 24});
  ref::Batch batch{{0, 40}, {3}, {0}, {0}, {}, {}, {}};
  Kda::Inputs in = kda.inputs(40);
  Floats state = kda.newState(1), other = state;
  Floats before = kda.run(batch, in, state);
  for (int64_t from : {1, 7, 16, 39}) {
    Kda::Inputs changed = in;
    for (int64_t t = from; t < 40; ++t) {
      for (int64_t c = 0; c < 32; ++c)
        changed.q.at(t, c) = changed.k.at(t, c) = NAN, changed.g.at(t, c) = -1;
      changed.beta.at(t, 0) = NAN;
    }
    Floats copy = other, after = kda.run(batch, changed, copy);
    EXPECT_EQ(memcmp(before.data.data(), after.data.data(), from * before.stride * sizeof(float)), 0) << from;
  }
}

TEST(HostKdaCore, partitionAndCompanyDoNotChangeBits) {
  Kda kda({3, 16, 16});
  Kda::Inputs in = kda.inputs(40);
  Floats state = kda.newState(2), one = state, two = state;
  Floats all = kda.run({{0, 17, 40}, {3, 0}, {0, 1}, {0, 1}, {}, {}, {}}, in, one);
  Floats pieces = kda.run({{0, 17, 40}, {3, 0}, {0, 1}, {0, 1}, {}, {}, {}}, in, two, 1);
  EXPECT_TRUE(sameBits(all, pieces) && sameBits(one, two));
  Floats alone = kda.run({{0, 17}, {3}, {0}, {0}, {}, {}, {}}, in, state);
  EXPECT_EQ(memcmp(alone.data.data(), all.data.data(), 17 * all.stride * sizeof(float)), 0);
}

} // namespace
