//===- HostProgram.h - Builds one exec program of host kernels --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_HOST_HOSTPROGRAM_H
#define K3_PASSES_HOST_HOSTPROGRAM_H

#include "passes/Exec/Program/ProgramBuilder.h"
#include "passes/Host/Kernels/KernelBuilder.h"

namespace k3::host {

/// Appends launches of grid functions.
class HostProgram : public ProgramBuilder {
public:
  HostProgram(exec::ProgramOp program, KernelModule &kernels, mlir::ModuleOp module)
      : ProgramBuilder(program, module), kernels(kernels) {}

  void launch(const HostKernel &kernel, llvm::ArrayRef<mlir::Value> views, mlir::AffineExpr units);

  KernelModule &kernels;
};

/// Lowers the body of a function of core ops. Reports on the op that has no lowering.
mlir::LogicalResult lowerFunction(mlir::func::FuncOp function, exec::ProgramOp program, KernelModule &kernels,
                                  mlir::ModuleOp module);

/// Lowers @pack.
mlir::LogicalResult lowerPack(mlir::func::FuncOp function, exec::ProgramOp program, KernelModule &kernels,
                              mlir::ModuleOp module);

/// The kernel of one packed value: packed[rows, inner...] from the staged checkpoint weights, in the order of `sources` (an
/// MX weight is two buffers: elements, scales). Units are rows. For an MX value `part` chooses elements (0) or scales (1).
HostKernel buildPackKernel(KernelModule &kernels, mlir::Value value, llvm::ArrayRef<GetOp> sources, int part);

} // namespace k3::host

#endif // K3_PASSES_HOST_HOSTPROGRAM_H
