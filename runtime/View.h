//===- View.h - A strided array of a program, resolved ----------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A View of the package with its expressions evaluated and its buffer bound to memory.
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_VIEW_H
#define K3_RUNTIME_VIEW_H

#include "lib/Package/Expr.h"
#include "runtime/Device.h"

#include <array>

namespace k3 {

struct ResolvedView {
  std::byte *data = nullptr;
  fb::DType dtype = fb::DType::None;
  static constexpr size_t maxRank = 8;
  size_t rank = 0;
  std::array<int64_t, maxRank> dims{}, strides{}; ///< strides in elements; `rank` of each
  uint64_t elementBytes = 0;

  std::vector<int64_t> shape() const { return {dims.begin(), dims.begin() + rank}; }

  int64_t elements() const;
  uint64_t bytes() const { return static_cast<uint64_t>(elements()) * elementBytes; }
  DeviceArray array() const;
};

/// Evaluates `view`; buffers are those of Package.buffers. Fails where it would leave its buffer. A view
/// without strides is dense.
Expected<ResolvedView> resolveView(const fb::ViewT &view, const SymbolValues &symbols,
                                   const std::vector<DeviceMemory> &buffers);

/// Between a view and a dense row-major host array of the same shape.
Status copyViewOut(Device &device, const ResolvedView &view, void *destination);
Status copyViewIn(Device &device, const ResolvedView &view, const void *source);

} // namespace k3

#endif // K3_RUNTIME_VIEW_H
