//===- Diff.h - Compares the tensors of two files -------------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TOOLS_DUMP_DIFF_H
#define K3_TOOLS_DUMP_DIFF_H

#include "lib/Support/Status.h"

#include <optional>
#include <string>

namespace k3 {

struct DiffOptions {
  std::string result, reference;   ///< safetensors files.
  std::optional<double> tolerance; ///< On ||result - reference|| / ||reference||, per tensor.
  std::string names;               ///< ECMAScript regular expression, whole name; empty: all.
  /// Where a file has names with this prefix, only those count, without it.
  std::string stripPrefix;
  /// Of reference tensors with these names only the last columns are compared, as many as the result has.
  std::string lastColumns;
  bool allowExtra = false; ///< Names of the result only are no difference.
  bool commonOnly = false; ///< Names of one file only are no difference.
};

/// Prints a line per tensor and one that sums up on standard output. The value says whether all names are in
/// both files and all tensors agree in shape and within the tolerance (without one: are free of NaNs).
Expected<bool> diffTensors(const DiffOptions &options);

} // namespace k3

#endif // K3_TOOLS_DUMP_DIFF_H
