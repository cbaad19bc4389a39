//===- Config.h - Sizes of a Kimi K3 text tower -----------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the reference model needs of config.json (text_config); field names as there.
//
//===----------------------------------------------------------------------===//

#ifndef K3_REFERENCE_CONFIG_H
#define K3_REFERENCE_CONFIG_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace k3::reference {

struct Config {
  size_t hiddenSize, numHiddenLayers, vocabSize;
  double rmsNormEps;
  size_t attnResBlockSize;

  // linear_attn_config
  size_t kdaHeads, kdaHeadDim, shortConvKernelSize;
  double gateLowerBound;
  std::vector<size_t> fullAttnLayers; ///< Counted from 1; all others are KDA.

  size_t numAttentionHeads, qLoraRank, kvLoraRank, qkNopeHeadDim, qkRopeHeadDim, vHeadDim;
  double mlaNormEps = 1e-6; ///< Of q_a_layernorm and kv_a_layernorm; no field of the config says it.

  size_t firstKDenseReplace, intermediateSize;
  size_t numExperts, numExpertsPerToken, numSharedExperts, moeIntermediateSize, routedExpertHiddenSize;
  bool moeRenormalize;
  double routedScalingFactor;
  double situBeta, situLinearBeta;

  /// Layers count from 0.
  bool isMla(size_t layer) const {
    return std::find(fullAttnLayers.begin(), fullAttnLayers.end(), layer + 1) != fullAttnLayers.end();
  }
  bool isDense(size_t layer) const { return layer < firstKDenseReplace; }
  size_t kdaWidth() const { return kdaHeads * kdaHeadDim; }
};

} // namespace k3::reference

#endif // K3_REFERENCE_CONFIG_H
