//===- Phases.h - The phases of a compilation -*- C++ -*- -----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list drives the compile driver, --compile-to, the file names of --save-temps, --help, the named pipelines of
// k3-opt (k3-phase-<name>, and k3-to-<name> for all up to it) and the documentation.
//
//===----------------------------------------------------------------------===//

#ifndef K3_PIPELINE_PHASES_H
#define K3_PIPELINE_PHASES_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace k3 {

/// Options that reach a pass.
struct PhaseOptions : mlir::PassPipelineOptions<PhaseOptions> {
  Option<std::string> taps{*this, "taps", llvm::cl::desc("names of tensors to tap, a regular expression"), llvm::cl::init("")};
  Option<std::string> target{*this, "target", llvm::cl::desc("host, or a GPU of lib/Arch"), llvm::cl::init("host")};
  bool isHost() const { return target == "host"; }
};

struct Phase {
  llvm::StringLiteral name;
  llvm::StringLiteral description;
  /// Appends the passes of the phase.
  void (*build)(mlir::OpPassManager &pm, const PhaseOptions &options);
};

/// In order. The first is the imported module, before any pass.
llvm::ArrayRef<Phase> phases();

/// The phase of that name, or null.
const Phase *findPhase(llvm::StringRef name);

/// Every pass of the project and the named pipelines.
void registerK3Passes();

/// Every dialect that a compilation meets.
void registerK3Dialects(mlir::DialectRegistry &registry);

} // namespace k3

#endif // K3_PIPELINE_PHASES_H
