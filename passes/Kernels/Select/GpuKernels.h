//===- GpuKernels.h - The tile kernels of a module, one per problem and range --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_KERNELS_SELECT_GPUKERNELS_H
#define K3_PASSES_KERNELS_SELECT_GPUKERNELS_H

#include "passes/Exec/Program/ProgramBuilder.h"
#include "passes/Kernels/Kernels.h"

#include "llvm/ADT/StringMap.h"

#include <variant>

namespace k3 {

/// What a launch computes, whichever kernel does it.
using KernelProblem = std::variant<kernels::GemmProblem, kernels::RmsNormProblem, kernels::AttnResProblem>;

/// "gemm_49376x7168_residual": names the problem in symbols.
std::string problemName(const KernelProblem &problem);
/// JSON for tools that check and time a kernel: {"family": "gemm", "n": 49376, "k": 7168, "epilogue": "none"}.
std::string problemJson(const KernelProblem &problem);

/// Kernels are built on demand and shared by all launches of one problem and range.
class GpuKernels {
public:
  GpuKernels(mlir::MLIRContext *context, const arch::GpuTarget &target);

  std::vector<kernels::RowRange> ranges(const KernelProblem &problem, int64_t maxRows) const;
  /// The kernel for `rows`, which lies within one of `ranges`. Null where the builder reported an error.
  const kernels::BuiltKernel *get(const KernelProblem &problem, kernels::RowRange rows, int64_t maxRows, mlir::Location loc);

  mlir::OwningOpRef<mlir::ModuleOp> take() { return std::move(module); }

private:
  const arch::GpuTarget &target;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::StringMap<kernels::BuiltKernel> built;
};

/// Lowers the body of a function for T in `rows`.
mlir::LogicalResult lowerGpuFunction(mlir::func::FuncOp function, exec::ProgramOp program, GpuKernels &kernels, mlir::ModuleOp module,
                                     kernels::RowRange rows, int64_t maxRows);
/// First rows of the ranges in which the function's kernels do not change, ascending, the first 1. Reports ops without a kernel.
mlir::FailureOr<llvm::SmallVector<int64_t>> gpuRanges(mlir::func::FuncOp function, const GpuKernels &kernels, int64_t maxRows);

/// Lowers @pack: every packed weight is a checkpoint weight as published.
mlir::LogicalResult lowerGpuPack(mlir::func::FuncOp function, exec::ProgramOp program, mlir::ModuleOp module);

} // namespace k3

#endif // K3_PASSES_KERNELS_SELECT_GPUKERNELS_H
