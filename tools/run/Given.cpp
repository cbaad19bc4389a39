//===- Given.cpp - Tensors of a file that replace computed ones -----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/run/Given.h"

#include "tools/run/FileTypes.h"

#include <cstring>
#include <regex>

using namespace k3;
using namespace k3::run;

Expected<GivenTensors> GivenTensors::open(const std::string &path, const std::string &set,
                                          const std::string &names, const Session &session,
                                          size_t promptTokens) {
  std::regex pattern;
  try {
    pattern = names;
  } catch (const std::regex_error &) {
    return badUsage("--given-names: '" + names + "' is no regular expression");
  }
  K3_ASSIGN(SafetensorsFile file, SafetensorsFile::open(path));
  GivenTensors given(std::move(file));
  for (const k3_tap_info &tap : session.taps()) {
    if (!tap.writable || !std::regex_search(tap.name, pattern))
      continue;
    std::optional<TensorView> tensor = given.file.find(set + "." + tap.name);
    if (!tensor)
      continue;
    if (!arrayType(tensor->dtype))
      return badInput(path + ": tensor '" + std::string(tensor->name) + "' is " + tensor->typeText() +
                      ", no tensor of a graph has this element type");
    if (tensor->shape.empty() || tensor->shape.size() > 8 ||
        tensor->shape[0] != static_cast<int64_t>(promptTokens))
      return badInput(path + ": tensor '" + std::string(tensor->name) + "' is " + tensor->typeText() +
                      ", expected a row for each of the " + std::to_string(promptTokens) + " prompt tokens");
    given.tensors.emplace(tap.name, Given{*tensor, tap.by_logit_row != 0});
  }
  if (given.tensors.empty())
    return badInput(path + ": no tensor '" + set + ".<tap>' is a writable tap of the package and matches '" +
                    names + "'");
  return given;
}

Status GivenTensors::give(Session &session, const std::vector<int64_t> &tokenRows,
                          const std::vector<int64_t> &logitRows) const {
  for (const auto &[tap, given] : tensors) {
    const std::vector<int64_t> &rows = given.byLogitRow ? logitRows : tokenRows;
    Tensor tensor;
    tensor.dtype = *arrayType(given.view.dtype);
    tensor.dims.assign(given.view.shape.begin(), given.view.shape.end());
    size_t rowBytes = given.view.bytes.size() / static_cast<size_t>(given.view.shape[0]);
    tensor.dims[0] = static_cast<int64_t>(rows.size());
    tensor.bytes.resize(rows.size() * rowBytes);
    for (size_t i = 0; i < rows.size(); ++i)
      if (rows[i] >= 0 && rowBytes != 0)
        std::memcpy(tensor.bytes.data() + i * rowBytes,
                    given.view.bytes.data() + static_cast<size_t>(rows[i]) * rowBytes, rowBytes);
    K3_TRY(session.giveTap(tap, tensor));
  }
  return Status::success();
}
