//===- Import.h - A Hugging Face model directory as k3 IR -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a module of layer-level k3 ops from config.json, and checks the checkpoint beside it (safetensors
// files, or only their index, or nothing where weights will be random).
//
// Names that passes rely on. A value has the name location of its tensor in a dump: "layer.{l}.attn_in",
// ".attn_out",
// ".ffn_in", ".ffn_out", ".p" and "logits"; "final_mix" is the value before the final norm. Every op of layer
// l has the attribute `k3.layer = l`.
//
//===----------------------------------------------------------------------===//

#ifndef K3_FRONTEND_HUGGINGFACE_IMPORT_H
#define K3_FRONTEND_HUGGINGFACE_IMPORT_H

#include "frontend/HuggingFace/Manifest.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace k3 {

struct ImportOptions {
  std::string precision = "f32"; ///< Of activations and state: "f32" or "bf16".
  int64_t maxTokens = 256;       ///< Tokens of one step.
  int64_t maxSeqs = 8;           ///< Sequences of one step.
  int64_t maxContext = 0;        ///< Tokens of one sequence; 0: max_position_embeddings, but at most 4096.
  bool allLogits = false;        ///< Room for the logits of every token of a step, not of one a sequence.
  double mlaNormEps =
      1e-6; ///< Of the two low-rank norms of MLA; the released code builds them with this value.
};

struct ImportReport {
  ModelConfig config;
  Inventory inventory;
  std::vector<std::string> remarks; ///< One line each; what was skipped, what could not be checked.
};

/// The module of `directory`. Attributes: k3.version, k3.mesh (all axes 1), k3.precision, k3.model,
/// k3.limits, k3.skipped. Symbols: every weight and state. Functions: @step (the 11 arrays of the step ABI ->
/// logits[R, vocab] in f32), @copy_state, @sample. Errors name the file and the field or tensor.
Expected<mlir::OwningOpRef<mlir::ModuleOp>> importHuggingFace(mlir::MLIRContext &context,
                                                              const std::string &directory,
                                                              const ImportOptions &options,
                                                              ImportReport *report = nullptr);

/// The module of a config and its weights, without any file.
mlir::OwningOpRef<mlir::ModuleOp> buildModule(mlir::MLIRContext &context, const ModelConfig &config,
                                              const std::vector<WeightSpec> &weights,
                                              const ImportOptions &options, const Inventory &inventory);

} // namespace k3

#endif // K3_FRONTEND_HUGGINGFACE_IMPORT_H
