//===- Given.h - Tensors of a file that replace computed ones ----*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TOOLS_RUN_GIVEN_H
#define K3_TOOLS_RUN_GIVEN_H

#include "lib/Safetensors/File.h"
#include "tools/run/Session.h"

#include <map>

namespace k3::run {

class GivenTensors {
public:
  /// The tensors "<set>.<tap>" of the file whose tap is writable and has a part that `names` matches. Each
  /// has a row for every prompt token, sequences in order. None at all is an error.
  static Expected<GivenTensors> open(const std::string &path, const std::string &set,
                                     const std::string &names, const Session &session, size_t promptTokens);

  /// Gives the next step the rows of its tokens and of its logit rows (numbers of prompt tokens; -1: a zero
  /// row).
  Status give(Session &session, const std::vector<int64_t> &tokenRows,
              const std::vector<int64_t> &logitRows) const;

  size_t size() const { return tensors.size(); }

private:
  struct Given {
    TensorView view;
    bool byLogitRow;
  };
  explicit GivenTensors(SafetensorsFile file) : file(std::move(file)) {}

  SafetensorsFile file;
  std::map<std::string, Given> tensors; // by tap
};

} // namespace k3::run

#endif // K3_TOOLS_RUN_GIVEN_H
