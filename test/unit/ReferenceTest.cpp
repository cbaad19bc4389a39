//===- ReferenceTest.cpp - The fp64 ops against golden data ---------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Reference/AttnRes.h"
#include "lib/Reference/Kda.h"
#include "lib/Reference/Mla.h"
#include "lib/Reference/Moe.h"
#include "lib/Support/Random.h"
#include "test/unit/Golden.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace k3;
using namespace k3::reference;
using namespace k3::test;

namespace {

/// |a - b| / |b| in the 2-norm.
double difference(In a, In b) {
  if (a.size() != b.size())
    return std::numeric_limits<double>::infinity();
  double error = 0, norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    error += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return std::sqrt(error / norm);
}

Values random(size_t count, uint64_t stream) {
  Values values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = RandomStream(1, stream).normal(i);
  return values;
}

/// ops.safetensors, and its tensors as double.
class Ops {
public:
  explicit Ops(const std::string &folder) : file(SafetensorsFile::open(folder + "/ops/ops.safetensors")) {}
  bool ok() const { return file.ok(); }

  /// An input (F32) or a result (F64).
  Values get(const std::string &name) const {
    std::optional<TensorView> tensor = file->find(name);
    if (tensor && tensor->dtype == DType::F64)
      return goldenValues<double>(*file, name);
    std::vector<float> values = goldenValues<float>(*file, name);
    return Values(values.begin(), values.end());
  }

private:
  Expected<SafetensorsFile> file;
};

/// [rows, columns] -> [columns, rows]
Values transposed(const Values &x, size_t columns) {
  size_t rows = x.size() / columns;
  Values y(x.size());
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c)
      y[c * rows + r] = x[r * columns + c];
  return y;
}

} // namespace

#define K3_OPS_OR_SKIP(ops)                                                                                  \
  K3_GOLDEN_OR_SKIP(folder);                                                                                 \
  Ops ops(folder);                                                                                           \
  ASSERT_TRUE(ops.ok())

TEST(Reference, KdaGolden) {
  K3_OPS_OR_SKIP(ops);
  for (std::string name : {"T1", "T15", "T16", "T17", "T64", "T129", "bound"}) {
    std::string prefix = "kda." + name + ".";
    Values b = ops.get(prefix + "b");
    size_t tokens = b.size() / 2;
    Values q = l2Norm(ops.get(prefix + "q_raw"), 128, 1e-6, 1),
           k = l2Norm(ops.get(prefix + "k_raw"), 128, 1e-6, 1);
    KdaGates gates = kdaGate(ops.get(prefix + "z"), b, ops.get("kda.A_log"), ops.get("kda.dt_bias"), 2, -5);
    EXPECT_LT(difference(q, ops.get(prefix + "q_norm")), 1e-12) << name;
    EXPECT_LT(difference(k, ops.get(prefix + "k_norm")), 1e-12) << name;
    EXPECT_LT(difference(gates.g, ops.get(prefix + "g")), 1e-12) << name;
    EXPECT_LT(difference(gates.beta, ops.get(prefix + "beta")), 1e-12) << name;
    for (double &value : q)
      value *= 1 / std::sqrt(128.0);
    SlotState state(1, 2 * 128 * 128);
    state.values = ops.get(prefix + "state_in");
    Values o = kdaCore(q, k, ops.get(prefix + "v"), gates.g, gates.beta, Batch::single(tokens, 1, 0), 2, 128,
                       128, state);
    EXPECT_LT(difference(o, ops.get(prefix + "o")), 1e-12) << name;
    EXPECT_LT(difference(state.values, ops.get(prefix + "state_out")), 1e-12) << name;
  }
}

TEST(Reference, AttnResGolden) {
  K3_OPS_OR_SKIP(ops);
  for (size_t count : {1, 2, 5, 9}) {
    std::string prefix = "attnres.L" + std::to_string(count) + ".";
    Values stacked = ops.get(prefix + "sources");
    std::vector<In> sources;
    for (size_t i = 0; i < count; ++i)
      sources.push_back(In(stacked).subspan(i * 11 * 256, 11 * 256));
    AttnRes result = attnRes(sources, ops.get(prefix + "norm_weight"), ops.get(prefix + "query"), 1e-5);
    EXPECT_LT(difference(result.probs, ops.get(prefix + "probs")), 1e-12) << count;
    EXPECT_LT(difference(result.mixed, ops.get(prefix + "out")), 1e-12) << count;
    EXPECT_LT(difference(rmsNorm(result.mixed, ops.get(prefix + "prenorm_weight"), 1e-5),
                         ops.get(prefix + "out_prenorm")),
              1e-12)
        << count;
    if (count == 1) {
      EXPECT_EQ(result.mixed, stacked);
    }
  }
}

TEST(Reference, SituGolden) {
  K3_OPS_OR_SKIP(ops);
  Values grid = ops.get("situ.grid"), out;
  for (double gate : grid)
    for (double up : grid)
      out.push_back(situGlu(gate, up, 4, 25));
  EXPECT_LT(difference(out, ops.get("situ.out")), 1e-12);
}

TEST(Reference, ShortConvGolden) {
  K3_OPS_OR_SKIP(ops);
  Values weight = ops.get("conv.weight");
  for (size_t tokens : {1, 2, 3, 4, 9}) {
    std::string prefix = "conv.T" + std::to_string(tokens) + ".";
    // Golden states hold 4 inputs per channel, of which ours are the last 3.
    Values in = transposed(ops.get(prefix + "state_in"), 4),
           out = transposed(ops.get(prefix + "state_out"), 4);
    SlotState window(1, 3 * 16);
    window.store(0, In(in).subspan(16));
    Values y = shortConv(ops.get(prefix + "x"), Batch::single(tokens, 1, 0), weight, 4, window);
    EXPECT_LT(difference(y, ops.get(prefix + "out")), 1e-12) << tokens;
    EXPECT_LT(difference(window.values, In(out).subspan(16)), 1e-12) << tokens;
  }
}

TEST(Reference, GatedNormGolden) {
  K3_OPS_OR_SKIP(ops);
  Values y =
      gatedNorm(ops.get("gated_norm.x"), ops.get("gated_norm.gate"), ops.get("gated_norm.weight"), 1e-5);
  EXPECT_LT(difference(y, ops.get("gated_norm.out")), 1e-12);
}

TEST(Reference, MlaAbsorbedEqualsUnabsorbed) {
  MlaDims dims{2, 8, 4, 6, 16};
  Batch batch = Batch::single(7, 0, 2);
  PagedState cache(2, 4, 20);
  mlaAppend(random(7 * 20, 1), batch, random(16, 2), 1e-6, cache);
  Values q = random(7 * 2 * 12, 3), kvB = random(2 * 14 * 16, 4);
  Values unabsorbed = mlaCore(q, batch, kvB, dims, cache, MlaForm::Unabsorbed);
  EXPECT_LT(difference(mlaCore(q, batch, kvB, dims, cache, MlaForm::Absorbed), unabsorbed), 1e-13);
}

TEST(Reference, MlaFirstTokenSeesOnlyItself) {
  MlaDims dims{1, 4, 2, 3, 5};
  Batch batch = Batch::single(2, 0, 1);
  PagedState cache(1, 2, 7);
  Values norm(5, 1.0), kvB = random(7 * 5, 1);
  mlaAppend(random(2 * 7, 2), batch, norm, 1e-6, cache);
  Values o = mlaCore(random(2 * 6, 3), batch, kvB, dims, cache, MlaForm::Absorbed);
  Values value = linear(In(cache.values).first(5), In(kvB).subspan(4 * 5), 5); // W_uv c_0
  EXPECT_LT(difference(In(o).first(3), value), 1e-14);
}

TEST(Reference, RouteByHand) {
  // Biased order: 1 (0.5 + 0.4), then 0, 2, 3 equal at 0.5: the smaller ids win. Weights leave the bias out.
  Routing routing = route(Values{0, 0, 0, 0}, Values{0, 0.4, 0, 0}, 3, true, 2);
  EXPECT_EQ(routing.ids, (Indices{0, 1, 2}));
  for (double weight : routing.weights)
    EXPECT_NEAR(weight, 2.0 / 3, 1e-15);
  EXPECT_EQ(route(Values{0, 5}, Values{2, 0}, 1, false, 1).weights, Values{0.5});
}

TEST(Reference, ExpertsByHand) {
  // Expert e multiplies by 2^e in w2; z = 1 and w1 = w3 = 1.
  std::vector<ExpertWeights> weights = {{{1}, {1}, {1}}, {{1}, {1}, {2}}};
  Values y = experts(Values{1}, {{0, 1}, {0.25, 0.75}}, 1, 4, 25,
                     [&](int32_t e) -> const ExpertWeights & { return weights[e]; });
  EXPECT_NEAR(y[0], (0.25 + 0.75 * 2) * situGlu(1, 1, 4, 25), 1e-15);
}

TEST(Reference, DecodeMx) {
  std::vector<uint8_t> packed(16, 0x2F), scales = {128}; // Low nibble -6, high nibble 1, scale 2.
  Values values = decodeMx({1, 32, packed, scales});
  EXPECT_EQ(values[0], -12);
  EXPECT_EQ(values[1], 2);
}

TEST(Reference, ArgmaxTakesTheSmallerOfTies) {
  EXPECT_EQ(argmax(Values{1, 3, 3, -1, -2, -1}, 3), (Indices{1, 0}));
}
