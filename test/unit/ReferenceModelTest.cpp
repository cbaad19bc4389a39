//===- ReferenceModelTest.cpp - The fp64 text tower against golden data ---===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Reference/Checkpoint.h"
#include "test/unit/Golden.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace k3;
using namespace k3::reference;
using namespace k3::test;

namespace {

/// |a - b| / |b| in the 2-norm.
double difference(In a, In b) {
  if (a.size() != b.size() || a.empty())
    return std::numeric_limits<double>::infinity();
  double error = 0, norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    error += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return std::sqrt(error / norm);
}

/// The model in a folder of golden data, with its expected tensors.
struct Golden {
  explicit Golden(const std::string &folder)
      : model(loadModel(folder)), expected(SafetensorsFile::open(folder + "/expected.safetensors")) {}

  Indices tokens(const std::string &name = "tokens") const {
    std::vector<int64_t> ids = goldenValues<int64_t>(*expected, name);
    return Indices(ids.begin(), ids.end());
  }
  Values get(const std::string &name) const {
    std::optional<TensorView> tensor = expected->find(name);
    if (!tensor) {
      ADD_FAILURE() << "no golden tensor " << name;
      return {};
    }
    return *toDoubles(*tensor);
  }

  Expected<Model> model;
  Expected<SafetensorsFile> expected;
};

/// The golden float32 run itself is 4e-6 from double.
constexpr double tolerance = 1e-5;

} // namespace

#define K3_MODEL_OR_SKIP(golden, name)                                                                       \
  K3_GOLDEN_OR_SKIP(folder);                                                                                 \
  Golden golden(folder + "/" name);                                                                          \
  ASSERT_TRUE(golden.model.ok()) << golden.model.status().text();                                            \
  ASSERT_TRUE(golden.expected.ok()) << golden.expected.status().text()

TEST(ReferenceModel, EveryGoldenTensor) {
  K3_MODEL_OR_SKIP(golden, "tiny-a");
  Indices tokens = golden.tokens(), rows(tokens.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<LayerState> state = golden.model->makeState(1, 2);
  Taps taps;
  Expected<Values> logits =
      golden.model->step(tokens, Batch::single(tokens.size(), 0, 2), rows, state, &taps);
  ASSERT_TRUE(logits.ok()) << logits.status().text();
  EXPECT_LT(difference(*logits, golden.get("fp32.logits")), tolerance);
  size_t compared = 0;
  for (const auto &[name, values] : taps) {
    EXPECT_LT(difference(values, golden.get("fp32." + name)), tolerance) << name;
    if (name.find("expert_ids") != std::string::npos) {
      EXPECT_EQ(values, golden.get("fp32." + name)) << name;
    }
    ++compared;
  }
  EXPECT_EQ(compared, 9u * 5 + 8 * 2 + 1);

  const Config &config = golden.model->configuration();
  for (size_t l = 0; l < config.numHiddenLayers; ++l) {
    std::string layer = "fp32.layer." + std::to_string(l) + ".";
    if (config.isMla(l)) {
      In latent = In(state[l].latent.values).first(tokens.size() * 576);
      EXPECT_LT(difference(latent, golden.get(layer + "mla_latent")), tolerance) << l;
      continue;
    }
    EXPECT_LT(difference(state[l].recurrent.values, golden.get(layer + "kda_state")), tolerance) << l;
    size_t width = config.kdaWidth();
    for (size_t part = 0; part < 3; ++part) {
      // Golden [channel, 4], oldest first; ours [3, q | k | v].
      Values conv = golden.get(layer + "conv_state." + "qkv"[part]), ours(width * 3), theirs(width * 3);
      for (size_t c = 0; c < width; ++c)
        for (size_t row = 0; row < 3; ++row) {
          ours[c * 3 + row] = state[l].window.values[row * 3 * width + part * width + c];
          theirs[c * 3 + row] = conv[c * 4 + row + 1];
        }
      EXPECT_LT(difference(ours, theirs), tolerance) << l;
    }
  }
}

TEST(ReferenceModel, TinyTextLogits) {
  K3_MODEL_OR_SKIP(golden, "tiny-text");
  Indices tokens = golden.tokens();
  tokens.resize(64); // Causal: a prefix has the logits of the whole.
  Expected<Values> logits = golden.model->forward(tokens);
  ASSERT_TRUE(logits.ok()) << logits.status().text();
  Values expected = golden.get("fp32.logits");
  EXPECT_LT(difference(*logits, In(expected).first(64 * 256)), tolerance);
}

TEST(ReferenceModel, TinyTextGreedyBytes) {
  K3_MODEL_OR_SKIP(golden, "tiny-text");
  Indices next = golden.tokens("prompt"), greedy;
  std::vector<LayerState> state = golden.model->makeState(1, 5);
  for (size_t context = 0; greedy.size() < 240;) {
    Batch batch = Batch::single(next.size(), context, 5);
    Expected<Values> logits = golden.model->step(next, batch, {static_cast<int32_t>(next.size()) - 1}, state);
    ASSERT_TRUE(logits.ok()) << logits.status().text();
    context += next.size();
    next = argmax(*logits, 256);
    greedy.push_back(next.front());
  }
  EXPECT_EQ(greedy, golden.tokens("fp32.greedy"));
}

TEST(ReferenceModel, RaggedBatchWithCheckpointEqualsSingleRuns) {
  K3_MODEL_OR_SKIP(golden, "tiny-a");
  Indices tokens = golden.tokens();
  tokens.resize(12);
  Expected<Values> whole = golden.model->forward(tokens);
  ASSERT_TRUE(whole.ok()) << whole.status().text();
  size_t vocab = 512;
  // Step 1: a prefix of 5 in slot 0, an empty sequence in slot 1, padding, and a prefix of 7 in slot 2 whose
  // state after its token 3 (row 8) goes to slot 3. Pages hold 4 tokens.
  std::vector<LayerState> state = golden.model->makeState(4, 9, 4);
  Indices first(tokens.begin(), tokens.begin() + 5);
  first.insert(first.end(), tokens.begin(), tokens.begin() + 7);
  Batch batch{{0, 5, 5, 5, 12}, {0, 0, 0, 0}, {0, 1, -1, 2}, {0, 1, -1, 2}, {}, {3}, {8}};
  batch.blockTable = {6, 1, 8, 0, 0, 0, 0, 0, 0, 2, 3, 4};
  Expected<Values> logits = golden.model->step(first, batch, {4, -1, 11}, state);
  ASSERT_TRUE(logits.ok());
  EXPECT_LT(difference(In(*logits).first(vocab), In(*whole).subspan(4 * vocab, vocab)), 1e-13);
  EXPECT_EQ(Values(logits->begin() + vocab, logits->begin() + 2 * vocab), Values(vocab, 0.0));
  EXPECT_LT(difference(In(*logits).subspan(2 * vocab), In(*whole).subspan(6 * vocab, vocab)), 1e-13);
  // Step 2: slot 0 goes on with 7 tokens, and the checkpoint, 4 tokens long, with 2 into slot 1, sharing
  // page 2.
  Indices second(tokens.begin() + 5, tokens.end());
  second.insert(second.end(), tokens.begin() + 4, tokens.begin() + 6);
  Batch next{{0, 7, 9}, {5, 4}, {0, 3}, {0, 1}, {6, 1, 8, 2, 7, 0}, {}, {}};
  logits = golden.model->step(second, next, {6, 8}, state);
  ASSERT_TRUE(logits.ok());
  EXPECT_LT(difference(In(*logits).first(vocab), In(*whole).subspan(11 * vocab, vocab)), 1e-13);
  EXPECT_LT(difference(In(*logits).subspan(vocab), In(*whole).subspan(5 * vocab, vocab)), 1e-13);
}

TEST(ReferenceModel, MissingAndWrongWeightsAreNamed) {
  K3_MODEL_OR_SKIP(golden, "tiny-a");
  WeightLookup sound = checkpointWeights(std::move(*Checkpoint::open(folder + "/tiny-a")));
  auto errorWith = [&](const std::string &damaged, Expected<Values> given) {
    Model model(golden.model->configuration(),
                [&](const std::string &name) { return name == damaged ? given : sound(name); });
    Expected<Values> logits = model.forward({1, 2});
    return logits ? "" : logits.status().text();
  };
  EXPECT_EQ(errorWith("", Values()), "");
  EXPECT_EQ(errorWith("language_model.model.layers.0.self_attn.A_log", Values(1)),
            "tensor 'language_model.model.layers.0.self_attn.A_log' has 1 elements, the config needs 2");
  EXPECT_EQ(errorWith("language_model.lm_head.weight", badInput("not there")), "not there");
}
