//===- Tensor.cpp - Register tiles as whole arrays ------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Tensor.h"
#include "lib/Mx/Formats.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace k3::emu {

// The conversions of the GPU give one NaN, whatever the NaN that comes in.
static const float kNan16 = std::bit_cast<float>(0x7FFF0000u);

static uint16_t toBf16(float value) {
  // Elements are rounded already, so this only drops zeros.
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
}

float roundTo(Elem elem, float value) {
  switch (elem) {
  case Elem::BF16:
    return std::isnan(value) ? kNan16 : mx::decodeBf16(mx::encodeBf16(value));
  case Elem::F16:
    return std::isnan(value) ? kNan16 : mx::decodeF16(mx::encodeF16(value));
  case Elem::F8E4M3:
    return static_cast<float>(mx::decode(mx::e4m3, mx::encode(mx::e4m3, value)));
  case Elem::F8E5M2:
    return static_cast<float>(mx::decode(mx::e5m2, mx::encode(mx::e5m2, value)));
  default:
    return value;
  }
}

static int64_t product(const std::vector<int64_t> &shape) {
  int64_t n = 1;
  for (int64_t extent : shape)
    n *= extent;
  return n;
}

Tensor::Tensor(Elem elem, std::vector<int64_t> extents) : elem(elem), shape(std::move(extents)) {
  if (isFloat(elem))
    f.resize(product(shape));
  else
    n.resize(product(shape));
}

int64_t Tensor::count() const { return static_cast<int64_t>(isFloat(elem) ? f.size() : n.size()); }

template <typename T>
static T at(const uint8_t *from, int64_t i) {
  T value;
  std::memcpy(&value, from + i * sizeof(T), sizeof(T));
  return value;
}
template <typename T>
static void put(uint8_t *to, int64_t i, T value) {
  std::memcpy(to + i * sizeof(T), &value, sizeof(T));
}

void decodeFloats(Elem elem, const uint8_t *from, float *to, int64_t stride, int64_t count) {
  switch (elem) {
  case Elem::F32:
    for (int64_t i = 0; i < count; ++i)
      to[i * stride] = at<float>(from, i);
    return;
  case Elem::BF16:
    for (int64_t i = 0; i < count; ++i)
      to[i * stride] = std::bit_cast<float>(static_cast<uint32_t>(at<uint16_t>(from, i)) << 16);
    return;
  case Elem::F16:
    for (int64_t i = 0; i < count; ++i)
      to[i * stride] = mx::decodeF16(at<uint16_t>(from, i));
    return;
  case Elem::F8E4M3:
    for (int64_t i = 0; i < count; ++i)
      to[i * stride] = static_cast<float>(mx::decode(mx::e4m3, from[i]));
    return;
  default:
    for (int64_t i = 0; i < count; ++i)
      to[i * stride] = static_cast<float>(mx::decode(mx::e5m2, from[i]));
  }
}

void decodeElements(Tensor &tensor, int64_t first, const uint8_t *from, int64_t count) {
  if (isFloat(tensor.elem)) {
    decodeFloats(tensor.elem, from, tensor.f.data() + first, 1, count);
    return;
  }
  int32_t *to = tensor.n.data() + first;
  for (int64_t i = 0; i < count; ++i)
    switch (tensor.elem) {
    case Elem::I32:
      to[i] = at<int32_t>(from, i);
      break;
    case Elem::I16:
      to[i] = at<int16_t>(from, i);
      break;
    default:
      to[i] = static_cast<int8_t>(from[i]);
    }
}

void encodeElements(const Tensor &tensor, int64_t first, uint8_t *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    switch (tensor.elem) {
    case Elem::F32:
      put(to, i, tensor.f[first + i]);
      break;
    case Elem::BF16:
      put(to, i, toBf16(tensor.f[first + i]));
      break;
    case Elem::F16: {
      float value = tensor.f[first + i];
      put(to, i, std::isnan(value) ? uint16_t(0x7FFF) : mx::encodeF16(value));
      break;
    }
    case Elem::F8E4M3:
      to[i] = mx::encode(mx::e4m3, tensor.f[first + i]);
      break;
    case Elem::F8E5M2:
      to[i] = mx::encode(mx::e5m2, tensor.f[first + i]);
      break;
    case Elem::I32:
      put(to, i, tensor.n[first + i]);
      break;
    case Elem::I16:
      put(to, i, static_cast<int16_t>(tensor.n[first + i]));
      break;
    default:
      to[i] = static_cast<uint8_t>(tensor.n[first + i]);
    }
}

} // namespace k3::emu
