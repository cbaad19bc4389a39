//===- Session.h - A package, its weights and sequences -----*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API with owners and Status, as k3-run uses it.
//
//===----------------------------------------------------------------------===//

#ifndef K3_TOOLS_RUN_SESSION_H
#define K3_TOOLS_RUN_SESSION_H

#include "lib/Support/Status.h"
#include "runtime/include/k3/runtime.h"
#include "tools/run/Input.h"

#include <cstddef>
#include <string>
#include <vector>

namespace k3::run {

/// Takes over the text and frees the status.
Status toStatus(k3_status status);

/// A tensor that was read from a tap.
struct Tensor {
  k3_dtype dtype = K3_F32;
  std::vector<int64_t> dims;
  std::vector<std::byte> bytes;
};

struct SessionOptions {
  std::string package, weights, device;
  uint32_t threads = 0, sequences = 1;
  bool recordTaps = false, stats = false;
};

class Session {
public:
  Session() = default;
  Session(const Session &) = delete;
  ~Session();

  Status loadPackage(const std::string &path);
  /// Opens and packs the weights, with a progress bar where stderr is a terminal; makes the sequences.
  Status loadWeights(const SessionOptions &options);

  const k3_package_info &info() const { return packageInfo; }
  const std::vector<k3_tap_info> &taps() const { return tapList; }
  /// The package gives logits of every token of a step.
  bool allLogits() const { return packageInfo.max_logit_rows >= packageInfo.max_tokens; }

  /// One step; `members` are numbers of sequences.
  Status step(const std::vector<size_t> &members, const std::vector<TokenList> &tokens, k3_logit_mode mode);
  Status sample(std::vector<int32_t> &ids);
  Expected<const float *> logits(size_t row);
  /// `sequence` -1: a tap of the last step, else a state tap of that sequence.
  Expected<Tensor> readTap(const std::string &name, int64_t sequence = -1);
  Status giveTap(const std::string &name, const Tensor &value);
  /// Of a package of graphs alone.
  std::vector<k3_graph_array> graphArrays() const;
  Status giveGraph(const std::string &name, const Tensor &value);
  Status runGraph();
  Expected<Tensor> readGraph(const std::string &name);
  /// The table of --stats.
  std::string statsTable() const;

private:
  k3_package *package = nullptr;
  k3_weights *weights = nullptr;
  k3_context *context = nullptr;
  k3_package_info packageInfo{};
  std::vector<k3_tap_info> tapList;
  std::vector<k3_sequence *> sequences;
};

} // namespace k3::run

#endif // K3_TOOLS_RUN_SESSION_H
