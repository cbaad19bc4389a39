//===- HostMlaTest.cpp - Latent attention on the host ----------------------===//
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

struct Mla {
  MlaCoreParams p;
  HostKernel append, core;
  Loaded so;
  Random random;
  Floats kvB;
  std::vector<float> w;
  Mla(const MlaCoreParams &p)
      : p(p), so([&](KernelModule &m) {
          append = buildMlaAppend(m, {p.latent, p.rope, 1e-6f});
          core = buildMlaCore(m, p);
        }),
        kvB(p.heads, (p.nope + p.value) * p.latent, 8) {
    kvB.random(random, 0.3f);
    w = random.vector(p.latent);
  }
  int64_t rowWidth() const { return p.latent + p.rope; }

  Floats attend(const ref::Batch &batch, Floats &q, Floats &cache, int64_t piece = 0) {
    StepArrays a(batch);
    Floats o(q.rows, p.heads * p.value, 3);
    so.run(core, batch.sequences() * p.heads, piece, q, kvB, a.cu, a.context, a.blockTable, cache, o);
    return o;
  }
  /// A cache whose pages hold NaN beyond the committed rows.
  Floats filled(const ref::Batch &batch, int64_t pages) {
    Floats cache(pages, 64 * rowWidth());
    int64_t perSequence = batch.blockTable.size() / batch.sequences();
    for (size_t s = 0; s < batch.sequences(); ++s)
      for (int64_t i = 0; i < batch.contextLens[s] * rowWidth(); ++i) {
        int64_t position = i / rowWidth();
        cache.at(batch.blockTable[s * perSequence + position / 64],
                 position % 64 * rowWidth() + i % rowWidth()) = random.next();
      }
    return cache;
  }
  void check(const ref::Batch &batch, int64_t pages) {
    Floats cache = filled(batch, pages), kv(batch.tokens() + 2, rowWidth(), 2);
    kv.random(random);
    Floats q(batch.tokens(), p.heads * (p.nope + p.rope), 5);
    q.random(random);
    ref::PagedState expected(pages, 64, rowWidth());
    expected.values = cache.doubles();
    std::vector<double> kvRows = kv.doubles();
    kvRows.resize(batch.tokens() * rowWidth());
    ref::mlaAppend(kvRows, batch, doubles(w), 1e-6f, expected);
    StepArrays a(batch);
    // Two rows of padding behind the last sequence.
    so.run(append, batch.tokens() + 2, 3, kv, w, a.cu, a.context, a.blockTable, cache);
    for (size_t i = 0; i < expected.values.size(); ++i) {
      ASSERT_EQ(std::isnan(expected.values[i]), std::isnan(cache.data[i]));
      if (!std::isnan(expected.values[i])) {
        ASSERT_NEAR(cache.data[i], expected.values[i], 1e-6);
      }
    }
    expected.values = cache.doubles();
    ref::MlaDims dims{size_t(p.heads), size_t(p.nope), size_t(p.rope), size_t(p.value), size_t(p.latent)};
    auto want = ref::mlaCore(q.doubles(), batch, kvB.doubles(), dims, expected, ref::MlaForm::Unabsorbed);
    EXPECT_LT(relative(attend(batch, q, cache, 1), want), 1e-6) << batch.tokens();
  }
};

const MlaForm forms[] = {MlaForm::Absorbed, MlaForm::Unabsorbed, MlaForm::Auto};

TEST(HostMla, lengthsAndContexts) {
  for (MlaForm form : forms) {
    Mla mla({2, 24, 8, 24, 40, form});
    for (int32_t rows : {1, 15, 17, 64, 129})
      for (int32_t context : {0, 63, 70})
        mla.check({{0, rows}, {context}, {0}, {0}, {3, 1, 5, 2}, {}, {}}, 6);
  }
}

TEST(HostMla, shapesThatNoVectorDivides) {
  for (MlaForm form : forms) {
    Mla mla({1, 12, 3, 10, 21, form});
    mla.check({{0, 70}, {9}, {0}, {0}, {0, 1}, {}, {}}, 2);
  }
}

TEST(HostMla, raggedWithEmptyAndPadding) {
  for (MlaForm form : forms) {
    Mla mla({2, 16, 8, 16, 32, form});
    mla.check({{0, 1, 1, 72, 72},
               {130, 5, 0, 0},
               {0, 1, 2, -1},
               {0, 1, 2, -1},
               {3, 1, 5, 7, 0, 0, 2, 4, 0, -1, -1, -1},
               {},
               {}},
              8);
  }
}

TEST(HostMla, moreRowsThanATile) {
  Mla mla({1, 8, 8, 8, 8, MlaForm::Unabsorbed});
  std::vector<int32_t> table(18);
  for (int i = 0; i < 18; ++i)
    table[i] = 17 - i;
  mla.check({{0, 1100}, {33}, {0}, {0}, table, {}, {}}, 18);
}

TEST(HostMla, laterRowsDoNotReachEarlierOnes) {
  for (MlaForm form : forms) {
    Mla mla({2, 16, 8, 16, 32, form});
    ref::Batch batch{{0, 90}, {20}, {0}, {0}, {0, 1}, {}, {}};
    ref::Batch whole{{0, 1}, {110}, {0}, {0}, {0, 1}, {}, {}};
    Floats cache = mla.filled(whole, 2), q(90, 48);
    q.random(mla.random);
    Floats before = mla.attend(batch, q, cache);
    for (int64_t from : {1, 43, 44, 45, 89}) {
      Floats changed = q, dirty = cache;
      for (int64_t position = 20 + from; position < 110; ++position)
        for (int64_t c = 0; c < mla.rowWidth(); ++c)
          dirty.at(position / 64, position % 64 * mla.rowWidth() + c) = NAN;
      for (int64_t t = from; t < 90; ++t)
        for (int64_t c = 0; c < 48; ++c)
          changed.at(t, c) = 1e30f;
      Floats after = mla.attend(batch, changed, dirty);
      EXPECT_EQ(memcmp(before.data.data(), after.data.data(), from * before.stride * sizeof(float)), 0)
          << from;
    }
  }
}

TEST(HostMla, largeLogitsDoNotOverflow) {
  for (MlaForm form : {MlaForm::Absorbed, MlaForm::Unabsorbed}) {
    Mla mla({1, 8, 8, 8, 16, form});
    ref::Batch batch{{0, 66}, {0}, {0}, {0}, {0, 1}, {}, {}};
    Floats cache = mla.filled({{0, 1}, {66}, {0}, {0}, {0, 1}, {}, {}}, 2), q(66, 16);
    q.random(mla.random, 1e4f);
    for (float x : mla.attend(batch, q, cache).doubles())
      ASSERT_TRUE(std::isfinite(x));
  }
}

} // namespace
