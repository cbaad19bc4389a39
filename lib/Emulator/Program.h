//===- Program.h - A tile.kernel, decoded and run ---------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `decode` turns a kernel once into steps over numbered values; `run` executes them for every team of a grid
// on a Machine.
//
//===----------------------------------------------------------------------===//

#ifndef K3_EMULATOR_PROGRAM_H
#define K3_EMULATOR_PROGRAM_H

#include "dialects/Tile/TileOps.h"
#include "lib/Emulator/Team.h"

namespace k3::emu {

/// An array in global memory as a kernel sees it: strides in elements, -1 for an extent nobody stated.
struct Array {
  Block *block = nullptr;
  uint64_t offset = 0; ///< bytes, of the first element
  uint64_t end = 0;    ///< bytes; nothing at or behind it belongs to the argument
  std::vector<int64_t> dims, strides;
};

/// One argument of a launch; which part holds depends on the parameter's type.
struct Argument {
  Array array;         ///< view: block, offset and end; map: dims and strides as well
  int64_t integer = 0; ///< i32, i64
  float real = 0;      ///< f32
};

struct LaunchConfig {
  std::array<unsigned, 3> grid{1, 1, 1};
  bool dependent = false;
  std::vector<Argument> arguments;
  /// Every byte of a step_out view has to be written when the grid has ended.
  bool checkOutputs = false;
};

class Program {
public:
  /// The error names the operation that the Emulator does not execute, with its place.
  static Expected<std::unique_ptr<Program>> decode(tile::KernelOp kernel);
  ~Program();

  /// Findings go to the machine's report. An error: arguments that do not fit the kernel's signature.
  Status run(Machine &machine, const LaunchConfig &config) const;

  const KernelSpec &kernel() const;

  struct Impl;

private:
  explicit Program(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// One launch on a machine of its own.
Expected<Report> run(tile::KernelOp kernel, const LaunchConfig &config, const Options &options);

} // namespace k3::emu

#endif // K3_EMULATOR_PROGRAM_H
