//===- Gf2.h - Linear maps over GF(2), a column per word --------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A map from index bits to coordinate bits is a list of columns: bit i of the index contributes column i by
// XOR.
//
//===----------------------------------------------------------------------===//

#ifndef K3_LAYOUT_GF2_H
#define K3_LAYOUT_GF2_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace k3::layout::gf2 {

/// XOR of the columns whose bit is set in `index`.
uint32_t apply(std::span<const uint32_t> columns, uint32_t index);

unsigned rank(std::span<const uint32_t> columns);

/// The columns of the inverse of a square map of columns.size() bits; none where it is singular.
std::optional<std::vector<uint32_t>> inverse(std::span<const uint32_t> columns);

} // namespace k3::layout::gf2

#endif // K3_LAYOUT_GF2_H
