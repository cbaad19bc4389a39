//===- Recorder.cpp - What --logits and --dump-tensors write ----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/run/Recorder.h"

#include "lib/Safetensors/Writer.h"
#include "lib/Support/AtomicFile.h"
#include "tools/run/FileTypes.h"

using namespace k3;
using namespace k3::run;

Status Recorder::record(Session &session, const StepRows &rows) {
  if (keepLogits) {
    for (size_t row = 0; row < rows.logitSequence.size(); ++row) {
      if (rows.logitSequence[row] < 0)
        continue;
      K3_ASSIGN(const float *values, session.logits(row));
      std::vector<float> &list = logitRows[static_cast<size_t>(rows.logitSequence[row])];
      list.insert(list.end(), values, values + vocab);
    }
  }
  if (!keepTaps)
    return Status::success();
  for (const k3_tap_info &tap : session.taps()) {
    if (tap.is_state)
      continue;
    K3_ASSIGN(Tensor tensor, session.readTap(tap.name));
    size_t count = tap.by_logit_row ? rows.logitSequence.size() : rows.tokenSequence.size();
    if (tensor.dims.empty() || tensor.dims[0] != static_cast<int64_t>(count))
      return internalError("tap '" + std::string(tap.name) + "' has no row per " +
                           (tap.by_logit_row ? "logit row" : "token"));
    Rows &kept = taps[tap.name];
    kept.dtype = tensor.dtype;
    kept.rowDims.assign(tensor.dims.begin() + 1, tensor.dims.end());
    kept.bytes.resize(sequenceCount);
    size_t rowBytes = count ? tensor.bytes.size() / count : 0;
    for (size_t row = 0; row < count; ++row) {
      int64_t sequence =
          tap.by_logit_row ? rows.logitSequence[row] : static_cast<int64_t>(rows.tokenSequence[row]);
      if (sequence < 0)
        continue;
      auto from = tensor.bytes.begin() + static_cast<std::ptrdiff_t>(row * rowBytes);
      auto &list = kept.bytes[static_cast<size_t>(sequence)];
      list.insert(list.end(), from, from + static_cast<std::ptrdiff_t>(rowBytes));
    }
  }
  return Status::success();
}

std::vector<float> Recorder::joinedLogits() const {
  std::vector<float> all;
  for (const auto &rows : logitRows)
    all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

Status Recorder::writeTensors(Session &session, const std::string &path) {
  SafetensorsWriter writer;
  std::map<std::string, Tensor> whole;
  for (auto &[name, rows] : taps) {
    Tensor &tensor = whole[name];
    tensor.dtype = rows.dtype;
    for (const auto &bytes : rows.bytes)
      tensor.bytes.insert(tensor.bytes.end(), bytes.begin(), bytes.end());
    int64_t rowBytes = rows.dtype == K3_I64 ? 8 : rows.dtype == K3_BF16 || rows.dtype == K3_F16 ? 2 : 4;
    for (int64_t extent : rows.rowDims)
      rowBytes *= extent;
    tensor.dims = {static_cast<int64_t>(tensor.bytes.size()) / std::max<int64_t>(rowBytes, 1)};
    tensor.dims.insert(tensor.dims.end(), rows.rowDims.begin(), rows.rowDims.end());
  }
  for (const k3_tap_info &tap : session.taps()) {
    if (!tap.is_state)
      continue;
    Tensor &tensor = whole[tap.name];
    for (size_t s = 0; s < sequenceCount; ++s) {
      K3_ASSIGN(Tensor state, session.readTap(tap.name, static_cast<int64_t>(s)));
      if (s == 0) {
        tensor = std::move(state);
        continue;
      }
      tensor.bytes.insert(tensor.bytes.end(), state.bytes.begin(), state.bytes.end());
      tensor.dims[0] += state.dims[0];
    }
  }
  std::vector<float> logits = joinedLogits();
  if (!whole.contains("logits"))
    K3_TRY(writer.add("logits", DType::F32, {static_cast<int64_t>(logits.size() / vocab), vocab}, logits));
  for (const auto &[name, tensor] : whole) {
    K3_ASSIGN(DType dtype, fileType(tensor.dtype));
    K3_TRY(writer.add(name, dtype, tensor.dims, tensor.bytes));
  }
  return writer.write(path);
}

Status Recorder::writeLogits(const std::string &path) const {
  std::vector<float> logits = joinedLogits();
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       std::to_string(logits.size() / vocab) + ", " + std::to_string(vocab) + "), }";
  // Magic, version 1.0 and the length of the header are 10 bytes; the whole is a multiple of 64 and ends in a
  // newline.
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::string prefix("\x93NUMPY\x01\x00", 8);
  prefix += static_cast<char>(header.size() & 0xFF);
  prefix += static_cast<char>(header.size() >> 8);
  K3_ASSIGN(AtomicFile file, AtomicFile::create(path));
  K3_TRY(file.write(prefix + header));
  K3_TRY(file.write(logits.data(), logits.size() * sizeof(float)));
  return file.commit();
}
