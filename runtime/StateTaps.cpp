//===- StateTaps.cpp - The state of a sequence as a plain tensor ----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State taps: slot layout -> the layout of the golden data. Recurrent state as it is; of a conv window the
// tap's channels, channel-major (the window itself is row-major, oldest row first); a paged cache without its
// pages.
//
//===----------------------------------------------------------------------===//

#include "runtime/Context.h"

#include "lib/Package/DType.h"

#include <cstring>

using namespace k3;

static const fb::TapT *findStateTap(const fb::PackageT &package, const std::string &name) {
  for (const auto &program : package.programs)
    if (program->kind == fb::Kind::Step)
      for (const auto &tap : program->taps)
        if (tap->name == name && !tap->state.empty())
          return tap.get();
  return nullptr;
}

static const fb::StateT *findState(const fb::PackageT &package, const std::string &name) {
  for (const auto &state : package.states)
    if (state->name == name)
      return state.get();
  return nullptr;
}

/// Columns [first, first + count) of a [rows, width] array, transposed to [count, rows].
static void transposeColumns(const std::vector<std::byte> &window, uint64_t rows, uint64_t width,
                             uint64_t first, uint64_t count, uint64_t elementBytes, HostArray &result) {
  result.dims = {static_cast<int64_t>(count), static_cast<int64_t>(rows)};
  result.bytes.resize(count * rows * elementBytes);
  for (uint64_t column = 0; column < count; ++column)
    for (uint64_t row = 0; row < rows; ++row)
      std::memcpy(result.bytes.data() + (column * rows + row) * elementBytes,
                  window.data() + (row * width + first + column) * elementBytes, elementBytes);
}

Expected<HostArray> Context::readStateTap(const Sequence &sequence, const std::string &name) const {
  const fb::PackageT &package = stepEngine->package().get();
  const fb::TapT *tap = findStateTap(package, name);
  if (!tap)
    return badInput("the package has no state tap '" + name + "'");
  const fb::StateT *state = findState(package, tap->state);
  if (!state)
    return badInput("state tap '" + name + "' names a state '" + tap->state +
                    "' that the package does not have");
  HostArray result;
  result.dtype = state->dtype;
  uint64_t elementBytes = bitWidth(state->dtype) / 8;
  const auto &shape = state->local_shape.empty() ? state->shape : state->local_shape;
  auto slot = static_cast<uint64_t>(sequence.slot);
  std::vector<std::byte> raw;

  if (state->kind == fb::StateKind::Paged) {
    uint64_t width = 1;
    for (uint64_t extent : shape)
      width *= extent;
    result.dims = {static_cast<int64_t>(sequence.length), static_cast<int64_t>(width)};
    uint64_t rowBytes = width * elementBytes;
    for (uint64_t row = 0; row < sequence.length; row += state->page_rows) {
      uint64_t page = static_cast<uint64_t>(sequence.pages[row / state->page_rows]);
      K3_TRY(stepEngine->readState(*state, page, raw));
      raw.resize(std::min<uint64_t>(state->page_rows, sequence.length - row) * rowBytes);
      result.bytes.insert(result.bytes.end(), raw.begin(), raw.end());
    }
    return result;
  }
  if (sequence.length > 0) {
    K3_TRY(stepEngine->readState(*state, slot, raw));
  } else { // a slot that was never written
    raw.resize(denseBytes(state->dtype, shape).value_or(0));
  }
  if (state->kind == fb::StateKind::Conv && shape.size() == 2) {
    uint64_t first = tap->first_column, count = tap->columns ? tap->columns : shape[1];
    if (first > shape[1] || count > shape[1] - first)
      return badInput("state tap '" + name + "' names columns that state '" + state->name +
                      "' does not have");
    transposeColumns(raw, shape[0], shape[1], first, count, elementBytes, result);
    return result;
  }
  result.dims.assign(shape.begin(), shape.end());
  result.bytes = std::move(raw);
  return result;
}
