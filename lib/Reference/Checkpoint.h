//===- Checkpoint.h - The reference model of a model directory ---*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what the reference model needs from a Hugging Face directory: sizes from config.json, weights as
// doubles from the checkpoint. It trusts a sound directory; the frontend is the one that checks every field.
//
//===----------------------------------------------------------------------===//

#ifndef K3_REFERENCE_CHECKPOINT_H
#define K3_REFERENCE_CHECKPOINT_H

#include "lib/Reference/Model.h"
#include "lib/Safetensors/Checkpoint.h"

#include <memory>

namespace k3::reference {

/// Reads text_config of `directory`/config.json. A missing field is an error that names it.
Expected<Config> readConfig(const std::string &directory);

/// The elements of a tensor as doubles; fails for the sub-byte types, which need a scale.
Expected<Values> toDoubles(const TensorView &tensor);

/// Weights of a checkpoint; a name without tensor of its own is an MXFP4 matrix in `.weight_packed` and
/// `.weight_scale`.
WeightLookup checkpointWeights(std::shared_ptr<const Checkpoint> checkpoint);

/// Both: the model of a directory.
Expected<Model> loadModel(const std::string &directory);

} // namespace k3::reference

#endif // K3_REFERENCE_CHECKPOINT_H
