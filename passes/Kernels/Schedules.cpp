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
      {128, 14, 0, false},
      // Four vectors of 7168 a lane. Measured with 8192 rows on an H200 (floor 55.1 us): 58.3 us; 14 warps 60.2, 28 warps 83,
      // persistent with the next row prefetched 61 to 64.
      {0, 7, 0, false},
  };
  return table;
}

llvm::ArrayRef<AttnResSchedule> kernels::attnResSchedules(const AttnResProblem &problem, const arch::GpuTarget &target) {
  // maxRows, warps, slots, batch, cluster, reread, ctasPerSm
  static const AttnResSchedule hopper[] = {
      // D 7168, L 9, one row, warm: 2.94 us; without a cluster 4.43, cluster 4 3.09, cluster 16 3.24.
      {16, 4, 0, 0, 8, false, 0},
      // 128 rows, warm: 5.57 us; direct loads with 14 warps 5.72.
      {264, 7, 10, 3, 1, false, 1},
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
