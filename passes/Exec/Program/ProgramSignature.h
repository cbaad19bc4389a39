//===- ProgramSignature.h - What a function says about its program --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_EXEC_PROGRAM_PROGRAMSIGNATURE_H
#define K3_PASSES_EXEC_PROGRAM_PROGRAMSIGNATURE_H

#include "dialects/Exec/ExecOps.h"
#include "dialects/K3/K3Ops.h"

#include "llvm/ADT/StringSet.h"

namespace k3 {

/// Upper ends of the launch-time symbols, from `k3.limits`.
struct Limits {
  int64_t tokens = 256, sequences = 8, logitRows = 8;

  explicit Limits(mlir::ModuleOp module);
};

/// The closed range of every launch-time symbol that the function's program uses, from 0 up to the limits.
mlir::DictionaryAttr bucketOf(mlir::func::FuncOp function, const Limits &limits);
exec::ProgramKind kindOf(mlir::func::FuncOp function);
exec::ProgramVariant variantOf(mlir::func::FuncOp function);
int64_t streamsOf(mlir::func::FuncOp function);

/// Inputs and results of a program are buffers of rows: only the number of rows is open.
mlir::LogicalResult checkSignature(mlir::func::FuncOp function);
/// Kernels read weights as @pack lays them out; only @pack reads them as published.
mlir::LogicalResult checkPacked(mlir::func::FuncOp function, const llvm::StringSet<> &weights);

} // namespace k3

#endif // K3_PASSES_EXEC_PROGRAM_PROGRAMSIGNATURE_H
