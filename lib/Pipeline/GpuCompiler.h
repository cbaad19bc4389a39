//===- GpuCompiler.h - Tile kernels to PTX and machine code -----*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PIPELINE_GPUCOMPILER_H
#define K3_PIPELINE_GPUCOMPILER_H

#include "lib/Codegen/GpuCubin.h"
#include "passes/Exec/ExecToPackage.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace k3 {

struct GpuOptions {
  std::string target;        ///< "h200", "sm_90a".
  std::string ptxas;         ///< This assembler and no other; empty: what there is.
  bool cache = true;         ///< Keep machine code between runs.
  std::string cacheDir;      ///< Empty: the user's.
  bool perfIsError = false;  ///< --Werror=perf
  bool lineInfo = false;
};

/// PTX of the tile kernels in `kernels`, a module after passes/Tile, as one text. Reports diagnostics.
mlir::FailureOr<std::string> emitTilePtx(mlir::ModuleOp kernels, const GpuOptions &options);

/// Machine code of one PTX text; its remarks are appended.
Expected<codegen::Cubin> assembleTilePtx(const std::string &name, const std::string &ptx, const GpuOptions &options,
                                         std::vector<std::string> &remarks);

/// PTX and machine code of every kernel, kernels in parallel. Without an assembler the code is PTX, and a remark says so.
Expected<exec::GpuCode> compileGpuKernels(mlir::ModuleOp kernels, const GpuOptions &options, std::vector<std::string> &remarks);

} // namespace k3

#endif // K3_PIPELINE_GPUCOMPILER_H
