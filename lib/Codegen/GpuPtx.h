//===- GpuPtx.h - MLIR kernels to PTX --------------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Kernels in the LLVM dialect with NVVM operations to PTX text, in process with LLVM's NVPTX back end. Needs
// no CUDA. A failure is one diagnostic on the module or the function, also when LLVM aborts inside.
//
//===----------------------------------------------------------------------===//

#ifndef K3_CODEGEN_GPUPTX_H
#define K3_CODEGEN_GPUPTX_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace k3::codegen {

struct GpuPtxOptions {
  std::string arch = "sm_90a"; ///< As LLVM and ptxas spell it.
  /// PTX ISA version times 10. 90 is what CUDA 13.0 reads; lower ones lack operations. 0: the least that LLVM
  /// knows for the architecture.
  unsigned ptxIsa = 90;
  bool lineInfo = false; ///< .loc lines from the locations of the operations.
};

/// PTX text of every kernel in `kernels`, which is not changed: functions of the LLVM dialect, those with
/// `nvvm.kernel` as entries, operations of arith, cf and NVVM inside. Floating-point operations are fused
/// only where the kernel says fma.
mlir::FailureOr<std::string> emitGpuPtx(mlir::ModuleOp kernels, const GpuPtxOptions &options = {});

/// The LLVM IR that the back end gets, as text.
mlir::FailureOr<std::string> emitGpuLlvm(mlir::ModuleOp kernels, const GpuPtxOptions &options = {});

} // namespace k3::codegen

#endif // K3_CODEGEN_GPUPTX_H
