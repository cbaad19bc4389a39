//===- Config.cpp - What config.json says about a Kimi K3 text tower -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/HuggingFace/Config.h"

#include "frontend/HuggingFace/Fields.h"
#include "lib/Support/Hash.h"
#include "lib/Support/MappedFile.h"
#include "lib/Support/Text.h"

#include <filesystem>

using namespace k3;
using nlohmann::json;

/// Values of the MXFP4 experts' `weights` entry that decide the layout on disk.
static void readQuantization(Fields q) {
  q.expect("quant_method", "compressed-tensors", "the released checkpoints use it");
  q.expect("format", "mxfp4-pack-quantized", "experts are read as MXFP4");
  q.expectIfGiven("quantization_status", "compressed", "experts are read as MXFP4");
  q.refuse("kv_cache_scheme", "a quantised cache from the checkpoint is not supported, expected null");
  Fields groups = q.object("config_groups");
  Fields group = groups.object("group_0");
  group.expectIfGiven("format", "mxfp4-pack-quantized", "experts are read as MXFP4");
  group.refuse("input_activations",
               "quantised activations in the checkpoint are not supported, expected null");
  group.refuse("output_activations",
               "quantised activations in the checkpoint are not supported, expected null");
  group.expect("targets", json::array({"Linear"}), "the experts' matrices are the quantised ones");
  Fields weights = group.object("weights");
  weights.expect("num_bits", 4, "MXFP4 elements have 4 bits");
  weights.expect("type", "float", "MXFP4 elements are E2M1");
  weights.expect("group_size", 32, "an MX block has 32 elements");
  weights.expect("strategy", "group", "MX scales belong to blocks");
  weights.expect("symmetric", true, "MX has no zero points");
  weights.expect("dynamic", false, "weights are quantised on disk");
  weights.expectIfGiven("scale_dtype", "torch.uint8", "MX scales are E8M0 bytes");
  weights.refuse("zp_dtype", "MX has no zero points, expected null");
  weights.refuse("block_structure", "expected null: MX blocks lie in rows");
  weights.refuse("actorder", "expected null: columns are in their own order");
  weights.ignore({"observer", "observer_kwargs"});
  weights.finish();
  group.finish();
  groups.finish();
  // `ignore` lists patterns of modules; which tensors are MX follows from the checkpoint's names and dtypes.
  q.ignore({"global_compression_ratio", "ignore", "sparsity_config", "transform_config", "version"});
  q.finish();
}

/// kda_layers and full_attn_layers (both from 1) have to split the layers between them.
static void readLayerKinds(Fields &linear, ModelConfig &c) {
  std::vector<int64_t> kda = linear.integers("kda_layers"), full = linear.integers("full_attn_layers");
  if (!linear.ok())
    return;
  std::vector<int> seen(c.layers, 0); // 1 KDA, 2 MLA
  auto mark = [&](const std::vector<int64_t> &list, const char *name, int kind) {
    for (int64_t layer : list) {
      if (layer < 1 || layer > c.layers)
        return linear.fail(name, "it names layer " + std::to_string(layer) + ", expected layers from 1 to " +
                                     std::to_string(c.layers) + " (num_hidden_layers)");
      int &before = seen[layer - 1];
      if (before == kind)
        return linear.fail(name, "it names layer " + std::to_string(layer) + " twice");
      if (before)
        return linear.fail(name, "it names layer " + std::to_string(layer) +
                                     ", which kda_layers names too; expected each layer in one of them");
      before = kind;
    }
  };
  mark(kda, "kda_layers", 1);
  mark(full, "full_attn_layers", 2);
  for (int64_t layer = 0; layer < c.layers; ++layer) {
    if (!seen[layer])
      linear.fail("kda_layers",
                  "layer " + std::to_string(layer + 1) +
                      " is neither in it nor in full_attn_layers; expected each layer from 1 to " +
                      std::to_string(c.layers) + " in one of them");
    c.isMla.push_back(seen[layer] == 2);
  }
}

static void readLinearAttention(Fields linear, ModelConfig &c) {
  c.kdaHeads = linear.integer("num_heads");
  c.kdaDim = linear.integer("head_dim");
  linear.expect("short_conv_kernel_size", 4, "the convolution state holds 3 rows");
  c.convWidth = 4;
  linear.expect("use_full_rank_gate", true, "low-rank output gates are not supported");
  c.gateBound = linear.number("gate_lower_bound");
  if (c.gateBound >= 0 || c.gateBound < -5)
    linear.fail("gate_lower_bound",
                "expected a number below 0 and at least -5 (chunks of 16 tokens stay in range)");
  readLayerKinds(linear, c);
  linear.finish();
  if (c.kdaHeads * c.kdaDim > (int64_t(1) << 24))
    linear.fail("num_heads", "times head_dim exceeds 2^24");
}

static void readMla(Fields &text, ModelConfig &c) {
  c.mlaHeads = text.integer("num_attention_heads");
  int64_t kvHeads = text.integer("num_key_value_heads");
  if (c.mlaHeads % kvHeads)
    text.fail("num_key_value_heads",
              "expected a divisor of num_attention_heads " + std::to_string(c.mlaHeads));
  else if (c.mlaHeads != kvHeads)
    text.fail("num_key_value_heads", "expected num_attention_heads " + std::to_string(c.mlaHeads) +
                                         ": latent attention has one key per head");
  c.qLora = text.integer("q_lora_rank");
  c.kvLora = text.integer("kv_lora_rank");
  c.nope = text.integer("qk_nope_head_dim");
  c.rope = text.integer("qk_rope_head_dim");
  c.vDim = text.integer("v_head_dim");
  if (c.mlaHeads * (c.nope + c.rope + c.vDim) > (int64_t(1) << 24))
    text.fail("num_attention_heads", "times the head sizes exceeds 2^24");
  text.expect("mla_use_nope", true, "rotated keys are not supported");
  text.expect("mla_use_output_gate", true, "attention without an output gate is not supported");
  for (const char *name :
       {"rope_scaling", "rope_theta", "rope_parameters", "rope_interleave", "partial_rotary_factor"})
    text.refuse(name, "rotary positions are not supported, expected the field to be absent or null");
}

static void readFfn(Fields &text, ModelConfig &c) {
  text.expect("hidden_act", "situ", "it is the only activation of this model family");
  c.beta = text.positive("activation_situ_beta");
  c.linearBeta = text.positive("activation_situ_linear_beta");
  c.denseWidth = text.integer("intermediate_size");
  c.denseLayers = text.integer("first_k_dense_replace", 0);
  if (c.denseLayers > c.layers)
    text.fail("first_k_dense_replace", "expected at most num_hidden_layers " + std::to_string(c.layers));
  text.expect("moe_layer_freq", 1, "every layer after the dense ones has experts");
  c.experts = text.integer("num_experts");
  c.top = text.integer("num_experts_per_token");
  if (c.top > c.experts)
    text.fail("num_experts_per_token", "expected at most num_experts " + std::to_string(c.experts));
  c.sharedExperts = text.integer("num_shared_experts");
  c.expertWidth = text.integer("moe_intermediate_size");
  c.latent = text.integer("routed_expert_hidden_size");
  for (const char *name : {"moe_intermediate_size", "routed_expert_hidden_size"})
    if (int64_t size = name[0] == 'm' ? c.expertWidth : c.latent; size % 32)
      text.fail(name, "expected a multiple of 32, the MX block");
  text.expect("latent_moe_use_norm", true, "experts without the latent norm are not supported");
  text.expect("moe_router_activation_func", "sigmoid", "other router functions are not supported");
  c.renormalize = text.flag("moe_renormalize");
  c.routedScale = text.positive("routed_scaling_factor");
  text.expect("topk_method", "noaux_tc", "experts are chosen by biased score");
  text.flag("use_grouped_topk"); // with one group it makes no difference
  text.expect("num_expert_group", 1, "expert groups are not supported");
  text.expect("topk_group", 1, "expert groups are not supported");
}

/// Bookkeeping and generation defaults that transformers writes into every config; none changes the forward
/// pass.
static void ignoreBookkeeping(Fields &fields) {
  fields.ignore({"_name_or_path",
                 "architectures",
                 "auto_map",
                 "torch_dtype",
                 "transformers_version",
                 "id2label",
                 "label2id",
                 "initializer_range",
                 "use_cache",
                 "tokenizer_class",
                 "task_specific_params",
                 "finetuning_task",
                 "problem_type",
                 "prefix",
                 "torchscript",
                 "use_bfloat16",
                 "tf_legacy_loss",
                 "output_attentions",
                 "output_hidden_states",
                 "output_scores",
                 "return_dict",
                 "return_dict_in_generate",
                 "chunk_size_feed_forward",
                 "is_decoder",
                 "is_encoder_decoder",
                 "add_cross_attention",
                 "cross_attention_hidden_size",
                 "decoder_start_token_id",
                 "tie_encoder_decoder",
                 "pruned_heads",
                 "_attn_implementation",
                 "_attn_implementation_autoset"});
  fields.ignore({"bad_words_ids",
                 "begin_suppress_tokens",
                 "diversity_penalty",
                 "do_sample",
                 "early_stopping",
                 "encoder_no_repeat_ngram_size",
                 "exponential_decay_length_penalty",
                 "forced_bos_token_id",
                 "forced_eos_token_id",
                 "length_penalty",
                 "max_length",
                 "min_length",
                 "no_repeat_ngram_size",
                 "num_beam_groups",
                 "num_beams",
                 "num_return_sequences",
                 "remove_invalid_values",
                 "repetition_penalty",
                 "sep_token_id",
                 "suppress_tokens",
                 "temperature",
                 "top_k",
                 "top_p",
                 "typical_p"});
}

/// bos, eos, pad: at the top, and again in text_config where they may not differ.
static void readTokenIds(Fields &top, Fields &text, ModelConfig &c) {
  auto read = [&](const char *name, int64_t &id) {
    id = top.integer(name, 0);
    if (id >= c.vocab)
      top.fail(name, "expected an id below vocab_size " + std::to_string(c.vocab));
    text.expectIfGiven(name, id, "the top level of the file says so");
  };
  read("bos_token_id", c.bos);
  read("eos_token_id", c.eos);
  read("pad_token_id", c.pad);
}

Expected<ModelConfig> k3::parseConfig(std::string_view content, const std::string &file) {
  K3_ASSIGN(json root, parseJsonObject(content, file));
  Status status;
  ModelConfig c;
  Fields top(root, file, "", status);
  top.expect("model_type", "kimi_k3", "this front end reads Kimi K3 models");
  top.expect("architectures", json::array({"KimiK3ForConditionalGeneration"}),
             "this front end reads Kimi K3 models");
  top.expectIfGiven("dtype", "bfloat16", "the released checkpoints are in bfloat16");
  top.expectIfGiven("tie_word_embeddings", false, "a tied output head is not supported");

  Fields text = top.object("text_config");
  text.expect("model_type", "kimi_linear", "the text tower of Kimi K3");
  text.expectIfGiven("dtype", "bfloat16", "the released checkpoints are in bfloat16");
  text.expectIfGiven("tie_word_embeddings", false, "a tied output head is not supported");
  text.expectIfGiven("num_nextn_predict_layers", 0, "multi-token prediction layers are not supported");
  c.hidden = text.integer("hidden_size");
  c.layers = text.integer("num_hidden_layers");
  c.vocab = text.integer("vocab_size");
  c.maxPositions = text.integer("max_position_embeddings", 1, /*wide=*/true);
  c.eps = text.positive("rms_norm_eps");
  c.attnResBlock = text.integer("attn_res_block_size");
  readMla(text, c);
  readFfn(text, c);
  readLinearAttention(text.object("linear_attn_config"), c);
  readQuantization(text.object("quantization_config"));
  readTokenIds(top, text, c);
  ignoreBookkeeping(text);
  text.finish();

  // The vision tower is skipped as a whole.
  top.ignore({"vision_config", "ignore_index", "image_placeholder", "media_placeholder_token_id"});
  ignoreBookkeeping(top);
  top.finish();
  if (!status.ok())
    return status;
  c.hash = hash64(content);
  return c;
}

Expected<ModelConfig> k3::readConfig(const std::string &directory) {
  std::string path = (std::filesystem::path(directory) / "config.json").string();
  Expected<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.takeStatus();
  return parseConfig(file->text(), path);
}
