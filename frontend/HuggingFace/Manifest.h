//===- Manifest.h - A checkpoint against the weights of its config -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the names of a checkpoint with the weights that the config asks for, both ways; and shapes and
// dtypes where the shard files are there. Tensors of the vision tower are counted as skipped.
//
//===----------------------------------------------------------------------===//

#ifndef K3_FRONTEND_HUGGINGFACE_MANIFEST_H
#define K3_FRONTEND_HUGGINGFACE_MANIFEST_H

#include "frontend/HuggingFace/Weights.h"
#include "lib/Safetensors/Checkpoint.h"

namespace k3 {

/// What a checkpoint holds. Bytes of the index alone are those of the released dtypes and shapes.
struct Inventory {
  uint64_t textTensors = 0, textBytes = 0;
  uint64_t skippedTensors = 0, skippedBytes = 0;
};

/// Counts tensors and bytes of `weights` without any checkpoint.
Inventory countWeights(const std::vector<WeightSpec> &weights);

/// Checks `checkpoint` against `weights`. With the shards on disk every header is compared and `shape` of a
/// padded weight (`used`) becomes that of the file; with only an index the names are compared, and the bytes
/// as far as metadata.total_size tells them. Errors: the first missing, unknown or different tensor, and how
/// many more.
Expected<Inventory> checkCheckpoint(const Checkpoint &checkpoint, std::vector<WeightSpec> &weights);

} // namespace k3

#endif // K3_FRONTEND_HUGGINGFACE_MANIFEST_H
