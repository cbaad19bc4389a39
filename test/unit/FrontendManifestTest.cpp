//===- FrontendManifestTest.cpp - Checkpoints against configs -------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/HuggingFace/Manifest.h"
#include "test/unit/FrontendTestUtil.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace k3;
using namespace k3::test;
using nlohmann::json;
using testing::HasSubstr;

namespace {

const char *shardName = "model-00001-of-000001.safetensors";
const std::string layer3 = "language_model.model.layers.3.self_attn.";

std::vector<WeightSpec> tinyWeights() {
  Expected<ModelConfig> config = readConfig(K3_TINY_TEXT);
  return textWeights(*config);
}

json tinyIndex() { return json::parse(readText(K3_TINY_TEXT "/model.safetensors.index.json")); }

/// Checks a folder with that index and, unless null, the shard's header changed by `edit`.
Expected<Inventory> check(const json &index, void (*edit)(json &header) = nullptr) {
  ScratchFolder folder;
  writeText(folder.file("model.safetensors.index.json"), index.dump());
  if (edit) {
    std::string shard = readText(std::string(K3_TINY_TEXT "/") + shardName);
    uint64_t size;
    memcpy(&size, shard.data(), 8);
    json header = json::parse(shard.substr(8, size));
    edit(header);
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    size_t dataStart = 8 + size;
    size = text.size();
    writeText(folder.file(shardName),
              std::string(reinterpret_cast<char *>(&size), 8) + text + shard.substr(dataStart));
  }
  Expected<std::unique_ptr<Checkpoint>> checkpoint = Checkpoint::open(folder.path);
  if (!checkpoint)
    return checkpoint.takeStatus();
  std::vector<WeightSpec> weights = tinyWeights();
  return checkCheckpoint(**checkpoint, weights);
}

std::string message(const Expected<Inventory> &result) {
  return result ? "accepted" : result.status().text();
}

TEST(FrontendManifest, WholeCheckpoint) {
  Expected<Inventory> inventory = check(tinyIndex(), [](json &) {});
  ASSERT_TRUE(inventory.ok()) << inventory.status().text();
  EXPECT_EQ(inventory->textTensors, tinyIndex()["weight_map"].size());
  EXPECT_EQ(inventory->textBytes, tinyIndex()["metadata"]["total_size"].get<uint64_t>());
  EXPECT_EQ(inventory->skippedTensors, 0u);
}

TEST(FrontendManifest, IndexAloneGivesTheSameCounts) {
  Expected<Inventory> inventory = check(tinyIndex());
  ASSERT_TRUE(inventory.ok()) << inventory.status().text();
  EXPECT_EQ(inventory->textBytes, tinyIndex()["metadata"]["total_size"].get<uint64_t>());
}

TEST(FrontendManifest, CountsFollowFromTheConfig) {
  // 5 at the ends + 6 a layer; KDA 14, MLA 8; dense 3; MoE 8 and 6 for an expert.
  for (auto [layers, block] : {std::pair<int64_t, int64_t>{13, 3}, {12, 12}, {5, 2}}) {
    Expected<ModelConfig> c = parseConfig(configWithDepth(layers, block).dump(), "config.json");
    ASSERT_TRUE(c.ok()) << c.status().text();
    int64_t mla = std::count(c->isMla.begin(), c->isMla.end(), true);
    uint64_t expected =
        5 + 6 * layers + 14 * (layers - mla) + 8 * mla + 3 + (layers - 1) * (8 + 6 * c->experts);
    EXPECT_EQ(countWeights(textWeights(*c)).textTensors, expected);
  }
}

TEST(FrontendManifest, MissingTensors) {
  json index = tinyIndex();
  index["weight_map"].erase(layer3 + "q_b_proj.weight");
  EXPECT_THAT(message(check(index)), HasSubstr("tensor '" + layer3 +
                                               "q_b_proj.weight' is missing, the config needs "
                                               "BF16 [384, 64] (MLA heads 2 x (128 + 64) by q_lora_rank)"));
  index["weight_map"].erase(layer3 + "q_a_proj.weight");
  EXPECT_THAT(message(check(index)), HasSubstr("(and 1 more)"));
}

TEST(FrontendManifest, UnknownTensorsAndVision) {
  json index = tinyIndex();
  index["weight_map"][layer3 + "q_proj.bias"] = shardName;
  EXPECT_THAT(message(check(index)), HasSubstr("tensor '" + layer3 + "q_proj.bias' does not belong"));
  index = tinyIndex();
  index["weight_map"]["vision_tower.patch_embed.weight"] = shardName;
  index["weight_map"]["mm_projector.proj.0.weight"] = shardName;
  index["metadata"]["total_size"] = index["metadata"]["total_size"].get<uint64_t>() + 1000;
  Expected<Inventory> inventory = check(index);
  ASSERT_TRUE(inventory.ok()) << inventory.status().text();
  EXPECT_EQ(inventory->skippedTensors, 2u);
  EXPECT_EQ(inventory->skippedBytes, 1000u);
}

TEST(FrontendManifest, TotalSizeOfAnotherModel) {
  json index = tinyIndex();
  index["metadata"]["total_size"] = 12345;
  EXPECT_THAT(message(check(index)), HasSubstr("metadata.total_size is 12,345"));
}

TEST(FrontendManifest, WrongShape) {
  EXPECT_THAT(
      message(check(tinyIndex(),
                    [](json &header) {
                      json &shape = header[layer3 + "q_b_proj.weight"]["shape"];
                      std::swap(shape[0], shape[1]);
                    })),
      HasSubstr(
          std::string(shardName) + ": tensor '" + layer3 +
          "q_b_proj.weight' is BF16 [64, 384], the config needs BF16 [384, 64] (MLA heads 2 x (128 + 64) "
          "by q_lora_rank)"));
}

TEST(FrontendManifest, WrongDtype) {
  EXPECT_THAT(message(check(tinyIndex(),
                            [](json &header) {
                              for (const char *role : {"q_b_proj.weight", "g_proj.weight"})
                                header[layer3 + role]["dtype"] = "F16";
                            })),
              testing::AllOf(HasSubstr("q_b_proj.weight' is F16 [384, 64], the config needs BF16 [384, 64]"),
                             HasSubstr("(and 1 more)")));
}

TEST(FrontendManifest, PaddedDecayMayBeLongerButNotShorter) {
  std::vector<WeightSpec> weights = tinyWeights();
  auto decay =
      std::find_if(weights.begin(), weights.end(), [](auto &w) { return w.symbol == "layers.0.A_log"; });
  ASSERT_NE(decay, weights.end());
  EXPECT_EQ(decay->shape, (std::vector<int64_t>{128}));
  EXPECT_EQ(decay->used, 2);
  EXPECT_THAT(message(check(tinyIndex(),
                            [](json &header) {
                              // the same bytes as one row more: not a vector any more
                              header["language_model.model.layers.0.self_attn.A_log"]["shape"] = {1, 128};
                            })),
              HasSubstr("A_log' is F32 [1, 128], the config needs F32 [128] (at least KDA heads)"));
}

TEST(FrontendManifest, MissingShard) {
  json index = tinyIndex();
  index["weight_map"][layer3 + "q_b_proj.weight"] = "model-00002.safetensors";
  EXPECT_THAT(message(check(index, [](json &) {})),
              HasSubstr("model-00002.safetensors: the shard is missing"));
}

} // namespace
