//===- MxTest.cpp - MX formats: every code, every tie, golden blocks ------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Mx/Block.h"
#include "test/unit/Golden.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace k3;
using namespace k3::mx;
using namespace k3::test;

static constexpr const ElementFormat *formats[] = {&e2m1, &e2m3, &e3m2, &e4m3, &e5m2};

TEST(MxFormats, LargestAndSmallest) {
  EXPECT_EQ(decode(e2m1, 0x7), 6);
  EXPECT_EQ(decode(e2m3, 0x1F), 7.5);
  EXPECT_EQ(decode(e3m2, 0x1F), 28);
  EXPECT_EQ(decode(e4m3, 0x7E), 448);
  EXPECT_EQ(decode(e5m2, 0x7B), 57344);
  EXPECT_EQ(decode(e2m1, 1), 0.5);
  EXPECT_EQ(decode(e2m3, 1), 0.125);
  EXPECT_EQ(decode(e3m2, 1), 0x1p-4);
  EXPECT_EQ(decode(e4m3, 1), 0x1p-9);
  EXPECT_EQ(decode(e5m2, 1), 0x1p-16);
  EXPECT_TRUE(std::isnan(decode(e4m3, 0x7F)) && std::isnan(decode(e4m3, 0xFF)));
  EXPECT_EQ(decode(e5m2, 0xFC), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(decode(e5m2, 0x7D)));
}

TEST(MxFormats, EveryCodeSurvives) {
  for (const ElementFormat *format : formats)
    for (int code = 0; code < 1 << format->bits(); ++code) {
      double value = decode(*format, static_cast<uint8_t>(code));
      if (std::isfinite(value)) {
        EXPECT_EQ(encode(*format, value), code) << format->name;
      }
    }
}

TEST(MxFormats, EveryTieGoesToEven) {
  for (const ElementFormat *format : formats)
    for (uint8_t code = 0; code < format->largest; ++code) {
      uint8_t next = code + 1;
      double middle = (decode(*format, code) + decode(*format, next)) / 2; // Exact in double.
      EXPECT_EQ(encode(*format, middle), code % 2 ? next : code) << format->name << " " << middle;
      EXPECT_EQ(encode(*format, -middle), format->signBit() | (code % 2 ? next : code)) << format->name;
      EXPECT_EQ(encode(*format, std::nextafter(middle, 0)), code) << format->name << " below " << middle;
      EXPECT_EQ(encode(*format, std::nextafter(middle, 1e9)), next) << format->name << " above " << middle;
    }
}

TEST(MxFormats, SaturatesAndKeepsMinusZero) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const ElementFormat *format : formats) {
    for (double large : {1e6, 1e300, inf}) {
      EXPECT_EQ(encode(*format, large), format->largest);
      EXPECT_EQ(encode(*format, -large), format->signBit() | format->largest);
    }
    EXPECT_EQ(encode(*format, -0.0), format->signBit());
    EXPECT_EQ(encode(*format, -1e-300), format->signBit());
    EXPECT_EQ(encode(*format, std::numeric_limits<double>::denorm_min()), 0);
  }
  EXPECT_EQ(encode(e4m3, std::nan("")), 0x7F);
  EXPECT_EQ(encode(e2m1, std::nan("")), 0x7);
}

TEST(MxFormats, Bf16AndF16EveryCode) {
  for (uint32_t code = 0; code < 65536; ++code) {
    uint16_t c = static_cast<uint16_t>(code);
    if (float value = decodeBf16(c); !std::isnan(value))
      ASSERT_EQ(encodeBf16(value), c);
    else
      ASSERT_TRUE(std::isnan(decodeBf16(encodeBf16(value))));
    if (float value = decodeF16(c); !std::isnan(value))
      ASSERT_EQ(encodeF16(value), c);
    else
      ASSERT_TRUE(std::isnan(decodeF16(encodeF16(value))));
  }
  EXPECT_EQ(decodeF16(0x3C01), 1 + 0x1p-10f);
  EXPECT_EQ(decodeF16(0x0001), 0x1p-24f);
}

TEST(MxFormats, Bf16AndF16EveryTie) {
  for (uint16_t code = 0; code < 0x7F80; ++code) {
    float middle = std::bit_cast<float>(static_cast<uint32_t>(code) << 16 | 0x8000);
    ASSERT_EQ(encodeBf16(middle), code + code % 2);
    ASSERT_EQ(encodeBf16(std::nextafter(middle, 0.0f)), code);
  }
  for (uint16_t code = 0; code < 0x7BFF; ++code) {
    float middle = (decodeF16(code) + decodeF16(code + 1)) / 2;
    ASSERT_EQ(encodeF16(middle), code + code % 2);
    ASSERT_EQ(encodeF16(std::nextafter(middle, 0.0f)), code);
    ASSERT_EQ(encodeF16(std::nextafter(middle, 1e9f)), code + 1);
  }
  EXPECT_EQ(encodeF16(65520.0f), 0x7C00); // Half way to 2^16: infinity.
  EXPECT_EQ(encodeF16(65519.0f), 0x7BFF);
}

TEST(MxBlock, EveryByteTimesEveryScale) {
  constexpr double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (int scale = 0; scale < 255; ++scale)
    for (int byte = 0; byte < 256; ++byte) {
      std::vector<uint8_t> packed(16, static_cast<uint8_t>(byte));
      uint8_t scales[] = {static_cast<uint8_t>(scale)};
      double exact[32];
      float single[32];
      dequantizeMxfp4Row(packed, scales, std::span<double>(exact));
      dequantizeMxfp4Row(packed, scales, std::span<float>(single));
      bool overflows = false;
      for (int half = 0; half < 2; ++half) {
        int nibble = half ? byte >> 4 : byte & 15;
        double expected =
            std::ldexp(nibble & 8 ? -magnitudes[nibble & 7] : magnitudes[nibble & 7], scale - 127);
        ASSERT_EQ(exact[half], expected);
        ASSERT_EQ(std::signbit(exact[half]), (nibble & 8) != 0);
        ASSERT_EQ(single[30 + half], static_cast<float>(expected));
        overflows |= std::isinf(static_cast<float>(expected));
        if (!std::isinf(single[half])) { // No value is rounded or flushed.
          ASSERT_EQ(static_cast<double>(single[half]), expected);
        }
      }
      ASSERT_EQ(findBadScale(packed, scales, 1, 32).has_value(), overflows) << scale << " " << byte;
    }
}

TEST(MxBlock, Scale255IsRefusedByPlace) {
  std::vector<uint8_t> packed(3 * 32, 0), scales(3 * 2, 254);
  EXPECT_FALSE(findBadScale(packed, scales, 3, 64));
  scales[5] = 255;
  EXPECT_EQ(findBadScale(packed, scales, 3, 64)->text(), "row 2, block 1: scale byte 255 is NaN");
  packed[2 * 32 + 3] = 0x40;
  EXPECT_EQ(findBadScale(packed, scales, 3, 64)->text(),
            "row 2, block 0: scale byte 254 makes a value overflow float");
}

TEST(MxBlock, QuantiseEdges) {
  std::vector<float> values(32, 0.0f);
  uint8_t codes[32];
  auto quantize = [&] {
    return quantizeBlock(e2m1, std::span<const float, 32>(values.data(), 32), std::span<uint8_t, 32>(codes));
  };
  EXPECT_EQ(quantize(), 0);
  values[3] = 7.9f; // Saturates: the scale is that of 4.
  values[4] = -1e-9f;
  EXPECT_EQ(quantize(), 127);
  EXPECT_EQ(codes[3], 7);
  EXPECT_EQ(codes[4], 8);
  values[3] = std::numeric_limits<float>::max();
  EXPECT_EQ(quantize(), 252);
  values[3] = std::numeric_limits<float>::denorm_min();
  values[4] = 0;
  EXPECT_EQ(quantize(), 0);
  values[3] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(quantize(), 255);
}

TEST(MxBlock, GoldenTable) {
  K3_GOLDEN_OR_SKIP(folder);
  Expected<SafetensorsFile> file = SafetensorsFile::open(folder + "/ops/ops.safetensors");
  ASSERT_TRUE(file.ok()) << file.status().text();
  std::vector<uint8_t> scales = goldenValues<uint8_t>(*file, "mxfp4.table_scales");
  std::vector<double> table = goldenValues<double>(*file, "mxfp4.table");
  ASSERT_EQ(table.size(), scales.size() * 512);
  for (size_t s = 0; s < scales.size(); ++s)
    for (size_t byte = 0; byte < 256; ++byte) {
      ASSERT_EQ(dequantize(e2m1, byte & 15, scales[s]), table[(s * 256 + byte) * 2]);
      ASSERT_EQ(dequantize(e2m1, static_cast<uint8_t>(byte >> 4), scales[s]),
                table[(s * 256 + byte) * 2 + 1]);
    }
}

TEST(MxBlock, GoldenQuantisation) {
  K3_GOLDEN_OR_SKIP(folder);
  Expected<SafetensorsFile> file = SafetensorsFile::open(folder + "/ops/ops.safetensors");
  ASSERT_TRUE(file.ok()) << file.status().text();
  std::vector<float> input = goldenValues<float>(*file, "mxfp4.quant.input");
  ASSERT_EQ(input.size(), 12u * 64);
  std::vector<uint8_t> packed(12 * 32), scales(12 * 2);
  std::vector<double> values(12 * 64);
  quantizeMxfp4Row(input, packed, scales); // Blocks know no rows.
  dequantizeMxfp4Row(packed, scales, std::span<double>(values));
  EXPECT_EQ(packed, goldenValues<uint8_t>(*file, "mxfp4.quant.packed"));
  EXPECT_EQ(scales, goldenValues<uint8_t>(*file, "mxfp4.quant.scale"));
  EXPECT_EQ(values, goldenValues<double>(*file, "mxfp4.quant.dequant"));
}
