//===- GraphRun.cpp - Runs a package of a hand-written graph --------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/run/GraphRun.h"

#include "lib/Safetensors/File.h"
#include "lib/Safetensors/Writer.h"
#include "tools/run/FileTypes.h"

#include <cstring>
#include <numeric>

using namespace k3;
using namespace k3::run;

static Tensor toTensor(const std::vector<int32_t> &values) {
  Tensor tensor;
  tensor.dtype = K3_I32;
  tensor.dims = {static_cast<int64_t>(values.size())};
  tensor.bytes.resize(values.size() * 4);
  if (!values.empty())
    std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

/// An array of the step ABI for one sequence of `rows` tokens.
static std::optional<std::vector<int32_t>> defaultArray(const k3_graph_array &array, int64_t rows,
                                                        bool past) {
  std::string_view name = array.name;
  auto upTo = [](uint64_t end) {
    std::vector<int32_t> all(static_cast<size_t>(end));
    std::iota(all.begin(), all.end(), 0);
    return all;
  };
  auto count = static_cast<int32_t>(rows);
  if (name == "cu_seqlens")
    return std::vector<int32_t>{0, count};
  if (name == "context_lens")
    return std::vector<int32_t>{past ? 16 : 0};
  if (name == "read_slots" || name == "write_slots" || name == "draft_lens" || name == "accepted")
    return std::vector<int32_t>{0};
  if (name == "ckpt_slots" || name == "ckpt_rows")
    return std::vector<int32_t>{};
  if (name == "logit_rows")
    return upTo(static_cast<uint64_t>(rows));
  if (name == "block_table")
    return upTo(array.row_length);
  return std::nullopt;
}

static Status giveInputs(Session &session, const std::vector<k3_graph_array> &arrays, const std::string &path,
                         const std::string &set) {
  K3_ASSIGN(SafetensorsFile file, SafetensorsFile::open(path));
  std::vector<k3_graph_array> missing;
  int64_t rows = 0;
  bool past = false;
  for (const k3_graph_array &array : arrays) {
    if (array.is_output)
      continue;
    std::optional<TensorView> found = file.find(set.empty() ? array.name : set + "." + array.name);
    if (!found) {
      if (!array.is_state)
        missing.push_back(array);
      continue;
    }
    past |= array.is_state != 0;
    if (rows == 0 && !array.is_state && !defaultArray(array, 0, false) && !found->shape.empty())
      rows = found->shape[0];
    std::optional<k3_dtype> dtype = arrayType(found->dtype);
    if (!dtype || found->shape.size() > 8)
      return unsupported(path + ": tensor '" + std::string(found->name) + "' is " + found->typeText() +
                         ", which no input takes");
    Tensor tensor{
        *dtype, {found->shape.begin(), found->shape.end()}, {found->bytes.begin(), found->bytes.end()}};
    K3_TRY(session.giveGraph(array.name, tensor));
  }
  for (const k3_graph_array &array : missing) {
    auto values = defaultArray(array, rows, past);
    if (!values)
      return badInput(path + ": no tensor '" + (set.empty() ? "" : set + ".") + array.name +
                      "', an input of the graph");
    Tensor tensor = toTensor(*values);
    if (array.rank == 2)
      tensor.dims = {1, static_cast<int64_t>(values->size())};
    K3_TRY(session.giveGraph(array.name, tensor));
  }
  return Status::success();
}

Status run::runGraph(Session &session, const std::string &given, const std::string &set,
                     const std::string &dump) {
  std::vector<k3_graph_array> arrays = session.graphArrays();
  K3_TRY(giveInputs(session, arrays, given, set));
  K3_TRY(session.runGraph());
  SafetensorsWriter writer;
  std::vector<Tensor> results;
  results.reserve(arrays.size());
  for (const k3_graph_array &array : arrays) {
    if (!array.is_output && !array.is_state)
      continue;
    K3_ASSIGN(Tensor result, session.readGraph(array.name));
    results.push_back(std::move(result));
    K3_ASSIGN(DType dtype, fileType(results.back().dtype));
    K3_TRY(writer.add(array.name, dtype, results.back().dims, results.back().bytes));
  }
  return writer.write(dump);
}
