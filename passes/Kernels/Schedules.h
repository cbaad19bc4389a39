//===- Schedules.h - How each kernel is cut, per shape and arch --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table a family. A row says for which rows of the operand (and which shapes and architectures) it is, and how the kernel
// is cut there; the first row that matches is taken. Figures beside a row were measured on that row.
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_KERNELS_SCHEDULES_H
#define K3_PASSES_KERNELS_SCHEDULES_H

#include "passes/Kernels/Kernels.h"

namespace k3::kernels {

struct RmsNormSchedule {
  int64_t maxRows;   ///< Of the range that the row serves; 0: no bound.
  int64_t warps;     ///< At most; narrow rows take fewer.
  int64_t ctasPerSm; ///< 0: a CTA for every row.
  bool prefetch;     ///< The next row's loads are in flight while one is reduced.
  int64_t minCtas;   ///< CTAs that fit a multiprocessor, which bounds the registers.
};

struct AttnResSchedule {
  int64_t maxRows;
  int64_t warps;     ///< That mix a token (of each CTA); narrow rows take fewer.
  int64_t slots;     ///< Rows in the ring; 0: direct loads.
  int64_t batch;     ///< Sources between two exchanges (ring).
  int64_t cluster;   ///< CTAs that share a token (direct).
  bool reread;       ///< Direct: sources are read again for the mix instead of held in registers.
  int64_t ctasPerSm; ///< 0: a CTA (cluster) for every row.
  int64_t minCtas = 1; ///< CTAs that fit a multiprocessor, which bounds the registers.
};

enum class GemmForm {
  Wgmma,     ///< GemmWgmma.cpp
  Split,     ///< GemmSplit.cpp: K split over the CTAs of a cluster.
  Skinny,    ///< GemmSkinny.cpp: w as the wide operand of wgmma.
  SkinnyMma, ///< GemmSkinnyMma.cpp: mma.sync from registers.
  Mma,       ///< GemmMma.cpp: mma.sync over a cp.async pipeline.
};

struct GemmSchedule {
  int64_t maxRows;
  GemmForm form;
  int64_t bm, bn; ///< Tile: rows of x, rows of w (Skinny forms: of w only, `bm` rows of x at once).
  int64_t bk;     ///< k of a slot.
  int64_t stages;
  int64_t consumers = 2; ///< Warpgroups that share a tile by rows (SkinnyMma: warps that split k).
  int64_t groupM = 16;   ///< Tile rows in a group.
  int64_t split = 1;     ///< CTAs that share the k of a tile.
  bool early = false;    ///< Weights of the first slots are fetched before the kernels ahead have ended.
  bool dependent = true; ///< Starts early at all: many CTAs that start staggered share less in L2.
  int64_t ctas = 0;      ///< Of the grid; 0: follows from the tiles.
};

/// Ranges of a table whose rows have `maxRows`, cut to [1, maxRows].
template <typename Schedule> std::vector<RowRange> rangesOf(llvm::ArrayRef<Schedule> table, int64_t maxRows) {
  std::vector<RowRange> ranges;
  int64_t first = 1;
  for (const Schedule &row : table) {
    int64_t last = row.maxRows ? std::min(row.maxRows, maxRows) : maxRows;
    if (first <= last)
      ranges.push_back({first, last});
    first = last + 1;
  }
  return ranges;
}

/// The row for a range: the first that reaches its end.
template <typename Schedule> const Schedule &scheduleFor(llvm::ArrayRef<Schedule> table, RowRange rows) {
  for (const Schedule &row : table)
    if (!row.maxRows || rows.last <= row.maxRows)
      return row;
  return table.back();
}

llvm::ArrayRef<RmsNormSchedule> rmsNormSchedules(const RmsNormProblem &problem, const arch::GpuTarget &target);
std::vector<GemmSchedule> gemmSchedules(const GemmProblem &problem, const arch::GpuTarget &target);
llvm::ArrayRef<AttnResSchedule> attnResSchedules(const AttnResProblem &problem, const arch::GpuTarget &target);

} // namespace k3::kernels

#endif // K3_PASSES_KERNELS_SCHEDULES_H
