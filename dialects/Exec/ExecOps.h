//===- ExecOps.h - The ops of the exec dialect ---------------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_DIALECTS_EXEC_EXECOPS_H
#define K3_DIALECTS_EXEC_EXECOPS_H

#include "dialects/Exec/ExecDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <array>

namespace k3::exec {

/// What an entry does to one view it names.
struct ViewAccess {
  mlir::Value view;
  bool read;
  bool write;
};

/// How a GPU kernel is spread over the device; see `exec.gpu_launch`.
struct GpuGrid {
  mlir::AffineMap grid;              ///< One to three results: x, y, z.
  int64_t block = 0;                 ///< Threads of a block.
  int64_t sharedBytes = 0;           ///< Dynamic shared memory of a block.
  llvm::SmallVector<int64_t> cluster; ///< Empty: no clusters; else x, y, z.
  bool dependent = false;            ///< Programmatic dependent launch.
  mlir::AffineMap maxCtas = {};      ///< Null: no bound.
  mlir::AffineMap resident = {};     ///< Null: no block waits for another one.
};

/// Extents of a view, whichever op made it; null for a value that no op of the dialect made.
mlir::AffineMap getViewDims(mlir::Value view);

/// Elements between rows of a view: its `row_stride`, or the product of the extents behind dimension 0.
/// Nothing where these are not constants.
std::optional<int64_t> getRowStride(mlir::Value view);

} // namespace k3::exec

#include "dialects/Exec/ExecInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/Exec/ExecOps.h.inc"

#endif // K3_DIALECTS_EXEC_EXECOPS_H
