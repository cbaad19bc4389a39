//===- HostExpertsTest.cpp - Routing and routed experts on the host --------===//
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

TEST(HostRoute, choosesWeighsAndSorts) {
  for (bool renormalize : {true, false}) {
    HostKernel kernel;
    Loaded so([&](KernelModule &m) { kernel = buildRoute(m, {21, 4, 2.5f, renormalize}); });
    Random random;
    Floats logits(33, 21, 2), w(33, 4, 1);
    Rows<int32_t> ids(33, 4, 2);
    logits.random(random, 6);
    std::vector<float> bias = random.vector(21, 0.3f);
    so.run(kernel, 33, 4, logits, bias, ids, w);
    auto expected = ref::route(logits.doubles(), doubles(bias), 4, renormalize, 2.5);
    for (int64_t i = 0; i < 33 * 4; ++i)
      EXPECT_EQ(ids.at(i / 4, i % 4), expected.ids[i]);
    EXPECT_LT(relative(w, expected.weights), 3e-7);
  }
}

TEST(HostRoute, tiesGoToTheSmallerIdAndNanToNobody) {
  HostKernel kernel;
  Loaded so([&](KernelModule &m) { kernel = buildRoute(m, {9, 3}); });
  Floats logits(3, 9), w(3, 3);
  Rows<int32_t> ids(3, 3);
  logits.fill(1);
  logits.at(1, 7) = 2, logits.at(1, 0) = NAN;
  for (int64_t e = 0; e < 9; ++e)
    logits.at(2, e) = NAN;
  std::vector<float> bias(9, 0.0f);
  so.run(kernel, 3, 0, logits, bias, ids, w);
  EXPECT_EQ(ids.data, (std::vector<int32_t>{0, 1, 2, 1, 2, 7, 0, 1, 2}));
  EXPECT_FLOAT_EQ(w.at(0, 0), 1.0f / 3);
}

struct Experts {
  ExpertsParams p;
  HostKernel group, up, down, combine;
  Loaded so;
  Random random;
  Rows<int8_t> w13, w2;
  Experts(const ExpertsParams &p)
      : p(p), so([&](KernelModule &m) {
          group = buildExpertsGroup(m, p);
          up = buildExpertsUp(m, p);
          down = buildExpertsDown(m, p);
          combine = buildExpertsCombine(m, p);
        }),
        w13(p.experts, expertsW13Bytes(p), 9), w2(p.experts, expertsW2Bytes(p)) {
    fillMember(w13, 2 * p.width * p.latent / 2);
    fillMember(w2, p.latent * p.width / 2);
  }
  void fillMember(Rows<int8_t> &member, int64_t nibbles) {
    for (int64_t e = 0; e < member.rows; ++e)
      for (int64_t i = 0; i < member.width; ++i)
        member.at(e, i) = i < nibbles ? int8_t(128 * random.next()) : int8_t(122 + int(3 * random.next()));
  }
  std::vector<double> decoded(const Rows<int8_t> &member, int64_t e, int64_t rows, int64_t columns) {
    auto *bytes = reinterpret_cast<const uint8_t *>(&member.at(e, 0));
    return ref::decodeMx({size_t(rows),
                          size_t(columns),
                          {bytes, size_t(rows * columns / 2)},
                          {bytes + rows * columns / 2, size_t(rows * columns / 32)}});
  }
  Floats run(Floats &z, Rows<int32_t> &ids, Floats &w, int64_t piece = 0) {
    std::vector<int32_t> offsets(p.experts + 1, -1), order(z.rows * p.top, -1);
    Floats h(z.rows * p.top, p.width, 3), ys(z.rows * p.top, p.latent), y(z.rows, p.latent, 5);
    so.run(group, 1, 0, ids, offsets, order);
    so.run(up, expertsUpUnits(p), piece, z, order, offsets, w13, h);
    so.run(down, expertsDownUnits(p), piece, h, order, offsets, w2, ys);
    so.run(combine, z.rows, piece, ys, w, y);
    return y;
  }
  /// Every row picks `top` different experts.
  Rows<int32_t> pick(int64_t rows) {
    Rows<int32_t> ids(rows, p.top, 1);
    for (int64_t t = 0; t < rows; ++t)
      for (int64_t j = 0; j < p.top; ++j)
        ids.at(t, j) =
            int32_t(p.experts / p.top * j + uint32_t(100 * (random.next() + 1)) % (p.experts / p.top));
    return ids;
  }
};

TEST(HostExperts, agreesWithTheReference) {
  Experts experts({6, 2, 64, 96, 4.0f, 25.0f});
  const ExpertsParams &p = experts.p;
  std::vector<ref::ExpertWeights> weights(p.experts);
  for (int64_t e = 0; e < p.experts; ++e) {
    auto both = experts.decoded(experts.w13, e, 2 * p.width, p.latent);
    weights[e].w1.assign(both.begin(), both.begin() + p.width * p.latent);
    weights[e].w3.assign(both.begin() + p.width * p.latent, both.end());
    weights[e].w2 = experts.decoded(experts.w2, e, p.latent, p.width);
  }
  for (int64_t rows : {0, 1, 15, 64, 129}) {
    Floats z(rows, p.latent, 4), w(rows, p.top);
    z.random(experts.random), w.random(experts.random);
    Rows<int32_t> ids = experts.pick(rows);
    ref::Routing routing{{}, w.doubles()};
    for (int64_t i = 0; i < rows * p.top; ++i)
      routing.ids.push_back(ids.at(i / p.top, i % p.top));
    auto expected = ref::experts(z.doubles(), routing, p.latent, 4, 25,
                                 [&](int32_t e) -> const ref::ExpertWeights & { return weights[e]; });
    EXPECT_LT(relative(experts.run(z, ids, w, 1), expected), 1e-6) << rows;
  }
}

TEST(HostExperts, groupSizeDoesNotChangeARow) {
  Experts experts({4, 2, 32, 32, 4.0f, 25.0f});
  Floats z(70, 32), w(70, 2);
  z.random(experts.random), w.random(experts.random);
  Rows<int32_t> ids(70, 2);
  for (int64_t t = 0; t < 70; ++t)
    ids.at(t, 0) = 1, ids.at(t, 1) = 2;
  Floats all = experts.run(z, ids, w);
  for (int64_t t : {0, 66, 69}) {
    Floats one(1, 32), weight(1, 2);
    Rows<int32_t> id(1, 2);
    for (int64_t c = 0; c < 32; ++c)
      one.at(0, c) = z.at(t, c);
    for (int64_t j = 0; j < 2; ++j)
      weight.at(0, j) = w.at(t, j), id.at(0, j) = ids.at(t, j);
    Floats alone = experts.run(one, id, weight);
    EXPECT_EQ(memcmp(&alone.at(0, 0), &all.at(t, 0), 32 * sizeof(float)), 0) << t;
  }
}

TEST(HostExperts, everyNibbleUnderEveryLegalScaleIsExact) {
  Experts experts({1, 1, 32, 32, 4.0f, 25.0f});
  Floats h(32, 32), ys(32, 32);
  h.fill(0);
  for (int64_t t = 0; t < 32; ++t)
    h.at(t, t) = 1;
  std::vector<int32_t> offsets{0, 32}, order(32);
  for (int i = 0; i < 32; ++i)
    order[i] = i;
  for (int64_t i = 0; i < 512; ++i) // row r, byte b: every nibble in every place over the rows
    experts.w2.at(0, i) = int8_t((i * 7 + i / 16) & 255);
  for (int scale = 0; scale < 253; ++scale) {
    for (int64_t r = 0; r < 32; ++r)
      experts.w2.at(0, 512 + r) = int8_t(scale);
    experts.so.run(experts.down, 2, 0, h, order, offsets, experts.w2, ys);
    auto expected = experts.decoded(experts.w2, 0, 32, 32);
    for (int64_t r = 0; r < 32; ++r)
      for (int64_t c = 0; c < 32; ++c)
        ASSERT_EQ(ys.at(c, r), float(expected[r * 32 + c])) << "scale " << scale;
  }
}

} // namespace
