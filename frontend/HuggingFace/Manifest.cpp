//===- Manifest.cpp - A checkpoint against the weights of its config -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/HuggingFace/Manifest.h"

#include "lib/Support/Text.h"

#include <filesystem>
#include <unordered_set>

using namespace k3;

static bool isVision(std::string_view name) {
  return name.starts_with("vision_tower.") || name.starts_with("mm_projector.");
}

/// ` (and 3 more)` after a message about the first of several.
static std::string more(uint64_t count) {
  return count > 1 ? " (and " + groupDigits(count - 1) + " more)" : "";
}

static std::string place(const Checkpoint &checkpoint) {
  return checkpoint.hasIndex()
             ? (std::filesystem::path(checkpoint.path()) / "model.safetensors.index.json").string()
             : checkpoint.path();
}

Inventory k3::countWeights(const std::vector<WeightSpec> &weights) {
  Inventory inventory;
  for (const WeightSpec &spec : weights) {
    // Members are alike: one stands for all.
    WeightSpec one = spec;
    uint64_t members = std::max<int64_t>(spec.members, 1);
    one.members = 0;
    forEachTensor(one, [&](const DiskTensor &tensor) {
      inventory.textTensors += members;
      inventory.textBytes += members * tensorBytes(tensor.dtype, tensor.shape).value_or(0);
      return true;
    });
  }
  return inventory;
}

/// Every name that the config asks for is there.
static Status checkMissing(const Checkpoint &checkpoint, const std::vector<WeightSpec> &weights) {
  uint64_t missing = 0;
  std::string first;
  for (const WeightSpec &spec : weights)
    forEachTensor(spec, [&](const DiskTensor &tensor) {
      if (!checkpoint.contains(tensor.name) && missing++ == 0)
        first = "tensor '" + tensor.name + "' is missing, the config needs " +
                std::string(dtypeName(tensor.dtype)) + " " + shapeText(tensor.shape) + " (" + spec.why + ")";
      return true;
    });
  return missing ? badInput(place(checkpoint) + ": " + first + more(missing)) : Status::success();
}

/// No name is there that the config does not ask for, the vision tower apart.
static Status checkExtra(const Checkpoint &checkpoint, const std::vector<WeightSpec> &weights,
                         uint64_t extra) {
  std::unordered_set<std::string> wanted;
  for (const WeightSpec &spec : weights)
    forEachTensor(spec, [&](const DiskTensor &tensor) {
      wanted.insert(tensor.name);
      return true;
    });
  for (std::string_view name : checkpoint.names())
    if (!isVision(name) && !wanted.count(std::string(name)))
      return badInput(place(checkpoint) + ": tensor '" + std::string(name) +
                      "' does not belong to the model of config.json" + more(extra));
  return Status::success();
}

/// Shape and dtype of one tensor. A padded weight takes over the length of the file.
static Status checkOnDisk(const Checkpoint &checkpoint, WeightSpec &spec, const DiskTensor &tensor,
                          uint64_t &bytes) {
  Expected<TensorView> view = checkpoint.lookup(tensor.name);
  if (!view)
    return view.takeStatus();
  bytes += view->bytes.size();
  if (spec.used && view->dtype == tensor.dtype && view->shape.size() == 1 && view->shape[0] >= spec.used) {
    spec.shape.assign(view->shape.begin(), view->shape.end());
    return Status::success();
  }
  return checkTensor(*view, tensor.dtype, tensor.shape, spec.why);
}

/// All headers, when the shards are there.
static Status checkHeaders(const Checkpoint &checkpoint, std::vector<WeightSpec> &weights,
                           Inventory &inventory) {
  inventory.textBytes = 0;
  uint64_t wrong = 0;
  Status first;
  for (WeightSpec &spec : weights)
    forEachTensor(spec, [&](const DiskTensor &tensor) {
      Status status = checkOnDisk(checkpoint, spec, tensor, inventory.textBytes);
      if (!status.ok() && wrong++ == 0)
        first = std::move(status);
      return true;
    });
  if (wrong)
    return {first.code(), first.text() + more(wrong)};
  for (std::string_view name : checkpoint.names()) {
    if (!isVision(name))
      continue;
    Expected<TensorView> view = checkpoint.lookup(name);
    if (!view)
      return view.takeStatus();
    inventory.skippedBytes += view->bytes.size();
  }
  return Status::success();
}

/// What total_size says, when there is only the index.
static Status checkTotalSize(const Checkpoint &checkpoint, Inventory &inventory) {
  std::optional<uint64_t> total = checkpoint.totalSize();
  if (!total)
    return Status::success();
  if (*total < inventory.textBytes || (*total > inventory.textBytes && !inventory.skippedTensors))
    return badInput(place(checkpoint) + ": metadata.total_size is " + groupDigits(*total) +
                    ", the tensors of the text tower take " + groupDigits(inventory.textBytes) +
                    " bytes; expected an index that belongs to config.json");
  inventory.skippedBytes = *total - inventory.textBytes;
  return Status::success();
}

Expected<Inventory> k3::checkCheckpoint(const Checkpoint &checkpoint, std::vector<WeightSpec> &weights) {
  Inventory inventory = countWeights(weights);
  for (std::string_view name : checkpoint.names())
    inventory.skippedTensors += isVision(name);
  K3_TRY(checkMissing(checkpoint, weights));
  // All wanted names are there and names are unique, so more names than wanted are extra ones.
  if (uint64_t extra = checkpoint.names().size() - inventory.skippedTensors - inventory.textTensors)
    K3_TRY(checkExtra(checkpoint, weights, extra));

  size_t present = 0;
  std::error_code error;
  for (size_t shard = 0; shard < checkpoint.shardCount(); ++shard)
    present += std::filesystem::exists(checkpoint.shardPath(shard), error);
  if (present == 0) {
    K3_TRY(checkTotalSize(checkpoint, inventory));
    return inventory;
  }
  for (size_t shard = 0; shard < checkpoint.shardCount(); ++shard)
    if (!std::filesystem::exists(checkpoint.shardPath(shard), error))
      return badInput(checkpoint.shardPath(shard) + ": the shard is missing, the index names " +
                      std::to_string(checkpoint.shardCount()) + " and " + std::to_string(present) +
                      " are there; expected all of them, or none to compile from the index alone");
  K3_TRY(checkHeaders(checkpoint, weights, inventory));
  return inventory;
}
