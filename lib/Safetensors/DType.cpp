//===- DType.cpp - Element types of a safetensors file --------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Safetensors/DType.h"

#include <iterator>

using namespace k3;

namespace {
struct Entry {
  std::string_view name;
  unsigned bits;
};
} // namespace

/// Indexed by DType.
static constexpr Entry entries[] = {
    {"BOOL", 8},    {"U8", 8},      {"I8", 8},      {"U16", 16},    {"I16", 16}, {"U32", 32}, {"I32", 32},
    {"U64", 64},    {"I64", 64},    {"F16", 16},    {"BF16", 16},   {"F32", 32}, {"F64", 64}, {"F8_E4M3", 8},
    {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F4", 4}};
static_assert(std::size(entries) == static_cast<size_t>(DType::F4) + 1);

std::string_view k3::dtypeName(DType dtype) { return entries[static_cast<size_t>(dtype)].name; }

unsigned k3::dtypeBits(DType dtype) { return entries[static_cast<size_t>(dtype)].bits; }

std::optional<DType> k3::parseDType(std::string_view name) {
  for (size_t i = 0; i < std::size(entries); ++i)
    if (entries[i].name == name)
      return static_cast<DType>(i);
  return std::nullopt;
}

std::optional<uint64_t> k3::tensorBytes(DType dtype, std::span<const int64_t> shape) {
  uint64_t elements = 1;
  for (int64_t dim : shape)
    if (dim < 0 || __builtin_mul_overflow(elements, static_cast<uint64_t>(dim), &elements))
      return std::nullopt;
  uint64_t bits;
  if (__builtin_mul_overflow(elements, static_cast<uint64_t>(dtypeBits(dtype)), &bits) || bits % 8 != 0)
    return std::nullopt;
  return bits / 8;
}
