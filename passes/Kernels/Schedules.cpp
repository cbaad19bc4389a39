//===- Schedules.cpp - The schedule tables ----------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Kernels/Schedules.h"

#include "passes/Kernels/Builder.h"

using namespace k3;
using namespace k3::kernels;

llvm::ArrayRef<RmsNormSchedule> kernels::rmsNormSchedules(const RmsNormProblem &, const arch::GpuTarget &) {
  static const RmsNormSchedule table[] = {
      // Fewer rows than multiprocessors: a shorter chain a lane.
      {128, 14, 0, false, 1},
      // Four vectors of 7168 a lane. Measured with 8192 rows on an H200 (floor 55.1 us): 58.3 us; 14 warps 60.2, 28 warps 83,
      // persistent with the next row prefetched 61 to 64; five CTAs a multiprocessor 59.1.
      {0, 7, 0, false, 4},
  };
  return table;
}

llvm::ArrayRef<AttnResSchedule> kernels::attnResSchedules(const AttnResProblem &problem, const arch::GpuTarget &target) {
  // maxRows, warps, slots, batch, cluster, reread, ctasPerSm
  static const AttnResSchedule hopper[] = {
      // D 7168, L 9, one row, warm: 2.94 us; without a cluster 4.43, cluster 4 3.09, cluster 16 3.24.
      {16, 4, 0, 0, 8, false, 0},
      // 128 rows, a token a CTA: 6.0 us warm, 8.0 cold. Ring 8: 8.1 cold, 10: 8.2; 14 warps 6.4 and 8.4; batches of 2: 6.3 and 8.3;
      // room for two CTAs a multiprocessor 6.2 and 8.2; without rows prefetched into L2 8.4 cold.
      {132, 7, 7, 3, 1, false, 1},
      // Two tokens a multiprocessor: 264 rows 11.2 us warm with two CTAs, 12.1 with one.
      {264, 7, 7, 3, 1, false, 1, /*minCtas=*/2},
      // 8192 rows: 330 us (floor 332 at copy bandwidth). A 17th warp would cut the registers of all to 96.
      {0, 14, 15, 3, 1, false, 1},
  };
  static const AttnResSchedule plain[] = {{0, 14, 0, 0, 1, true, 0}};
  // The ring holds whole rows, 16-byte vectors of all lanes: 232,448 bytes are 15 rows of 7168. Clusters split whole vectors.
  const bool bulk = target.info->has(arch::Feature::BulkCopy) && target.info->sharedPerBlock >= 15 * 2 * problem.d + 4096;
  if (bulk && problem.d % 64 == 0 && RowLanes(problem.d, 7).exact && RowLanes(problem.d, 14).exact)
    return hopper;
  return plain;
}

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

namespace {

/// A measured tile of the large forms for one (n, k): rows up to `maxRows`, us on an H200 beside it (cuBLAS in parentheses).
struct MeasuredTile {
  int64_t n, k;
  GemmSchedule s;
};

constexpr GemmForm wg = GemmForm::Wgmma, split = GemmForm::Split;

// maxRows, form, bm, bn, bk, stages, consumers, groupM, split, early, dependent
const MeasuredTile measured[] = {
    {49376, 7168, {128, wg, 128, 192, 64, 5, 2, 16, 1, true}},          // 177.5 (179.3)
    {49376, 7168, {512, wg, 128, 256, 64, 4, 2, 16, 1, false, false}},  // 526 (517)
    {49376, 7168, {2048, wg, 128, 256, 64, 4, 2, 16, 1, false, false}}, // 1824 (1798), pairs of CTAs with multicast
    {49376, 7168, {0, wg, 256, 128, 64, 4, 2, 8, 1, false, false}},     // 7259 (8115)
    {7168, 12288, {128, split, 128, 112, 64, 6, 2, 16, 2, true}},       // 53.4 (53.9)
    {7168, 12288, {512, wg, 128, 224, 64, 4, 2, 16, 1, false, false}},  // 116.0 (119.8)
    {7168, 12288, {2048, wg, 128, 224, 64, 4, 2, 16, 1, false, false}}, // 256 x 128: 634 (526), 3.4 rounds take four
    {7168, 12288, {0, wg, 128, 256, 64, 4, 2, 16, 1, false, false}},    // 1835 (1786), pairs with multicast
    {18432, 1536, {128, wg, 128, 144, 64, 6, 2, 16, 1, true}},          // 18.2 (18.6)
    {18432, 1536, {512, wg, 128, 192, 64, 5, 2, 16, 1, false, false}},  // 42.0 (43.6)
    {18432, 1536, {2048, wg, 128, 256, 64, 4, 2, 16, 1, false, false}}, // 154.7 (158.0)
    {18432, 1536, {0, wg, 128, 192, 64, 5, 2, 16, 1, false, false}},    // 661 (678)
    // 30 clusters of four run at once, so 27 of them: 11.4 (11.0). 64 columns: 33 clusters, two rounds, 18.6; 96 columns 12.0; 160 and
    // clusters of eight 16.2.
    {2112, 7168, {128, split, 128, 80, 64, 7, 2, 16, 4, true}},
    {2112, 7168, {512, wg, 128, 64, 64, 8, 2, 16, 1, false, false}},    // 23.3 (22.1)
    {2112, 7168, {2048, wg, 192, 192, 64, 4, 3, 11, 1, false, false}},  // 82.0 (81.8)
    {2112, 7168, {0, wg, 256, 176, 64, 3, 2, 11, 1, false, false}},     // 308 (334)
    {12288, 7168, {128, wg, 128, 96, 64, 7, 2, 16, 1, true}},           // 45.2 (46.5)
    {12288, 7168, {512, wg, 128, 192, 64, 5, 2, 16, 1, false, false}},  // 117.9 (120.8)
    {12288, 7168, {2048, wg, 128, 192, 64, 5, 2, 16, 1, false, false}}, // 466 to 520 (447 to 495)
    {12288, 7168, {0, wg, 128, 256, 64, 4, 2, 16, 1, false, false}},    // 1824 (1860)
    {33792, 7168, {128, wg, 128, 256, 64, 4, 2, 16, 1, true}},          // 122.8 (124.0)
    {33792, 7168, {512, wg, 128, 256, 64, 4, 2, 16, 1, false, false}},  // 333 (324)
    {33792, 7168, {2048, wg, 256, 128, 64, 4, 2, 8, 1, false, false}},  // 1229 (1251)
    {33792, 7168, {0, wg, 256, 128, 64, 4, 2, 8, 1, false, false}},     // 4945 (4930)
};

constexpr int64_t KiB = 1024;

/// Shared memory that a ring may take beside `other` bytes.
int64_t ringStages(const arch::GpuTarget &target, int64_t slotBytes, int64_t other, int64_t most) {
  int64_t room = static_cast<int64_t>(target.info->sharedPerBlock) - other - 2 * KiB;
  return std::clamp<int64_t>(room / slotBytes, 2, most);
}

/// Few rows: w streams, 1 CTA a multiprocessor. \param rows the most rows of x, a multiple of 8.
GemmSchedule skinny(const GemmProblem &problem, const arch::GpuTarget &target, int64_t rows) {
  const bool glu = problem.epilogue == GemmEpilogue::SituGlu;
  const int64_t sms = target.product->sms;
  // Rows of w in a tile: the most, of 32 to 64, whose tiles waste least of the last round of CTAs. Of (n, k) = (49376, 7168)
  // 64, (7168, 12288) 56, (12288, 7168) 48, (18432, 1536) 48, (33792, 7168) 64: 102 to 106 % of copy bandwidth with 1 row.
  int64_t most = glu ? 32 : 64, least = glu ? 16 : 32, best = most;
  auto cost = [&](int64_t width) { return llvm::divideCeil(llvm::divideCeil(problem.n, width), sms) * width; };
  for (int64_t width = most; width >= least; width -= 8)
    if (cost(width) < cost(best))
      best = width;
  const int64_t tiles = llvm::divideCeil(problem.n, best), panels = std::min<int64_t>(4, llvm::divideCeil(problem.k, 64));
  const int64_t steps = llvm::divideCeil(problem.k, 64 * panels), slotBytes = panels * 128 * (64 + rows);
  GemmSchedule s{rows, GemmForm::Skinny, rows, best, 64 * panels, 2};
  s.stages = std::min(ringStages(target, slotBytes, glu ? 256 * (rows + 1) : 0, 8), std::max<int64_t>(steps, 1));
  s.early = true;
  // Equally many tiles a CTA: that counts, not that every multiprocessor has one.
  s.ctas = llvm::divideCeil(tiles, llvm::divideCeil(tiles, sms));
  return s;
}

GemmSchedule skinnyMma(int64_t maxRows, int64_t rows) { return {maxRows, GemmForm::SkinnyMma, rows, 16, 64, 1, /*consumers=*/16}; }

/// Tiles of the large forms for a shape that was not measured: whole waves of CTAs first, then the wider tile.
GemmSchedule large(const GemmProblem &problem, const arch::GpuTarget &target, int64_t maxRows, int64_t rows) {
  const int64_t sms = target.product->sms, width = problem.n * (problem.epilogue == GemmEpilogue::SituGlu ? 2 : 1);
  static constexpr int64_t widths[] = {256, 192, 128, 64};
  int64_t best = 256;
  auto cost = [&](int64_t bn) {
    return llvm::divideCeil(llvm::divideCeil(rows, 128) * llvm::divideCeil(width, bn), sms) * (bn + 16);
  };
  for (int64_t bn : widths) {
    if (width != problem.n && bn % 128) // Halves of a slot, for the gate and up, that chunks of 64 columns fill.
      continue;
    if (cost(bn) < cost(best))
      best = bn;
  }
  GemmSchedule s{maxRows, wg, 128, best, 64, 0};
  s.early = maxRows == 128;
  s.dependent = s.early;
  return s;
}

/// The number of slots that fit, and what the shape asks of a measured row.
GemmSchedule fit(const GemmProblem &problem, const arch::GpuTarget &target, GemmSchedule s) {
  const bool glu = problem.epilogue == GemmEpilogue::SituGlu;
  const bool extra = problem.epilogue == GemmEpilogue::ResidualAdd || problem.epilogue == GemmEpilogue::SigmoidGate;
  int64_t columns = glu ? s.bn / 2 : s.bn, odd = columns / 8;
  while (odd % 2 == 0)
    odd /= 2;
  const int64_t chunk = columns % 64 == 0 ? 64 : 8 * odd, slots = 2;
  const int64_t staging = s.form == wg ? slots * (extra ? 64 * s.consumers : s.consumers * 64) * chunk * 2 : 0;
  const int64_t steps = llvm::divideCeil(problem.k, s.bk), least = steps - (s.split - 1) * llvm::divideCeil(steps, s.split);
  s.stages = ringStages(target, (s.bm + s.bn) * s.bk * 2, staging, s.stages ? s.stages : 8);
  if (s.early)
    s.stages = std::min(s.stages, least);
  return s;
}

} // namespace

std::vector<GemmSchedule> kernels::gemmSchedules(const GemmProblem &problem, const arch::GpuTarget &target) {
  if (!target.info->has(arch::Feature::Wgmma))
    return {skinnyMma(8, 8), skinnyMma(16, 16), {64, GemmForm::Mma, 64, 128, 32, 4}, {0, GemmForm::Mma, 128, 128, 32, 4}};
  std::vector<GemmSchedule> table;
  // (2112, 7168), 1 row: 8.7 us with mma.sync over 132 CTAs, 10.7 with wgmma (cuBLAS 12.6); with 16 rows 13.1 and 10.9.
  if (llvm::divideCeil(problem.n, 16) <= 2 * target.product->sms)
    table.push_back(skinnyMma(8, 8));
  else
    table.push_back(skinny(problem, target, 8));
  for (int64_t rows : {16, 32, 64})
    table.push_back(skinny(problem, target, rows));
  const bool plain = problem.epilogue != GemmEpilogue::SituGlu;
  for (int64_t rows : {128, 512, 2048, 0}) {
    GemmSchedule s = large(problem, target, rows, rows ? rows : 8192);
    for (const MeasuredTile &row : measured)
      if (plain && row.n == problem.n && row.k == problem.k && row.s.maxRows == rows)
        s = row.s;
    table.push_back(fit(problem, target, s));
  }
  return table;
}
