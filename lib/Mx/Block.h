//===- Block.h - MX blocks: 32 elements that share a scale ------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MX blocks: 32 elements along the input dimension share one E8M0 scale. MXFP4 as stored by the checkpoint
// packs two E2M1 elements into a byte, the even one in the low nibble.
//
//===----------------------------------------------------------------------===//

#ifndef K3_MX_BLOCK_H
#define K3_MX_BLOCK_H

#include "lib/Mx/Formats.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace k3::mx {

inline constexpr size_t blockSize = 32;

/// Quantises one block to one code per byte and returns the scale byte. The scale is
/// 2^(floor(log2 amax) - largestExponent), within the range of E8M0; a block of zeros has scale byte 0.
/// Elements are rounded to nearest even and saturate; tiny negative ones become minus zero. A block with a
/// NaN or an infinity has scale byte 255 (NaN).
uint8_t quantizeBlock(const ElementFormat &format, std::span<const float, blockSize> values,
                      std::span<uint8_t, blockSize> codes);

/// The value of an element of a block.
inline double dequantize(const ElementFormat &format, uint8_t code, uint8_t scale) {
  return decode(format, code) * decodeE8m0(scale);
}

/// Quantises one row to MXFP4. `values`: n, a multiple of 32; `packed`: n / 2; `scales`: n / 32.
void quantizeMxfp4Row(std::span<const float> values, std::span<uint8_t> packed, std::span<uint8_t> scales);

/// Decodes one row of MXFP4, exactly. In float a value can overflow to infinity: see findBadScale.
void dequantizeMxfp4Row(std::span<const uint8_t> packed, std::span<const uint8_t> scales,
                        std::span<float> values);
void dequantizeMxfp4Row(std::span<const uint8_t> packed, std::span<const uint8_t> scales,
                        std::span<double> values);

/// A block of an MXFP4 matrix whose scale byte cannot be used.
struct BadScale {
  size_t row, block;
  uint8_t scale;
  /// "row 3, block 1: scale byte 255 is NaN" or "...: scale byte 254 makes a value overflow float".
  std::string text() const;
};

/// The first block of a [rows, columns] MXFP4 matrix with scale byte 255, or with 253 or 254 and an element
/// that overflows float (magnitude above 3 or 1.5). All other scale bytes are legal.
std::optional<BadScale> findBadScale(std::span<const uint8_t> packed, std::span<const uint8_t> scales,
                                     size_t rows, size_t columns);

} // namespace k3::mx

#endif // K3_MX_BLOCK_H
