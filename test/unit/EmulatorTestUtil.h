//===- EmulatorTestUtil.h - Small kernels for the engine --------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TEST_UNIT_EMULATORTESTUTIL_H
#define K3_TEST_UNIT_EMULATORTESTUTIL_H

#include "lib/Emulator/Team.h"

#include <gtest/gtest.h>

namespace k3::emu {

/// Runs a grid under several seeds, with new global memory each time. Returns the findings of all.
struct Case {
  KernelSpec kernel;
  Grid grid;
  std::function<void(Team &)> body;
  unsigned seeds = 6;
  std::vector<std::shared_ptr<Block>> blocks;

  /// Global memory of the case, all bytes 0.
  Block &global(std::string name, uint64_t bytes) {
    blocks.push_back(std::make_shared<Block>(std::move(name), Space::Global, bytes, true));
    return *blocks.back();
  }

  Report run() {
    Report all;
    for (unsigned seed = 0; seed < seeds; ++seed) {
      for (std::shared_ptr<Block> &block : blocks) {
        block->renew();
        block->clearPoison(0, block->size);
        std::fill_n(block->data(), block->size, 0);
      }
      Machine machine({Schedule::ofSeed(seed, static_cast<unsigned>(kernel.roles.size())), true, 1'000'000});
      for (const char *name : {"load", "math", "store", "other", "wait", "arrive"})
        machine.op(name);
      machine.launch(kernel, grid, body);
      EXPECT_TRUE(seed == 0 || machine.report.clean() == all.clean())
          << "seed " << seed << " sees something else\n"
          << machine.report.text() << all.text();
      all.append(machine.report);
    }
    return all;
  }
};

/// The operations a Case knows.
enum Op : uint32_t { Load = 1, Math, Store, Other, Wait, Arrive };

/// The same bytes for every warp.
inline WarpRanges everyWarp(const Team &team, uint64_t offset, uint32_t size) {
  return WarpRanges(team.warpCount(), {Range{offset, size}});
}
/// `size` bytes for each warp, one after the other.
inline WarpRanges splitWarps(const Team &team, uint64_t offset, uint32_t size) {
  WarpRanges ranges;
  for (unsigned w = 0; w < team.warpCount(); ++w)
    ranges.push_back({Range{offset + uint64_t(w) * size, size}});
  return ranges;
}

} // namespace k3::emu

#endif // K3_TEST_UNIT_EMULATORTESTUTIL_H
