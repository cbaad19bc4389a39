//===- View.cpp - A strided array of a program, resolved ------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/View.h"

#include "lib/Package/DType.h"

using namespace k3;

int64_t ResolvedView::elements() const {
  int64_t count = 1;
  for (size_t i = 0; i < rank; ++i)
    count *= dims[i];
  return count;
}

DeviceArray ResolvedView::array() const {
  if (rank == 0)
    return {data, 1, 1};
  return {data, dims[0], strides[0]};
}

Expected<ResolvedView> k3::resolveView(const fb::ViewT &view, const SymbolValues &symbols,
                                       const std::vector<DeviceMemory> &buffers) {
  auto where = [&] { return "view '" + view.name + "' of buffer " + std::to_string(view.buffer); };
  if (view.buffer >= buffers.size())
    return internalError(where() + ": there is no such buffer");
  // tryEvaluate first: a step resolves thousands of views, and building an Expected is the larger part of the
  // cost.
  auto value = [&](const fb::ExprT &expression, int64_t &out) {
    return tryEvaluate(expression, symbols, out) ? Status::success()
                                                 : evaluate(expression, symbols).takeStatus();
  };
  ResolvedView result;
  result.dtype = view.dtype;
  result.elementBytes = bitWidth(view.dtype) / 8;
  result.rank = view.dims.size();
  if (result.rank > ResolvedView::maxRank)
    return unsupported(where() + " has " + std::to_string(result.rank) + " dimensions");
  int64_t offset = 0;
  if (view.offset)
    K3_TRY(value(*view.offset, offset));
  int64_t denseStride = 1, last = 0;
  bool empty = false;
  for (size_t i = result.rank; i-- > 0;) {
    K3_TRY(value(*view.dims[i]->size, result.dims[i]));
    result.strides[i] = denseStride;
    if (i < view.strides.size() && view.strides[i])
      K3_TRY(value(*view.strides[i], result.strides[i]));
    denseStride *= result.dims[i];
    empty |= result.dims[i] <= 0;
    last += (result.dims[i] - 1) * result.strides[i];
  }
  uint64_t end = static_cast<uint64_t>(offset) + static_cast<uint64_t>(last + 1) * result.elementBytes;
  if (offset < 0 || last < 0 ? !empty : (!empty && end > buffers[view.buffer].bytes))
    return internalError(where() + " ends at byte " + std::to_string(end) + ", the buffer has " +
                         std::to_string(buffers[view.buffer].bytes));
  result.data = buffers[view.buffer].data + offset;
  return result;
}

/// Calls move(device offset in bytes, host offset in bytes, bytes) for every contiguous run of the view.
template <typename Move>
static Status forEachRun(const ResolvedView &view, Move move) {
  if (view.elements() == 0)
    return Status::success();
  // The longest dense tail of the dimensions is one run.
  size_t outer = view.rank;
  int64_t run = 1;
  while (outer > 0 && (view.dims[outer - 1] == 1 || view.strides[outer - 1] == run))
    run *= view.dims[--outer];
  std::vector<int64_t> index(outer, 0);
  uint64_t runBytes = static_cast<uint64_t>(run) * view.elementBytes;
  for (uint64_t hostOffset = 0;; hostOffset += runBytes) {
    int64_t element = 0;
    for (size_t i = 0; i < outer; ++i)
      element += index[i] * view.strides[i];
    K3_TRY(move(static_cast<uint64_t>(element) * view.elementBytes, hostOffset, runBytes));
    size_t i = outer;
    while (i > 0 && ++index[i - 1] == view.dims[i - 1])
      index[--i] = 0;
    if (i == 0)
      return Status::success();
  }
}

Status k3::copyViewOut(Device &device, const ResolvedView &view, void *destination) {
  return forEachRun(view, [&](uint64_t deviceOffset, uint64_t hostOffset, uint64_t bytes) {
    return device.copyOut(static_cast<std::byte *>(destination) + hostOffset, view.data + deviceOffset,
                          bytes);
  });
}

Status k3::copyViewIn(Device &device, const ResolvedView &view, const void *source) {
  return forEachRun(view, [&](uint64_t deviceOffset, uint64_t hostOffset, uint64_t bytes) {
    return device.copyIn(view.data + deviceOffset, static_cast<const std::byte *>(source) + hostOffset,
                         bytes);
  });
}
