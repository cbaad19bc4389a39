//===- Named.cpp - The layouts that instructions and kernels ask for ------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Named.h"

#include <algorithm>

using namespace k3;
using namespace k3::layout;

// The lanes of every 8x8 block of 16-bit elements: four lanes per row, two neighbours each.
static const std::vector<Coord> blockLanes = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};
// Four 8-bit neighbours per lane.
static const std::vector<Coord> byteLanes = {{0, 4}, {0, 8}, {1, 0}, {2, 0}, {4, 0}};

static Status refuse(const char *name, const char *extent, int32_t value, const char *rule) {
  return badUsage(std::string(name) + ": " + extent + " = " + std::to_string(value) + ", must be " + rule);
}

Expected<RegLayout> layout::rows(int32_t vector, int32_t extent, int32_t warps) {
  if (!isPowerOfTwo(vector))
    return refuse("rows", "vector", vector, "a power of two");
  int64_t step = int64_t(32) * vector * warps;
  if (warps < 1 || extent < 1 || extent % step)
    return refuse("rows", "extent", extent, "a multiple of 32 lanes x vector x warps");
  std::vector<Coord> reg, lane;
  for (int32_t e = 1; e < vector; e *= 2)
    reg.push_back({e});
  for (int32_t i = 0; i < 5; ++i)
    lane.push_back({vector << i});
  return RegLayout::make(
      reg, lane, {}, {{Owner::Register, static_cast<int32_t>(extent / step), 0}, {Owner::Warp, warps, 0}});
}

/// [.., n]: pairs along columns, `rowBlocks` bases, then blocks of `block` columns.
static Expected<RegLayout> blocks(std::vector<Coord> reg, const std::vector<Coord> &lane,
                                  std::vector<Coord> warp, int32_t block, int32_t n) {
  return RegLayout::make(std::move(reg), lane, std::move(warp), {{Owner::Register, n / block, 1}});
}

Expected<RegLayout> layout::mmaC(int32_t n) {
  if (n < 8 || n % 8)
    return refuse("mma_c", "n", n, "a multiple of 8");
  return blocks({{0, 1}, {8, 0}}, blockLanes, {}, 8, n);
}

static Status checkK(const char *name, int32_t k, int32_t elementBits) {
  if (elementBits == 16 && k != 8 && (k < 16 || k % 16))
    return refuse(name, "k", k, "8 or a multiple of 16 for 16-bit elements");
  if (elementBits == 8 && (k < 32 || k % 32))
    return refuse(name, "k", k, "a multiple of 32 for 8-bit elements");
  if (elementBits != 8 && elementBits != 16)
    return refuse(name, "element bits", elementBits, "8 or 16");
  return Status::success();
}

Expected<RegLayout> layout::mmaA(int32_t k, int32_t elementBits) {
  K3_TRY(checkK("mma_a", k, elementBits));
  if (elementBits == 8)
    return blocks({{0, 1}, {0, 2}, {8, 0}}, byteLanes, {}, 16, k);
  return blocks({{0, 1}, {8, 0}}, blockLanes, {}, 8, k);
}

Expected<RegLayout> layout::mmaB(int32_t k, int32_t elementBits) {
  K3_TRY(checkK("mma_b", k, elementBits));
  if (elementBits == 8)
    return blocks({{0, 1}, {0, 2}}, byteLanes, {}, 16, k);
  return blocks({{0, 1}}, blockLanes, {}, 8, k);
}

Expected<RegLayout> layout::acc(int32_t n) {
  if (n < 8 || n % 8 || n > 256)
    return refuse("acc", "n", n, "a multiple of 8 up to 256");
  return blocks({{0, 1}, {8, 0}}, blockLanes, {{16, 0}, {32, 0}}, 8, n);
}

Expected<RegLayout> layout::wgA(int32_t k) {
  if (k < 16 || k % 16)
    return refuse("wg_a", "k", k, "a multiple of 16");
  return blocks({{0, 1}, {8, 0}}, blockLanes, {{16, 0}, {32, 0}}, 8, k);
}

Expected<RegLayout> layout::bt() {
  return RegLayout::make({{1, 0}, {8, 0}, {0, 8}}, {{2, 0}, {4, 0}, {0, 1}, {0, 2}, {0, 4}}, {});
}

static const std::vector<Coord> mxLanes = {{0, 8}, {0, 16}, {1, 0}, {2, 0}, {4, 0}};

Expected<RegLayout> layout::mxA(int32_t warps) {
  if (warps < 1)
    return refuse("mx_a", "warps", warps, "at least 1");
  return RegLayout::make({{0, 1}, {8, 0}, {0, 2}, {0, 4}, {16, 0}}, mxLanes, {}, {{Owner::Warp, warps, 1}});
}

Expected<RegLayout> layout::mxB(int32_t warps) {
  if (warps < 1)
    return refuse("mx_b", "warps", warps, "at least 1");
  return RegLayout::make({{0, 1}, {0, 2}, {0, 4}}, mxLanes, {}, {{Owner::Warp, warps, 1}});
}

static std::vector<int32_t> doubling(int32_t first, int32_t count) {
  std::vector<int32_t> bases;
  for (; count > 1; count /= 2, first *= 2)
    bases.push_back(first);
  return bases;
}

Expected<SharedLayout> layout::swizzled(int32_t span, int32_t rows, int32_t cols, int32_t elementBytes,
                                        int64_t panelStride) {
  if (span != 128 && span != 64 && span != 32)
    return refuse("swizzle", "span", span, "128, 64 or 32 bytes");
  if (rows < 8 || rows % 8)
    return refuse("swizzle", "rows", rows, "a multiple of 8");
  if (!isPowerOfTwo(elementBytes) || elementBytes > 16 || cols < 1 || cols * elementBytes % span)
    return refuse("swizzle", "cols", cols, "whole panels of the span");
  // Bits 4.. of the address are XORed with bits 7.., as many as the span has chunks of 16 bytes.
  int32_t mask = span - 16;
  std::vector<int32_t> rowBases;
  for (int32_t i = 0; i < 3; ++i)
    rowBases.push_back(span << i ^ ((span << i) >> 3 & mask));
  int64_t panel = panelStride ? panelStride : int64_t(rows) * span;
  return SharedLayout::make(elementBytes, {rowBases, doubling(elementBytes, span / elementBytes)},
                            {{0, rows / 8, int64_t(8) * span}, {1, cols * elementBytes / span, panel}});
}

Expected<SharedLayout> layout::core8x8(int32_t rows, int32_t cols) {
  if (rows < 8 || rows % 8 || cols < 8 || cols % 8)
    return refuse("core8x8", "cols", cols, "a multiple of 8, and so must be the rows");
  return SharedLayout::make(2, {{16, 32, 64}, {2, 4, 8}},
                            {{1, cols / 8, 128}, {0, rows / 8, int64_t(16) * cols}});
}

Expected<SharedLayout> layout::rowMajor(int32_t rows, int32_t cols, int32_t elementBytes, int64_t pitch) {
  return SharedLayout::make(
      elementBytes, {{}, {}},
      {{1, cols, elementBytes}, {0, rows, pitch ? pitch : int64_t(cols) * elementBytes}});
}

Expected<SharedLayout> layout::kdaKq() { return swizzled(128, 32, 128); }
Expected<SharedLayout> layout::kdaZ() { return swizzled(128, 16, 128); }

Expected<SharedLayout> layout::kdaDecay() { return SharedLayout::make(4, {{4, 16, 32, 8, 64, 128, 256}}); }

// Of a record of two codes blocks (1024 bytes) and eight pairs of scale words (64 bytes).
static constexpr int64_t mxRecord = 1088, mxCodeBytes = 1024;

Expected<SharedLayout> layout::mxCodes(int32_t pairs) {
  return SharedLayout::make(4, {{}, {512}, {16, 32, 64, 128, 256}, {4, 8}}, {{0, pairs, mxRecord}});
}

Expected<SharedLayout> layout::mxScales(int32_t pairs) {
  return SharedLayout::make(4, {{}, {8, 16, 32}, {4}}, {{0, pairs, mxRecord}}, mxCodeBytes);
}

Expected<SharedLayout> layout::outputStaging() {
  return SharedLayout::make(2, {{32, 64, 128, 256}, {2, 4, 8, 16}});
}
