//===- PackageRun.h - Runs the graphs of a package on the Emulator --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TOOLS_EMULATE_PACKAGERUN_H
#define K3_TOOLS_EMULATE_PACKAGERUN_H

#include "lib/Emulator/Report.h"
#include "lib/Support/Status.h"

#include "mlir/IR/BuiltinOps.h"

namespace k3::emulate {

struct PackageOptions {
  std::string package;
  std::string weights = "random:1";
  std::string graph;  ///< empty: all
  int64_t rows = 33;  ///< the launch-time size of every input
  unsigned seeds = 2; ///< schedules
  bool trackRaces = true;
  std::string output; ///< safetensors of inputs and outputs, f32, "graph.name"; empty: none
};

/// Findings of all graphs and schedules; `launches` counts kernels. Inputs are random. An error: what is no
/// finding.
Expected<emu::Report> runPackage(mlir::ModuleOp module, const PackageOptions &options, uint64_t &launches);

} // namespace k3::emulate

#endif // K3_TOOLS_EMULATE_PACKAGERUN_H
