//===- LowerGridAbi.h - From kernels to C functions and to LLVM -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_HOST_KERNELS_LOWERGRIDABI_H
#define K3_PASSES_HOST_KERNELS_LOWERGRIDABI_H

#include "mlir/Pass/PassManager.h"

#include <memory>

namespace k3::host {

/// k3-host-lower-grid-abi: per func.func with `k3.grid`, an exported function `void name(const k3_grid_args
/// *, int64_t begin, int64_t end)` that loads the buffer table, builds one memref descriptor per argument and
/// calls the body, which becomes internal under `name.body`.
///
///   func.func @add(%a: memref<?x8xf32, strided<[?, 1]>>, ..., %scratch: memref<?xi8>, %begin: index, %end:
///   index) {k3.grid}
/// becomes
///   func.func @add(%args: !llvm.ptr, %begin: i64, %end: i64)      func.func private @add.body(...)
///
/// Fails on an argument that the table cannot describe: a dynamic extent other than the first and, in two
/// dimensions, the last.
std::unique_ptr<mlir::Pass> createLowerGridAbiPass();

/// The grid ABI, then everything to the LLVM dialect. No fast-math; vectors stay vectors.
void buildHostLoweringPipeline(mlir::OpPassManager &pm);

/// Registers the pass and the pipeline `k3-host-lower-kernels`.
void registerHostKernelPasses();

} // namespace k3::host

#endif // K3_PASSES_HOST_KERNELS_LOWERGRIDABI_H
