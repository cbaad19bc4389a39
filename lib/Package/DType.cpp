//===- DType.cpp - Names and widths of element types -------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Package/DType.h"

using namespace k3;

unsigned k3::bitWidth(fb::DType type) {
  switch (type) {
  case fb::DType::None:
    return 0;
  case fb::DType::I64:
    return 64;
  case fb::DType::F32:
  case fb::DType::I32:
    return 32;
  case fb::DType::BF16:
  case fb::DType::F16:
    return 16;
  case fb::DType::U8:
  case fb::DType::I8:
  case fb::DType::Bool:
  case fb::DType::E4M3:
  case fb::DType::E5M2:
  case fb::DType::E2M1x2:
  case fb::DType::E8M0:
  case fb::DType::E2M3:
  case fb::DType::E3M2:
    return 8;
  }
  return 0;
}

std::string_view k3::dtypeName(fb::DType type) {
  switch (type) {
  case fb::DType::E4M3:
    return "F8_E4M3";
  case fb::DType::E5M2:
    return "F8_E5M2";
  case fb::DType::E8M0:
    return "F8_E8M0";
  case fb::DType::E2M3:
    return "F6_E2M3";
  case fb::DType::E3M2:
    return "F6_E3M2";
  case fb::DType::Bool:
    return "BOOL";
  default:
    return type <= fb::DType::MAX ? fb::EnumNameDType(type) : "?";
  }
}

std::optional<uint64_t> k3::denseBytes(fb::DType type, const std::vector<uint64_t> &shape) {
  uint64_t bytes = bitWidth(type) / 8;
  for (uint64_t extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes >> 63)
      return std::nullopt;
  return bytes;
}
