//===- Model.h - The whole text tower in fp64 -------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole text tower in fp64, on top of the single ops: an independent twin of a compiled step. It takes
// ragged batches with slots and pages as a step does. Weights come through a function, so that tests can feed
// anything.
//
//===----------------------------------------------------------------------===//

#ifndef K3_REFERENCE_MODEL_H
#define K3_REFERENCE_MODEL_H

#include "lib/Reference/Batch.h"
#include "lib/Reference/Config.h"
#include "lib/Reference/Moe.h"
#include "lib/Support/Status.h"

#include <functional>
#include <map>
#include <string>

namespace k3::reference {

/// The values of a weight, row-major, by its name in the checkpoint. An expert matrix is asked for without
/// the suffix of its parts (`...experts.3.w1`) and comes decoded.
using WeightLookup = std::function<Expected<Values>(const std::string &name)>;

/// What a step computed on its way, by golden name without the set: `layer.{l}.attn_in`, `attn_out`,
/// `ffn_in`, `ffn_out`, `p` [T, D]; `expert_ids`, `expert_weights` [T, top]; `final_hidden` [T, D].
using Taps = std::map<std::string, Values>;

/// State of all sequences; KDA layers use `recurrent` and `window`, MLA layers `latent`.
struct LayerState {
  SlotState recurrent; ///< [H, V, K]
  SlotState window;    ///< [taps - 1, 3 H K], columns q | k | v
  PagedState latent;   ///< [kvLoraRank + qkRopeHeadDim]
};

class Model {
public:
  /// `lookup` is kept; each weight is asked for when a step first needs it.
  Model(Config config, WeightLookup lookup) : config(std::move(config)), lookup(std::move(lookup)) {}

  const Config &configuration() const { return config; }

  /// Empty state for so many slots and pages.
  std::vector<LayerState> makeState(size_t slots, size_t pages, size_t page = 64) const;

  /// One step: the logits [R, vocab] of the rows `logitRows` (indices of tokens; -1 gives zero logits). Fails
  /// where a weight is missing or has a wrong size.
  Expected<Values> step(const Indices &tokens, const Batch &batch, const Indices &logitRows,
                        std::vector<LayerState> &state, Taps *taps = nullptr);

  /// Logits [T, vocab] of all rows of one sequence from empty state.
  Expected<Values> forward(const Indices &tokens, Taps *taps = nullptr);

private:
  /// A weight of `size` values (`padded`: of at least so many). After a failure weights are zeros of the
  /// right size and `failure` says why.
  const Values &weight(const std::string &name, size_t size, bool padded = false);
  /// The linear layer of that weight: x [T, K] -> [T, rows].
  Values project(In x, const std::string &name, size_t inner, size_t rows);

  Values kda(In x, const std::string &prefix, const Batch &batch, LayerState &state);
  Values mla(In x, const std::string &prefix, const Batch &batch, LayerState &state);
  Values mlp(In x, const std::string &prefix, size_t intermediate);
  Values latentMoe(In x, size_t layer, const std::string &prefix, Taps *taps);
  Values mix(const std::vector<Values> &bank, const Values &p, const std::string &prefix);

  Config config;
  WeightLookup lookup;
  std::map<std::string, Values> weights;
  std::map<std::string, ExpertWeights> expertWeights;
  Status failure;
};

} // namespace k3::reference

#endif // K3_REFERENCE_MODEL_H
