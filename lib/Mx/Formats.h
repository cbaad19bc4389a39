//===- Formats.h - Small floating-point formats, bit-exact ------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element and scale formats of the OCP Microscaling (MX) specification 1.0, and the two 16-bit formats.
// Decoding is exact; encoding rounds to nearest even and saturates.
//
//===----------------------------------------------------------------------===//

#ifndef K3_MX_FORMATS_H
#define K3_MX_FORMATS_H

#include <bit>
#include <cstdint>

namespace k3::mx {

/// A format with a sign bit: value = (-1)^s * 2^(max(E, 1) - bias) * (M / 2^mantissaBits + [E > 0]).
struct ElementFormat {
  enum class Specials : uint8_t {
    None,    ///< Every code is a finite number.
    NanOnly, ///< Exponent and mantissa all ones are NaN; no infinity (E4M3).
    Ieee,    ///< Exponent all ones: infinity (mantissa 0) and NaNs (E5M2).
  };
  const char *name;
  int exponentBits, mantissaBits, bias;
  Specials specials;
  uint8_t largest; ///< Code of the largest finite number.

  constexpr int bits() const { return 1 + exponentBits + mantissaBits; }
  constexpr uint8_t signBit() const { return static_cast<uint8_t>(1u << (bits() - 1)); }
  /// The exponent of the largest finite number; 2 for E2M1 (6 = 1.5 * 2^2).
  constexpr int largestExponent() const { return (largest >> mantissaBits) - bias; }
};

inline constexpr ElementFormat e2m1{"E2M1", 2, 1, 1, ElementFormat::Specials::None, 0x07};    // 6
inline constexpr ElementFormat e2m3{"E2M3", 2, 3, 1, ElementFormat::Specials::None, 0x1F};    // 7.5
inline constexpr ElementFormat e3m2{"E3M2", 3, 2, 3, ElementFormat::Specials::None, 0x1F};    // 28
inline constexpr ElementFormat e4m3{"E4M3", 4, 3, 7, ElementFormat::Specials::NanOnly, 0x7E}; // 448
inline constexpr ElementFormat e5m2{"E5M2", 5, 2, 15, ElementFormat::Specials::Ieee, 0x7B};   // 57344

/// The value of a code; bits above the format's are ignored.
double decode(const ElementFormat &format, uint8_t code);

/// The code nearest to `value`, ties to the even code; larger magnitudes and infinities become the largest
/// finite number, the sign of zero is kept. NaN becomes the NaN 0x7F, or the largest number where the format
/// has none.
uint8_t encode(const ElementFormat &format, double value);

/// An E8M0 scale: 2^(code - 127); 255 is NaN.
double decodeE8m0(uint8_t code);

/// bfloat16: the upper half of a float.
inline float decodeBf16(uint16_t code) { return std::bit_cast<float>(static_cast<uint32_t>(code) << 16); }
/// Nearest even; overflow gives infinity, NaN stays NaN.
uint16_t encodeBf16(float value);

/// IEEE binary16.
float decodeF16(uint16_t code);
/// Nearest even; overflow gives infinity, NaN stays NaN.
uint16_t encodeF16(float value);

} // namespace k3::mx

#endif // K3_MX_FORMATS_H
