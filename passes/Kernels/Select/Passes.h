//===- Passes.h - Lowering to a GPU target ----------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_KERNELS_SELECT_PASSES_H
#define K3_PASSES_KERNELS_SELECT_PASSES_H

#include "dialects/Exec/ExecOps.h"
#include "dialects/K3/K3Ops.h"
#include "dialects/Tile/TileOps.h"

#include "mlir/Pass/Pass.h"

namespace k3 {

/// Name of the nested module that holds the tile kernels of a GPU target.
inline constexpr llvm::StringLiteral kGpuKernels = "gpu_kernels";

/// Attribute of an `exec.kernel`: what it computes, as JSON. The package keeps it as meta "kernel.<name>".
inline constexpr llvm::StringLiteral kProblemAttr = "exec.problem";

#define GEN_PASS_DECL
#include "passes/Kernels/Select/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Kernels/Select/Passes.h.inc"

} // namespace k3

#endif // K3_PASSES_KERNELS_SELECT_PASSES_H
