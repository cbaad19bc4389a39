//===- DType.h - Names and widths of element types ------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PACKAGE_DTYPE_H
#define K3_PACKAGE_DTYPE_H

#include "lib/Package/Package_generated.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace k3 {

/// Bits of one stored element; E2M1x2 is a pair in one byte and counts as one element of 8 bits. 0 for None.
unsigned bitWidth(fb::DType type);

/// The name safetensors files use ("F32", "BF16", "F8_E4M3", ...); "?" for a value outside the enum.
std::string_view dtypeName(fb::DType type);

/// Bytes of a dense array of `shape`; nothing when that does not fit 63 bits.
std::optional<uint64_t> denseBytes(fb::DType type, const std::vector<uint64_t> &shape);

} // namespace k3

#endif // K3_PACKAGE_DTYPE_H
