//===- Block.cpp - MX blocks: 32 elements that share a scale --------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Mx/Block.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace k3;
using namespace k3::mx;

uint8_t mx::quantizeBlock(const ElementFormat &format, std::span<const float, blockSize> values,
                          std::span<uint8_t, blockSize> codes) {
  float amax = 0;
  bool finite = true;
  for (float value : values) {
    finite &= std::isfinite(value) != 0;
    amax = std::max(amax, std::fabs(value));
  }
  int exponent = -127;
  if (finite && amax > 0)
    exponent = std::clamp(std::ilogb(amax) - format.largestExponent(), -127, 127);
  for (size_t i = 0; i < blockSize; ++i)
    codes[i] = encode(format, std::ldexp(static_cast<double>(values[i]), -exponent));
  return finite ? static_cast<uint8_t>(exponent + 127) : 255;
}

void mx::quantizeMxfp4Row(std::span<const float> values, std::span<uint8_t> packed,
                          std::span<uint8_t> scales) {
  assert(values.size() % blockSize == 0 && packed.size() * 2 == values.size() &&
         scales.size() * blockSize == values.size());
  for (size_t block = 0; block < scales.size(); ++block) {
    uint8_t codes[blockSize];
    scales[block] = quantizeBlock(e2m1, values.subspan(block * blockSize).first<blockSize>(), codes);
    for (size_t i = 0; i < blockSize; i += 2)
      packed[(block * blockSize + i) / 2] = static_cast<uint8_t>(codes[i] | codes[i + 1] << 4);
  }
}

template <typename T>
static void dequantizeRow(std::span<const uint8_t> packed, std::span<const uint8_t> scales,
                          std::span<T> values) {
  assert(packed.size() * 2 == values.size() && scales.size() * blockSize == values.size());
  static constexpr double elements[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6};
  for (size_t block = 0; block < scales.size(); ++block) {
    double scale = decodeE8m0(scales[block]);
    for (size_t i = block * blockSize; i < (block + 1) * blockSize; i += 2) {
      values[i] = static_cast<T>(elements[packed[i / 2] & 0xF] * scale);
      values[i + 1] = static_cast<T>(elements[packed[i / 2] >> 4] * scale);
    }
  }
}

void mx::dequantizeMxfp4Row(std::span<const uint8_t> packed, std::span<const uint8_t> scales,
                            std::span<float> values) {
  dequantizeRow(packed, scales, values);
}

void mx::dequantizeMxfp4Row(std::span<const uint8_t> packed, std::span<const uint8_t> scales,
                            std::span<double> values) {
  dequantizeRow(packed, scales, values);
}

std::string BadScale::text() const {
  return "row " + std::to_string(row) + ", block " + std::to_string(block) + ": scale byte " +
         std::to_string(scale) + (scale == 255 ? " is NaN" : " makes a value overflow float");
}

std::optional<BadScale> mx::findBadScale(std::span<const uint8_t> packed, std::span<const uint8_t> scales,
                                         size_t rows, size_t columns) {
  size_t blocks = columns / blockSize;
  assert(columns % blockSize == 0 && packed.size() == rows * columns / 2 && scales.size() == rows * blocks);
  for (size_t i = 0; i < scales.size(); ++i) {
    uint8_t scale = scales[i];
    if (scale < 253) // 6 * 2^(252 - 127) = 1.5 * 2^127 is a float.
      continue;
    bool bad = scale == 255;
    uint8_t largest = scale == 253 ? 0x5 : 0x3; // 3 * 2^126 and 1.5 * 2^127.
    for (uint8_t byte : packed.subspan(i * blockSize / 2, blockSize / 2))
      bad |= (byte & 0x7) > largest || (byte >> 4 & 0x7) > largest;
    if (bad)
      return BadScale{i / blocks, i % blocks, scale};
  }
  return std::nullopt;
}
