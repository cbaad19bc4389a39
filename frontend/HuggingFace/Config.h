//===- Config.h - What config.json says about a Kimi K3 text tower -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads config.json of a Kimi K3 model directory with the field names of the released model. A field that is
// unknown, missing, contradictory or has a value that no part of the stack supports is an error naming it.
//
//===----------------------------------------------------------------------===//

#ifndef K3_FRONTEND_HUGGINGFACE_CONFIG_H
#define K3_FRONTEND_HUGGINGFACE_CONFIG_H

#include "lib/Support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace k3 {

/// Dimensions and constants of the text tower; layers count from 0.
struct ModelConfig {
  int64_t hidden = 0, layers = 0, vocab = 0, maxPositions = 0;
  double eps = 0;           ///< Of every RMSNorm but the two low-rank ones of MLA.
  int64_t attnResBlock = 0; ///< Layers of one block of the attention residuals.

  int64_t kdaHeads = 0, kdaDim = 0, convWidth = 0;
  double gateBound = 0;

  int64_t mlaHeads = 0, qLora = 0, kvLora = 0, nope = 0, rope = 0, vDim = 0;

  int64_t denseLayers = 0, denseWidth = 0; ///< The first `denseLayers` layers have a dense FFN.
  int64_t experts = 0, top = 0, sharedExperts = 0, expertWidth = 0, latent = 0;
  double routedScale = 0;
  bool renormalize = false;
  double beta = 0, linearBeta = 0; ///< SiTU.

  int64_t bos = 0, eos = 0, pad = 0;
  std::vector<bool> isMla; ///< By layer; the others are KDA.
  uint64_t hash = 0;       ///< Of the bytes of config.json.

  bool isDense(int64_t layer) const { return layer < denseLayers; }
  int64_t kdaWidth() const { return kdaHeads * kdaDim; }
  int64_t sharedWidth() const { return sharedExperts * expertWidth; }
  /// A vocabulary of bytes needs no tokenizer.
  bool bytesVocabulary() const { return vocab == 256; }
};

/// The text of config.json; `file` names it in messages.
Expected<ModelConfig> parseConfig(std::string_view text, const std::string &file);

/// `directory`/config.json.
Expected<ModelConfig> readConfig(const std::string &directory);

} // namespace k3

#endif // K3_FRONTEND_HUGGINGFACE_CONFIG_H
