//===- HostObject.h - MLIR kernels to an x86-64 shared object --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything below MLIR on the host target: LLVM IR, its optimisation, machine code, and the link, all in
// process. Every function reports a failure as one diagnostic on the module, also when LLVM or lld aborts
// inside.
//
//===----------------------------------------------------------------------===//

#ifndef K3_LIB_CODEGEN_HOSTOBJECT_H
#define K3_LIB_CODEGEN_HOSTOBJECT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace k3::codegen {

struct HostObjectOptions {
  std::string isa = "x86-64-v3";        ///< an LLVM cpu name of x86-64
  unsigned optLevel = 2;                ///< 0 to 3
  std::string soname = "k3_kernels.so"; ///< DT_SONAME
  std::string tempDir;                  ///< where the linker's files go; empty: the system's
};

/// The optimised LLVM IR as text. `kernels` is not changed: grid functions (k3.grid), or a module in the LLVM
/// dialect.
mlir::FailureOr<std::string> emitHostLlvm(mlir::ModuleOp kernels, const HostObjectOptions &options = {});

/// A relocatable ELF object.
mlir::FailureOr<std::vector<char>> emitHostObject(mlir::ModuleOp kernels,
                                                  const HostObjectOptions &options = {});

/// Links objects to a shared object that needs nothing but libm and libc.
mlir::FailureOr<std::vector<char>> linkHostObject(mlir::Location loc, llvm::ArrayRef<char> object,
                                                  const HostObjectOptions &options = {});

/// emitHostObject, then linkHostObject.
mlir::FailureOr<std::vector<char>> compileHostObject(mlir::ModuleOp kernels,
                                                     const HostObjectOptions &options = {});

} // namespace k3::codegen

#endif // K3_LIB_CODEGEN_HOSTOBJECT_H
