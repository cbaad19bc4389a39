//===- DescriptorTest.cpp - wgmma descriptors read exactly what the layout says -===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Descriptor.h"
#include "lib/Layout/Named.h"

#include <gtest/gtest.h>
#include <random>

using namespace k3;
using namespace k3::layout;

/// Every element of every instruction, at several buffer addresses, from the bits of the descriptor alone.
static void expectReads(const SharedLayout &layout, const OperandEncoding &encoding, int32_t kDim,
                        int32_t perBlock) {
  int32_t bytes = layout.elementBytes(), kStep = 32 / bytes;
  for (int64_t buffer : {int64_t(0), int64_t(1024), int64_t(200 * 1024)})
    for (size_t j = 0; j < encoding.blocks.size(); ++j)
      for (size_t i = 0; i < encoding.steps.size(); ++i) {
        uint64_t bits =
            encoding.constant + (static_cast<uint64_t>(buffer + encoding.blocks[j] + encoding.steps[i]) >> 4);
        for (int32_t mn = 0; mn < perBlock; ++mn)
          for (int32_t k = 0; k < kStep; ++k) {
            int32_t row = static_cast<int32_t>(j) * perBlock + mn, col = static_cast<int32_t>(i) * kStep + k;
            Coord coord = kDim == 1 ? Coord{row, col} : Coord{col, row};
            ASSERT_EQ(elementAddress(decode(bits), encoding.major, bytes, mn, k),
                      buffer + layout.offset(coord))
                << "row " << row << " k " << col;
          }
      }
}

static OperandEncoding expectEncodes(const Expected<SharedLayout> &layout, int32_t kDim, int32_t perBlock) {
  EXPECT_TRUE(layout.ok()) << layout.status().text();
  Expected<OperandEncoding> encoding = encodeOperand(*layout, kDim, perBlock);
  EXPECT_TRUE(encoding.ok()) << encoding.status().text();
  if (!encoding.ok())
    return {};
  expectReads(*layout, *encoding, kDim, perBlock);
  return *encoding;
}

TEST(Descriptor, EncodeDecodeRoundTrip) {
  std::mt19937 random(7);
  auto pick = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  for (int round = 0; round < 1000; ++round) {
    WgmmaDescriptor descriptor{pick(0x4000) * 16, pick(0x4000) * 16, pick(0x4000) * 16, pick(8),
                               static_cast<Swizzle>(pick(4))};
    ASSERT_EQ(decode(encode(descriptor)), descriptor);
  }
  EXPECT_EQ(encode({0x1230, 16, 1024, 0, Swizzle::B128}), 0x4000004000010000u + 0x123);
}

TEST(Descriptor, GemmOperands) {
  // A [128, 64]: two blocks of 64 rows; B [256, 64] as [n, k].
  OperandEncoding a = expectEncodes(swizzled(128, 128, 64), 1, 64);
  EXPECT_EQ(a.constant, 0x4000004000010000u);
  EXPECT_EQ(a.major, Major::K);
  EXPECT_EQ(a.alignment, 1024);
  EXPECT_EQ(a.steps, (std::vector<int32_t>{0, 32, 64, 96}));
  EXPECT_EQ(a.blocks, (std::vector<int32_t>{0, 512 * 16}));
  OperandEncoding b = expectEncodes(swizzled(128, 256, 64), 1, 256);
  EXPECT_EQ(b.constant, a.constant);
  EXPECT_EQ(b.steps, a.steps);
}

TEST(Descriptor, TwoPanels) {
  OperandEncoding k = expectEncodes(swizzled(128, 128, 128), 1, 128);
  EXPECT_EQ(k.steps[4], 128 * 128) << "k step 4 starts the next panel";
  // N-major: the V operand of attention, [kv, hd].
  OperandEncoding v = expectEncodes(swizzled(128, 128, 128), 0, 128);
  EXPECT_EQ(v.major, Major::MN);
  EXPECT_EQ(decode(v.constant).leading, 1024u * 16);
  EXPECT_EQ(decode(v.constant).stride, 64u * 16);
  EXPECT_EQ(v.steps[1], 128 * 16);
}

TEST(Descriptor, KdaOperands) {
  OperandEncoding kq = expectEncodes(kdaKq(), 1, 32);
  EXPECT_EQ(kq.constant, 0x4000004000010000u);
  EXPECT_EQ(kq.steps[1], 2 * 16);
  EXPECT_EQ(kq.steps[4], 256 * 16);
  OperandEncoding z = expectEncodes(kdaZ(), 0, 128);
  EXPECT_EQ(z.major, Major::MN);
  EXPECT_EQ(decode(z.constant).leading, 128u * 16);
  EXPECT_EQ(decode(z.constant).stride, 64u * 16);
  EXPECT_EQ(z.steps.size(), 1u);
  OperandEncoding core = expectEncodes(core8x8(16, 16), 1, 16);
  EXPECT_EQ(decode(core.constant).swizzle, Swizzle::None);
  EXPECT_EQ(decode(core.constant).leading, 8u * 16);
  EXPECT_EQ(decode(core.constant).stride, 16u * 16);
}

TEST(Descriptor, EverySwizzleBothWays) {
  for (int32_t span : {128, 64, 32})
    for (int32_t rows : {64, 96, 128})
      for (int32_t panels : {1, 2, 3}) {
        auto layout = swizzled(span, rows, panels * span / 2);
        OperandEncoding k = expectEncodes(layout, 1, rows == 96 ? 96 : 64);
        EXPECT_EQ(swizzleSpan(decode(k.constant).swizzle), span);
        EXPECT_EQ(k.major, Major::K);
        OperandEncoding mn = expectEncodes(layout, 0, panels * span / 2);
        EXPECT_EQ(mn.major, Major::MN);
        EXPECT_EQ(swizzleSpan(decode(mn.constant).swizzle), span);
      }
  EXPECT_EQ(expectEncodes(core8x8(64, 64), 1, 64).major, Major::K);
  // The same cores the other way: eight k rows of eight mn.
  auto mn = SharedLayout::make(2, {{16, 32, 64}, {2, 4, 8}}, {{0, 4, 128}, {1, 8, 512}});
  OperandEncoding plain = expectEncodes(mn, 0, 64);
  EXPECT_EQ(plain.major, Major::MN);
  // Which distance is which without a swizzle: as a H200 reads it (test/gpu/DescriptorCheck.cu).
  EXPECT_EQ(decode(plain.constant).leading, 128u) << "next eight k";
  EXPECT_EQ(decode(plain.constant).stride, 512u) << "next eight mn";
}

TEST(Descriptor, BytesAreKMajorOnly) {
  OperandEncoding fp8 = expectEncodes(swizzled(128, 128, 128, 1), 1, 64);
  EXPECT_EQ(fp8.constant, 0x4000004000010000u);
  EXPECT_EQ(fp8.steps, (std::vector<int32_t>{0, 32, 64, 96}));
  EXPECT_FALSE(encodeOperand(*swizzled(128, 128, 128, 1), 0, 128).ok());
}

TEST(Descriptor, RefusalsNameTheElement) {
  // Padded rows of 208 bytes: no core matrix has its rows 16 bytes apart.
  auto padded = encodeOperand(*rowMajor(64, 64, 2, 208), 1, 64);
  ASSERT_FALSE(padded.ok());
  EXPECT_NE(padded.status().text().find("the shared layout has no wgmma descriptor: "), std::string::npos);
  EXPECT_NE(padded.status().text().find("the layout has it at "), std::string::npos)
      << padded.status().text();
  EXPECT_FALSE(encodeOperand(*rowMajor(64, 64, 2), 1, 64).ok()) << "128-byte rows without the swizzle";
  EXPECT_FALSE(encodeOperand(*swizzled(128, 128, 64), 1, 48).ok());
}
