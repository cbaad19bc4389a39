//===- Formats.cpp - Small floating-point formats, bit-exact --------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Mx/Formats.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace k3;
using namespace k3::mx;

/// The magnitude of a code without sign and specials.
static double magnitude(int exponentField, int mantissa, int mantissaBits, int bias) {
  int hidden = exponentField > 0 ? 1 << mantissaBits : 0;
  return std::ldexp(hidden + mantissa, std::max(exponentField, 1) - bias - mantissaBits);
}

/// The code (exponent and mantissa) nearest to a finite magnitude, ties to even, as if exponents had no upper
/// end.
static uint64_t nearestCode(double value, int mantissaBits, int bias) {
  int exponent = value == 0 ? 1 - bias : std::max(std::ilogb(value), 1 - bias);
  // In units of the last place: below 2^(mantissaBits + 1), so exact up to the rounding itself.
  double scaled = std::ldexp(value, mantissaBits - exponent);
  double floor = std::floor(scaled);
  uint64_t units = static_cast<uint64_t>(floor);
  if (scaled - floor > 0.5 || (scaled - floor == 0.5 && (units & 1)))
    ++units;
  // Subnormals have exponent 1 and fewer units; a carry into the exponent is the next code as well.
  return (static_cast<uint64_t>(exponent + bias - 1) << mantissaBits) + units;
}

double mx::decode(const ElementFormat &format, uint8_t code) {
  int mantissa = code & ((1 << format.mantissaBits) - 1);
  int exponent = (code >> format.mantissaBits) & ((1 << format.exponentBits) - 1);
  double sign = (code & format.signBit()) ? -1.0 : 1.0;
  if ((code & (format.signBit() - 1)) > format.largest)
    return format.specials == ElementFormat::Specials::Ieee && mantissa == 0
               ? sign * std::numeric_limits<double>::infinity()
               : std::numeric_limits<double>::quiet_NaN();
  return sign * magnitude(exponent, mantissa, format.mantissaBits, format.bias);
}

uint8_t mx::encode(const ElementFormat &format, double value) {
  if (std::isnan(value))
    return format.specials == ElementFormat::Specials::None ? format.largest : 0x7F;
  uint8_t sign = std::signbit(value) ? format.signBit() : 0;
  if (std::isinf(value))
    return sign | format.largest;
  uint64_t code = nearestCode(std::fabs(value), format.mantissaBits, format.bias);
  return sign | static_cast<uint8_t>(std::min<uint64_t>(code, format.largest));
}

double mx::decodeE8m0(uint8_t code) {
  return code == 255 ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, code - 127);
}

uint16_t mx::encodeBf16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return static_cast<uint16_t>(bits >> 16 | 0x40); // Stays quiet NaN even where its payload was low.
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

float mx::decodeF16(uint16_t code) {
  float sign = (code & 0x8000) ? -1.0f : 1.0f;
  int exponent = code >> 10 & 0x1F, mantissa = code & 0x3FF;
  if (exponent == 0x1F)
    return mantissa ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
  return sign * static_cast<float>(magnitude(exponent, mantissa, 10, 15));
}

uint16_t mx::encodeF16(float value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | 0x7E00;
  if (std::isinf(value))
    return sign | 0x7C00;
  return sign | static_cast<uint16_t>(std::min<uint64_t>(nearestCode(std::fabs(value), 10, 15), 0x7C00));
}
