//===- Import.cpp - A Hugging Face model directory as k3 IR -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/HuggingFace/Import.h"

#include "lib/Support/Text.h"

#include <filesystem>

using namespace k3;
namespace fs = std::filesystem;

static constexpr int64_t kDefaultContext = 4096;

/// Whether there is a checkpoint or an index of one. Random weights need none.
static bool hasCheckpoint(const std::string &directory) {
  std::error_code error;
  if (fs::exists(fs::path(directory) / "model.safetensors.index.json", error))
    return true;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".safetensors")
      return true;
  return false;
}

static Status checkOptions(ImportOptions &options, const ModelConfig &config) {
  if (options.precision != "f32" && options.precision != "bf16")
    return badUsage("precision is '" + options.precision + "', expected f32 or bf16");
  for (auto [name, value] : {std::pair("max-tokens", options.maxTokens), {"max-seqs", options.maxSeqs}})
    if (value < 1 || value > (int64_t(1) << 24))
      return badUsage(std::string(name) + " is " + std::to_string(value) + ", expected 1 to 2^24");
  if (options.maxContext == 0)
    options.maxContext = std::min(config.maxPositions, kDefaultContext);
  if (options.maxContext < 1 || options.maxContext > config.maxPositions)
    return badUsage("max-context is " + std::to_string(options.maxContext) + ", expected 1 to " +
                    std::to_string(config.maxPositions) + " (max_position_embeddings of the model)");
  return Status::success();
}

/// What a person should know about the checkpoint.
static void addRemarks(ImportReport &report, const std::string &directory, bool checked, bool headers) {
  const Inventory &inventory = report.inventory;
  if (!checked)
    report.remarks.push_back(directory + ": no safetensors file or index; weights were not checked");
  else if (!headers)
    report.remarks.push_back(directory +
                             ": only the index is there; names were checked, shapes and dtypes not");
  if (inventory.skippedTensors)
    report.remarks.push_back("skipped " + groupDigits(inventory.skippedTensors) +
                             " tensors of the vision tower (" + groupDigits(inventory.skippedBytes) +
                             " bytes)");
}

Expected<mlir::OwningOpRef<mlir::ModuleOp>> k3::importHuggingFace(mlir::MLIRContext &context,
                                                                  const std::string &directory,
                                                                  const ImportOptions &given,
                                                                  ImportReport *report) {
  std::error_code error;
  if (!fs::is_directory(directory, error))
    return badInput(directory + ": no such model directory");
  ImportReport own;
  ImportReport &r = report ? *report : own;
  K3_ASSIGN(r.config, readConfig(directory));
  ImportOptions options = given;
  K3_TRY(checkOptions(options, r.config));

  std::vector<WeightSpec> weights = textWeights(r.config);
  if (hasCheckpoint(directory)) {
    K3_ASSIGN(std::unique_ptr<Checkpoint> checkpoint, Checkpoint::open(directory));
    K3_ASSIGN(r.inventory, checkCheckpoint(*checkpoint, weights));
    addRemarks(r, directory, /*checked=*/true, checkpoint->shardsPresent());
  } else {
    r.inventory = countWeights(weights);
    addRemarks(r, directory, /*checked=*/false, /*headers=*/false);
  }
  return buildModule(context, r.config, weights, options, r.inventory);
}
