//===- Launch.h - Arguments of a launch from words --------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What k3-emulate and tests say of a kernel's arguments, one word each, in order; maps take none, as they
// describe a view:
//
//   64, -1, 1.5              a scalar
//   zeros:16x64              a view of zeros; likewise ones, iota (0, 1, 2, ... in row-major order, wrapped
//   at 256) random:7:16x64           normal numbers of seed 7 (integers: 0 .. 7); random:7:16x64:0.1 scaled
//   poison:16x64             memory that nobody has written: outputs
//   file.safetensors#name    a tensor of a file
//
//===----------------------------------------------------------------------===//

#ifndef K3_EMULATOR_LAUNCH_H
#define K3_EMULATOR_LAUNCH_H

#include "lib/Emulator/Program.h"
#include "lib/Emulator/Tensor.h"

namespace k3::emu {

/// Memory of a launch and what points to it.
struct BoundLaunch {
  std::vector<std::unique_ptr<Block>> blocks; ///< one per view
  std::vector<std::vector<int64_t>> shapes;   ///< of the views, in the order of `blocks`
  std::vector<unsigned> viewArguments;        ///< the argument's number, in the order of `blocks`
  LaunchConfig config;
};

/// An error names the argument and the word.
Expected<BoundLaunch> bindLaunch(tile::KernelOp kernel, const std::vector<std::string> &words,
                                 std::array<unsigned, 3> grid, bool trackRaces);

/// An earlier grid writes all that is not constant, and the launch becomes dependent on it.
void writeAhead(Machine &machine, BoundLaunch &launch);

/// The elements of a bound view.
Tensor contentOf(const BoundLaunch &launch, tile::KernelOp kernel, unsigned argument);

} // namespace k3::emu

#endif // K3_EMULATOR_LAUNCH_H
