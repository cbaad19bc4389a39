//===- Weights.cpp - The weights that a config asks of its checkpoint -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, shapes and dtypes of the released checkpoint: matrices are [out, in] in BF16; convolutions, A_log,
// dt_bias, o_norm and the router bias are F32; routed experts are MXFP4.
//
//===----------------------------------------------------------------------===//

#include "frontend/HuggingFace/Weights.h"

#include <cmath>
#include <cstdio>

using namespace k3;

namespace {

using Format = WeightSpec::Format;

std::string text(int64_t number) { return std::to_string(number); }

/// A rule with one standard deviation that keeps x W^T at the size of x.
std::string scaled(const char *pattern, int64_t fanIn) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, pattern, 1.0 / std::sqrt(double(fanIn)));
  return buffer;
}

class Collector {
public:
  explicit Collector(const ModelConfig &config) : c(config) {}

  std::vector<WeightSpec> run() {
    matrix("embed", "model.embed_tokens", c.vocab, c.hidden, "vocabulary by hidden size").init =
        "normal(0, 1)";
    for (layer = 0; layer < c.layers; ++layer) {
      symbolPrefix = "layers." + text(layer) + ".";
      namePrefix = "model.layers." + text(layer) + ".";
      mixVectors("attn_res", "self_attention_res");
      vector("input_norm", "input_layernorm", c.hidden, "hidden size");
      c.isMla[layer] ? mla() : kda();
      mixVectors("mlp_res", "mlp_res");
      vector("post_norm", "post_attention_layernorm", c.hidden, "hidden size");
      c.isDense(layer) ? dense() : moe();
    }
    symbolPrefix = namePrefix = "";
    mixVectors("out_res", "model.output_attn_res");
    vector("norm", "model.norm", c.hidden, "hidden size");
    matrix("lm_head", "lm_head", c.vocab, c.hidden, "vocabulary by hidden size");
    return std::move(list);
  }

private:
  WeightSpec &add(std::string symbol, std::string name, Format format, std::vector<int64_t> shape,
                  std::string init, std::string why) {
    list.push_back({symbolPrefix + symbol, "language_model." + namePrefix + name, format, std::move(shape), 0,
                    0, std::move(init), std::move(why)});
    return list.back();
  }
  WeightSpec &matrix(std::string symbol, std::string name, int64_t out, int64_t in, std::string why) {
    return add(symbol, name + ".weight", Format::BF16, {out, in}, scaled("normal(0, %.6g)", in),
               std::move(why));
  }
  WeightSpec &vector(std::string symbol, std::string name, int64_t size, std::string why) {
    return add(symbol, name + ".weight", Format::BF16, {size}, "ones", std::move(why));
  }
  /// Key norm and pseudo-query of an attention residual.
  void mixVectors(const std::string &symbol, const std::string &name) {
    vector(symbol + "_norm", name + "_norm", c.hidden, "hidden size");
    matrix(symbol + "_proj", name + "_proj", 1, c.hidden, "one by hidden size");
  }

  void kda() {
    std::string heads = "KDA heads " + text(c.kdaHeads) + " x " + text(c.kdaDim);
    for (const char *role : {"q", "k", "v", "g"})
      matrix(role, std::string("self_attn.") + role + "_proj", c.kdaWidth(), c.hidden,
             heads + " by hidden size");
    for (const char *role : {"q", "k", "v"})
      add(std::string("conv_") + role, std::string("self_attn.") + role + "_conv1d.weight", Format::F32,
          {c.kdaWidth(), 1, c.convWidth}, "normal(0, 0.5)", heads + ", 1, convolution width");
    matrix("f_a", "self_attn.f_a_proj", c.kdaDim, c.hidden, "KDA head size by hidden size");
    matrix("f_b", "self_attn.f_b_proj", c.kdaWidth(), c.kdaDim, heads + " by KDA head size");
    matrix("b", "self_attn.b_proj", c.kdaHeads, c.hidden, "KDA heads by hidden size");
    // As released: padded with zeros to a multiple of 128 entries.
    add("A_log", "self_attn.A_log", Format::F32, {(c.kdaHeads + 127) / 128 * 128}, "uniform(-1, 0.5)",
        "at least KDA heads")
        .used = c.kdaHeads;
    add("dt_bias", "self_attn.dt_bias", Format::F32, {c.kdaWidth()}, "uniform(-4, -1)", heads);
    add("o_norm", "self_attn.o_norm.weight", Format::F32, {c.kdaDim}, "ones", "KDA head size");
    matrix("o", "self_attn.o_proj", c.hidden, c.kdaWidth(), "hidden size by " + heads);
  }

  void mla() {
    std::string heads = "MLA heads " + text(c.mlaHeads);
    std::string values = heads + " x v_head_dim " + text(c.vDim);
    matrix("q_a", "self_attn.q_a_proj", c.qLora, c.hidden, "q_lora_rank by hidden size");
    vector("q_a_norm", "self_attn.q_a_layernorm", c.qLora, "q_lora_rank");
    matrix("q_b", "self_attn.q_b_proj", c.mlaHeads * (c.nope + c.rope), c.qLora,
           heads + " x (" + text(c.nope) + " + " + text(c.rope) + ") by q_lora_rank");
    matrix("kv_a", "self_attn.kv_a_proj_with_mqa", c.kvLora + c.rope, c.hidden,
           "kv_lora_rank " + text(c.kvLora) + " + qk_rope_head_dim " + text(c.rope) + " by hidden size");
    vector("kv_a_norm", "self_attn.kv_a_layernorm", c.kvLora, "kv_lora_rank");
    matrix("kv_b", "self_attn.kv_b_proj", c.mlaHeads * (c.nope + c.vDim), c.kvLora,
           heads + " x (" + text(c.nope) + " + " + text(c.vDim) + ") by kv_lora_rank");
    matrix("g", "self_attn.g_proj", c.mlaHeads * c.vDim, c.hidden, values + " by hidden size");
    matrix("o", "self_attn.o_proj", c.hidden, c.mlaHeads * c.vDim, "hidden size by " + values);
  }

  void glu(const std::string &symbol, const std::string &name, int64_t width, const std::string &why) {
    matrix(symbol + "gate", name + "gate_proj", width, c.hidden, why + " by hidden size");
    matrix(symbol + "up", name + "up_proj", width, c.hidden, why + " by hidden size");
    matrix(symbol + "down", name + "down_proj", c.hidden, width, "hidden size by " + why);
  }

  void dense() { glu("", "mlp.", c.denseWidth, "intermediate_size"); }

  void moe() {
    const std::string m = "block_sparse_moe.";
    matrix("router", m + "gate", c.experts, c.hidden, "experts by hidden size");
    add("bias", m + "gate.e_score_correction_bias", Format::F32, {c.experts}, "normal(0, 0.01)", "experts");
    matrix("down", m + "routed_expert_down_proj", c.latent, c.hidden,
           "routed_expert_hidden_size by hidden size");
    expert("w1", c.expertWidth, c.latent, "moe_intermediate_size by routed_expert_hidden_size");
    expert("w3", c.expertWidth, c.latent, "moe_intermediate_size by routed_expert_hidden_size");
    expert("w2", c.latent, c.expertWidth, "routed_expert_hidden_size by moe_intermediate_size");
    vector("norm", m + "routed_expert_norm", c.latent, "routed_expert_hidden_size");
    matrix("up", m + "routed_expert_up_proj", c.hidden, c.latent, "hidden size by routed_expert_hidden_size");
    glu("s_", m + "shared_experts.", c.sharedWidth(),
        text(c.sharedExperts) + " shared experts x moe_intermediate_size " + text(c.expertWidth));
  }

  void expert(const std::string &role, int64_t out, int64_t in, const char *why) {
    add(role, "block_sparse_moe.experts.{e}." + role, Format::Mxfp4, {out, in}, scaled("mx(%.6g)", in), why)
        .members = c.experts;
  }

  const ModelConfig &c;
  int64_t layer = 0;
  std::string symbolPrefix, namePrefix;
  std::vector<WeightSpec> list;
};

} // namespace

std::vector<WeightSpec> k3::textWeights(const ModelConfig &config) { return Collector(config).run(); }

void k3::forEachTensor(const WeightSpec &spec, const std::function<bool(const DiskTensor &)> &visit) {
  size_t mark = spec.members ? spec.name.find("{e}") : std::string::npos;
  for (int64_t member = 0; member < std::max<int64_t>(spec.members, 1); ++member) {
    DiskTensor tensor{spec.name, spec.format == Format::F32 ? DType::F32 : DType::BF16, spec.shape};
    if (mark != std::string::npos)
      tensor.name.replace(mark, 3, std::to_string(member));
    if (spec.format != Format::Mxfp4) {
      if (!visit(tensor))
        return;
      continue;
    }
    const std::string stem = tensor.name;
    tensor.dtype = DType::U8;
    tensor.name = stem + ".weight_packed";
    tensor.shape = {spec.shape[0], spec.shape[1] / 2};
    if (!visit(tensor))
      return;
    tensor.name = stem + ".weight_scale";
    tensor.shape = {spec.shape[0], spec.shape[1] / 32};
    if (!visit(tensor))
      return;
  }
}
