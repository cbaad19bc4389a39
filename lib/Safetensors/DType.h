//===- DType.h - Element types of a safetensors file ------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types that a safetensors header may name.
//
//===----------------------------------------------------------------------===//

#ifndef K3_SAFETENSORS_DTYPE_H
#define K3_SAFETENSORS_DTYPE_H

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace k3 {

enum class DType : uint8_t {
  Bool,
  U8,
  I8,
  U16,
  I16,
  U32,
  I32,
  U64,
  I64,
  F16,
  BF16,
  F32,
  F64,
  F8E4M3,
  F8E5M2,
  F8E8M0,
  F6E2M3,
  F6E3M2,
  F4
};

/// As the header spells it: "BF16", "F8_E4M3", ...
std::string_view dtypeName(DType dtype);

/// None where the name is unknown.
std::optional<DType> parseDType(std::string_view name);

unsigned dtypeBits(DType dtype);

/// Bytes of a dense tensor. None where a dim is negative, the product overflows, or the elements do not fill
/// whole bytes.
std::optional<uint64_t> tensorBytes(DType dtype, std::span<const int64_t> shape);

} // namespace k3

#endif // K3_SAFETENSORS_DTYPE_H
