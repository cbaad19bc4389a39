//===- Recorder.h - What --logits and --dump-tensors write -------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the rows of every step by sequence, so that chunks and batches of any cut give the same files: for
// each tensor the rows of sequence 0 in order of position, then those of sequence 1, and so on.
//
//===----------------------------------------------------------------------===//

#ifndef K3_TOOLS_RUN_RECORDER_H
#define K3_TOOLS_RUN_RECORDER_H

#include "tools/run/Session.h"

#include <map>

namespace k3::run {

/// Which rows a step has: token rows and logit rows, each of some sequence.
struct StepRows {
  std::vector<size_t> tokenSequence;  ///< by token row
  std::vector<int64_t> logitSequence; ///< by logit row; -1: a row without values
};

class Recorder {
public:
  Recorder(size_t sequences, uint32_t vocab, bool logits, bool taps)
      : sequenceCount(sequences), vocab(vocab), keepLogits(logits || taps), keepTaps(taps),
        logitRows(sequences) {}

  /// After a step.
  Status record(Session &session, const StepRows &rows);
  /// After the last step: state taps, then the file.
  Status writeTensors(Session &session, const std::string &path);
  /// NumPy array, f32 [rows, vocab].
  Status writeLogits(const std::string &path) const;

private:
  struct Rows {
    k3_dtype dtype = K3_F32;
    std::vector<int64_t> rowDims;              ///< without dimension 0
    std::vector<std::vector<std::byte>> bytes; ///< by sequence
  };
  std::vector<float> joinedLogits() const;

  size_t sequenceCount;
  uint32_t vocab;
  bool keepLogits, keepTaps;
  std::vector<std::vector<float>> logitRows; // by sequence
  std::map<std::string, Rows> taps;
};

} // namespace k3::run

#endif // K3_TOOLS_RUN_RECORDER_H
