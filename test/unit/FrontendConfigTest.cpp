//===- FrontendConfigTest.cpp - What config.json may say ------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/FrontendTestUtil.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace k3;
using namespace k3::test;
using nlohmann::json;
using testing::HasSubstr;

namespace {

/// The message for the shipped config with `value` at `pointer`.
std::string messageFor(const std::string &pointer, const json &value) {
  json config = tinyConfig();
  config[json::json_pointer(pointer)] = value;
  Expected<ModelConfig> parsed = parseConfig(config.dump(), "config.json");
  return parsed ? "accepted" : parsed.status().text();
}

std::string messageWithout(const std::string &parent, const std::string &field) {
  json config = tinyConfig();
  config[json::json_pointer(parent)].erase(field);
  Expected<ModelConfig> parsed = parseConfig(config.dump(), "config.json");
  return parsed ? "accepted" : parsed.status().text();
}

const std::string text = "/text_config/", linear = "/text_config/linear_attn_config/",
                  quant = "/text_config/quantization_config/";

TEST(FrontendConfig, ReadsTheShippedModel) {
  Expected<ModelConfig> c = readConfig(K3_TINY_TEXT);
  ASSERT_TRUE(c.ok()) << c.status().text();
  EXPECT_EQ(c->hidden, 192);
  EXPECT_EQ(c->layers, 9);
  EXPECT_EQ(c->kvLora, 512);
  EXPECT_EQ(c->eos, 254);
  EXPECT_TRUE(c->bytesVocabulary());
  EXPECT_EQ(c->isMla, (std::vector<bool>{false, false, false, true, false, false, false, true, true}));
  EXPECT_TRUE(c->isDense(0));
  EXPECT_FALSE(c->isDense(1));
}

TEST(FrontendConfig, MissingAndTruncatedFiles) {
  ScratchFolder folder;
  EXPECT_THAT(readConfig(folder.path).status().text(), HasSubstr("config.json"));
  std::string whole = tinyConfig().dump();
  writeText(folder.file("config.json"), whole.substr(0, whole.size() / 2));
  EXPECT_THAT(readConfig(folder.path).status().text(), HasSubstr("truncated"));
  writeText(folder.file("config.json"), "");
  EXPECT_THAT(readConfig(folder.path).status().text(), HasSubstr("truncated"));
  writeText(folder.file("config.json"), "[1, 2]");
  EXPECT_THAT(readConfig(folder.path).status().text(), HasSubstr("expected a JSON object"));
}

TEST(FrontendConfig, EveryNeededFieldIsNamedWhenMissing) {
  for (const char *field : {"hidden_size",
                            "num_hidden_layers",
                            "vocab_size",
                            "rms_norm_eps",
                            "num_attention_heads",
                            "num_key_value_heads",
                            "q_lora_rank",
                            "kv_lora_rank",
                            "qk_nope_head_dim",
                            "qk_rope_head_dim",
                            "v_head_dim",
                            "mla_use_nope",
                            "mla_use_output_gate",
                            "hidden_act",
                            "activation_situ_beta",
                            "activation_situ_linear_beta",
                            "intermediate_size",
                            "first_k_dense_replace",
                            "moe_layer_freq",
                            "num_experts",
                            "num_experts_per_token",
                            "num_shared_experts",
                            "moe_intermediate_size",
                            "routed_expert_hidden_size",
                            "latent_moe_use_norm",
                            "moe_router_activation_func",
                            "moe_renormalize",
                            "routed_scaling_factor",
                            "topk_method",
                            "num_expert_group",
                            "topk_group",
                            "attn_res_block_size",
                            "linear_attn_config",
                            "quantization_config",
                            "max_position_embeddings",
                            "model_type"})
    EXPECT_THAT(messageWithout("/text_config", field),
                HasSubstr("'text_config." + std::string(field) + "' is missing"));
  for (const char *field : {"num_heads", "head_dim", "short_conv_kernel_size", "use_full_rank_gate",
                            "gate_lower_bound", "kda_layers", "full_attn_layers"})
    EXPECT_THAT(messageWithout("/text_config/linear_attn_config", field),
                HasSubstr("'text_config.linear_attn_config." + std::string(field) + "' is missing"));
  EXPECT_THAT(messageWithout("", "text_config"), HasSubstr("'text_config' is missing"));
  EXPECT_THAT(messageWithout("", "eos_token_id"), HasSubstr("'eos_token_id' is missing"));
}

TEST(FrontendConfig, UnknownFieldsAreNamedWithASuggestion) {
  std::string message = messageFor(text + "num_expert", 16);
  EXPECT_THAT(message, HasSubstr("unknown field 'text_config.num_expert'"));
  EXPECT_THAT(message, HasSubstr("did you mean 'num_experts'"));
  EXPECT_THAT(messageFor("/novelty", 1), HasSubstr("unknown field 'novelty'"));
  EXPECT_THAT(messageFor(linear + "novelty", 1),
              HasSubstr("unknown field 'text_config.linear_attn_config.novelty'"));
  EXPECT_THAT(messageFor(quant + "novelty", 1),
              HasSubstr("unknown field 'text_config.quantization_config.novelty'"));
}

TEST(FrontendConfig, FieldsTwiceInOneObject) {
  EXPECT_THAT(
      parseConfig(R"({"model_type": "kimi_k3", "model_type": "kimi_k3"})", "config.json").status().text(),
      HasSubstr("field 'model_type' appears twice"));
}

TEST(FrontendConfig, DimensionsOutOfRange) {
  EXPECT_EQ(messageFor(text + "hidden_size", -192),
            "config.json: 'text_config.hidden_size' is -192, expected an integer "
            "of at least 1 and at most 16777216");
  for (const json &bad :
       {json(0), json(-1), json(1.5), json("192"), json(nullptr), json(true), json(1ull << 63)})
    EXPECT_THAT(messageFor(text + "hidden_size", bad),
                HasSubstr("'text_config.hidden_size' is " + bad.dump()));
  EXPECT_THAT(messageFor(linear + "num_heads", -2),
              HasSubstr("'text_config.linear_attn_config.num_heads' is -2"));
  EXPECT_THAT(messageFor(text + "rms_norm_eps", -1e-5), HasSubstr("above zero"));
  EXPECT_THAT(messageFor(text + "moe_intermediate_size", 65), HasSubstr("multiple of 32"));
  EXPECT_THAT(messageFor(text + "routed_expert_hidden_size", 100), HasSubstr("multiple of 32"));
}

TEST(FrontendConfig, HeadsThatDoNotDivide) {
  EXPECT_THAT(
      messageFor(text + "num_key_value_heads", 3),
      HasSubstr("'text_config.num_key_value_heads' is 3, expected a divisor of num_attention_heads 2"));
  EXPECT_THAT(messageFor(text + "num_key_value_heads", 1), HasSubstr("expected num_attention_heads 2"));
}

TEST(FrontendConfig, LayersInBothListsOrNone) {
  EXPECT_THAT(messageFor(linear + "kda_layers", {1, 2, 3, 4, 5, 6, 7}),
              HasSubstr("it names layer 4, which kda_layers names too"));
  EXPECT_THAT(messageFor(linear + "kda_layers", {1, 2, 3, 5, 6}),
              HasSubstr("layer 7 is neither in it nor in full_attn_layers"));
  EXPECT_THAT(messageFor(linear + "kda_layers", {1, 2, 3, 5, 6, 7, 10}), HasSubstr("it names layer 10"));
  EXPECT_THAT(messageFor(linear + "kda_layers", {0, 1, 2, 3, 5, 6, 7}), HasSubstr("it names layer 0"));
  EXPECT_THAT(messageFor(linear + "kda_layers", {1, 1, 2, 3, 5, 6, 7}), HasSubstr("it names layer 1 twice"));
}

TEST(FrontendConfig, Contradictions) {
  EXPECT_THAT(messageFor(text + "eos_token_id", 7),
              HasSubstr("'text_config.eos_token_id' is 7, expected 254"));
  EXPECT_THAT(messageFor("/eos_token_id", 256), HasSubstr("below vocab_size 256"));
  EXPECT_THAT(messageFor(text + "num_experts_per_token", 17), HasSubstr("at most num_experts 16"));
  EXPECT_THAT(messageFor(text + "first_k_dense_replace", 10), HasSubstr("at most num_hidden_layers 9"));
}

TEST(FrontendConfig, UnsupportedValuesAreRefusedByName) {
  EXPECT_THAT(messageFor(text + "hidden_act", "silu"),
              HasSubstr("'text_config.hidden_act' is \"silu\", expected \"situ\""));
  EXPECT_THAT(messageFor(text + "num_nextn_predict_layers", 1), HasSubstr("num_nextn_predict_layers"));
  EXPECT_THAT(messageFor(text + "rope_theta", 10000.0),
              HasSubstr("'text_config.rope_theta' is 10000.0, rotary"));
  EXPECT_THAT(messageFor(text + "rope_scaling", {{"type", "yarn"}}), HasSubstr("text_config.rope_scaling"));
  EXPECT_EQ(messageFor(text + "rope_scaling", nullptr), "accepted");
  EXPECT_THAT(messageFor(text + "mla_use_nope", false), HasSubstr("text_config.mla_use_nope"));
  EXPECT_THAT(messageFor(text + "moe_router_activation_func", "softmax"),
              HasSubstr("moe_router_activation_func"));
  EXPECT_THAT(messageFor(text + "num_expert_group", 8), HasSubstr("num_expert_group"));
  EXPECT_THAT(messageFor(text + "tie_word_embeddings", true), HasSubstr("tie_word_embeddings"));
  EXPECT_THAT(messageFor(linear + "use_full_rank_gate", false), HasSubstr("use_full_rank_gate"));
  EXPECT_THAT(messageFor(linear + "short_conv_kernel_size", 3), HasSubstr("short_conv_kernel_size"));
  EXPECT_THAT(messageFor(linear + "gate_lower_bound", 1.0), HasSubstr("gate_lower_bound"));
  EXPECT_THAT(messageFor(quant + "format", "nvfp4-pack-quantized"), HasSubstr("quantization_config.format"));
  EXPECT_THAT(messageFor(quant + "config_groups/group_0/weights/num_bits", 8),
              HasSubstr("weights.num_bits' is 8"));
  EXPECT_THAT(messageFor(quant + "config_groups/group_0/weights/group_size", 16),
              HasSubstr("weights.group_size' is 16"));
  EXPECT_THAT(messageFor("/model_type", "llama"), HasSubstr("'model_type' is \"llama\""));
}

} // namespace
