//===- Model.cpp - The whole text tower in fp64 ---------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Reference/Model.h"
#include "lib/Reference/AttnRes.h"
#include "lib/Reference/Kda.h"
#include "lib/Reference/Mla.h"

#include <cmath>
#include <numeric>

using namespace k3;
using namespace k3::reference;

static const std::string tower = "language_model.model.";

const Values &Model::weight(const std::string &name, size_t size, bool padded) {
  auto [entry, isNew] = weights.try_emplace(name);
  if (!isNew)
    return entry->second;
  Expected<Values> values = lookup(name);
  bool fits = values && (values->size() == size || (padded && values->size() > size));
  if (failure.ok() && !values)
    failure = values.takeStatus();
  else if (failure.ok() && !fits)
    failure = badInput("tensor '" + name + "' has " + std::to_string(values->size()) +
                       " elements, the config needs " + std::to_string(size));
  entry->second = fits ? std::move(*values) : Values(size, 0.0);
  return entry->second;
}

Values Model::project(In x, const std::string &name, size_t inner, size_t rows) {
  return linear(x, weight(name + ".weight", inner * rows), inner);
}

/// Columns [begin, begin + count) of rows of `width`.
static Values columns(In x, size_t width, size_t begin, size_t count) {
  Values part;
  for (size_t start = 0; start < x.size(); start += width)
    part.insert(part.end(), x.begin() + start + begin, x.begin() + start + begin + count);
  return part;
}

/// Rows of the parts side by side; all parts have `width` columns.
static Values beside(const std::vector<Values> &parts, size_t width) {
  Values all;
  for (size_t start = 0; start < parts.front().size(); start += width)
    for (const Values &part : parts)
      all.insert(all.end(), part.begin() + start, part.begin() + start + width);
  return all;
}

Values Model::kda(In x, const std::string &prefix, const Batch &batch, LayerState &state) {
  size_t hidden = config.hiddenSize, heads = config.kdaHeads, dim = config.kdaHeadDim,
         width = config.kdaWidth();
  size_t taps = config.shortConvKernelSize;
  std::vector<Values> projections;
  Values convWeights;
  for (const char *which : {"q", "k", "v"}) {
    projections.push_back(project(x, prefix + which + "_proj", hidden, width));
    const Values &conv = weight(prefix + which + "_conv1d.weight", width * taps);
    convWeights.insert(convWeights.end(), conv.begin(), conv.end());
  }
  Values convolved = shortConv(beside(projections, width), batch, convWeights, taps, state.window);
  Values q =
      l2Norm(columns(convolved, 3 * width, 0, width), dim, 1e-6, 1 / std::sqrt(static_cast<double>(dim)));
  Values k = l2Norm(columns(convolved, 3 * width, width, width), dim, 1e-6, 1);
  Values v = columns(convolved, 3 * width, 2 * width, width);

  Values f = project(project(x, prefix + "f_a_proj", hidden, dim), prefix + "f_b_proj", dim, width);
  Values b = project(x, prefix + "b_proj", hidden, heads);
  KdaGates gates = kdaGate(f, b, weight(prefix + "A_log", heads, /*padded=*/true),
                           weight(prefix + "dt_bias", width), heads, config.gateLowerBound);
  Values o = kdaCore(q, k, v, gates.g, gates.beta, batch, heads, dim, dim, state.recurrent);

  Values outputGate = project(x, prefix + "g_proj", hidden, width);
  Values normed = gatedNorm(o, outputGate, weight(prefix + "o_norm.weight", dim), config.rmsNormEps);
  return project(normed, prefix + "o_proj", width, hidden);
}

Values Model::mla(In x, const std::string &prefix, const Batch &batch, LayerState &state) {
  size_t hidden = config.hiddenSize, heads = config.numAttentionHeads;
  MlaDims dims{heads, config.qkNopeHeadDim, config.qkRopeHeadDim, config.vHeadDim, config.kvLoraRank};
  Values queryLatent = rmsNorm(project(x, prefix + "q_a_proj", hidden, config.qLoraRank),
                               weight(prefix + "q_a_layernorm.weight", config.qLoraRank), config.mlaNormEps);
  Values q = project(queryLatent, prefix + "q_b_proj", config.qLoraRank, heads * (dims.nope + dims.rope));
  Values kv = project(x, prefix + "kv_a_proj_with_mqa", hidden, dims.latent + dims.rope);
  mlaAppend(kv, batch, weight(prefix + "kv_a_layernorm.weight", dims.latent), config.mlaNormEps,
            state.latent);
  const Values &kvB = weight(prefix + "kv_b_proj.weight", heads * (dims.nope + dims.value) * dims.latent);
  Values o = mlaCore(q, batch, kvB, dims, state.latent, MlaForm::Absorbed);
  Values gated = sigmoidGate(o, project(x, prefix + "g_proj", hidden, heads * dims.value));
  return project(gated, prefix + "o_proj", heads * dims.value, hidden);
}

Values Model::mlp(In x, const std::string &prefix, size_t intermediate) {
  size_t hidden = config.hiddenSize;
  Values gate = project(x, prefix + "gate_proj", hidden, intermediate);
  Values up = project(x, prefix + "up_proj", hidden, intermediate);
  Values middle =
      situGlu(beside({gate, up}, intermediate), intermediate, config.situBeta, config.situLinearBeta);
  return project(middle, prefix + "down_proj", intermediate, hidden);
}

Values Model::latentMoe(In x, size_t layer, const std::string &prefix, Taps *taps) {
  size_t hidden = config.hiddenSize, latent = config.routedExpertHiddenSize;
  Routing routing = route(project(x, prefix + "gate", hidden, config.numExperts),
                          weight(prefix + "gate.e_score_correction_bias", config.numExperts),
                          config.numExpertsPerToken, config.moeRenormalize, config.routedScalingFactor);
  size_t size = config.moeIntermediateSize * latent;
  auto weightsOf = [&](int32_t expert) -> const ExpertWeights & {
    std::string name = prefix + "experts." + std::to_string(expert) + ".";
    auto [entry, isNew] = expertWeights.try_emplace(name);
    if (isNew)
      entry->second = {weight(name + "w1", size), weight(name + "w3", size), weight(name + "w2", size)};
    return entry->second;
  };
  Values z = project(x, prefix + "routed_expert_down_proj", hidden, latent);
  Values routed = experts(z, routing, latent, config.situBeta, config.situLinearBeta, weightsOf);
  // The norm is of the sum over all chosen experts.
  Values normed = rmsNorm(routed, weight(prefix + "routed_expert_norm.weight", latent), config.rmsNormEps);
  Values up = project(normed, prefix + "routed_expert_up_proj", latent, hidden);
  if (taps) {
    std::string name = "layer." + std::to_string(layer) + ".";
    (*taps)[name + "expert_ids"] = Values(routing.ids.begin(), routing.ids.end());
    (*taps)[name + "expert_weights"] = routing.weights;
  }
  return add(up, mlp(x, prefix + "shared_experts.", config.numSharedExperts * config.moeIntermediateSize));
}

Values Model::mix(const std::vector<Values> &bank, const Values &p, const std::string &prefix) {
  std::vector<In> sources(bank.begin(), bank.end());
  sources.push_back(p);
  return attnRes(sources, weight(prefix + "norm.weight", config.hiddenSize),
                 weight(prefix + "proj.weight", config.hiddenSize), config.rmsNormEps)
      .mixed;
}

std::vector<LayerState> Model::makeState(size_t slots, size_t pages, size_t page) const {
  std::vector<LayerState> state(config.numHiddenLayers);
  for (size_t l = 0; l < state.size(); ++l) {
    if (config.isMla(l)) {
      state[l].latent = PagedState(pages, page, config.kvLoraRank + config.qkRopeHeadDim);
      continue;
    }
    state[l].recurrent = SlotState(slots, config.kdaWidth() * config.kdaHeadDim);
    state[l].window = SlotState(slots, (config.shortConvKernelSize - 1) * 3 * config.kdaWidth());
  }
  return state;
}

Expected<Values> Model::step(const Indices &tokens, const Batch &batch, const Indices &logitRows,
                             std::vector<LayerState> &state, Taps *taps) {
  size_t hidden = config.hiddenSize;
  std::vector<Values> bank;
  Values p = embedding(tokens, weight(tower + "embed_tokens.weight", config.vocabSize * hidden), hidden);
  for (size_t l = 0; l < config.numHiddenLayers; ++l) {
    std::string prefix = tower + "layers." + std::to_string(l) + ".";
    auto tap = [&](const char *name, const Values &values) {
      if (taps)
        (*taps)["layer." + std::to_string(l) + "." + name] = values;
    };
    Values x = bank.empty() ? p : mix(bank, p, prefix + "self_attention_res_");
    bool blockStarts = l % config.attnResBlockSize == 0;
    if (blockStarts)
      bank.push_back(p);
    Values attnIn = rmsNorm(x, weight(prefix + "input_layernorm.weight", hidden), config.rmsNormEps);
    Values attnOut = config.isMla(l) ? mla(attnIn, prefix + "self_attn.", batch, state[l])
                                     : kda(attnIn, prefix + "self_attn.", batch, state[l]);
    p = blockStarts ? attnOut : add(p, attnOut);
    Values ffnIn = rmsNorm(mix(bank, p, prefix + "mlp_res_"),
                           weight(prefix + "post_attention_layernorm.weight", hidden), config.rmsNormEps);
    Values ffnOut = config.isDense(l) ? mlp(ffnIn, prefix + "mlp.", config.intermediateSize)
                                      : latentMoe(ffnIn, l, prefix + "block_sparse_moe.", taps);
    p = add(p, ffnOut);
    tap("attn_in", attnIn), tap("attn_out", attnOut), tap("ffn_in", ffnIn), tap("ffn_out", ffnOut),
        tap("p", p);
    if (!failure.ok())
      return failure;
  }
  Values mixed = mix(bank, p, tower + "output_attn_res_");
  Values final = rmsNorm(mixed, weight(tower + "norm.weight", hidden), config.rmsNormEps);
  if (taps)
    (*taps)["final_hidden"] = final;
  Values logits =
      project(gatherRows(final, logitRows, hidden), "language_model.lm_head", hidden, config.vocabSize);
  if (!failure.ok())
    return failure;
  return logits;
}

Expected<Values> Model::forward(const Indices &tokens, Taps *taps) {
  size_t pages = (tokens.size() + 63) / 64;
  std::vector<LayerState> state = makeState(1, pages);
  Indices rows(tokens.size());
  std::iota(rows.begin(), rows.end(), 0);
  return step(tokens, Batch::single(tokens.size(), 0, pages), rows, state, taps);
}
