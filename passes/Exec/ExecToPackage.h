//===- ExecToPackage.h - Programs of a module as package records --- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_EXEC_EXECTOPACKAGE_H
#define K3_PASSES_EXEC_EXECTOPACKAGE_H

#include "lib/Package/Package_generated.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>
#include <vector>

namespace k3::exec {

/// The code of one GPU kernel: machine code, or PTX where there was no assembler (both: the machine code is taken).
struct GpuKernelCode {
  std::vector<char> cubin;
  std::string ptx;
  std::string symbol; ///< The function's name in the code; empty: the kernel's name.
  unsigned registers = 0, spillBytes = 0, staticSharedBytes = 0; ///< As the assembler reports them.
};

/// The GPU code of a module.
struct GpuCode {
  std::string target;      ///< What programs say they run `on`, and the name of the package's target.
  std::string gpu;         ///< "h200", "sm_90a": a product or an architecture of lib/Arch.
  unsigned ptxVersion = 0; ///< PTX ISA times ten.
  std::map<std::string, GpuKernelCode> kernels; ///< By the name that `exec.kernel ... gpu "name"` gives.
};

/// Adds every `exec.program` and `exec.kernel` of the module, and the buffers they name, to `package`. There,
/// weights, packed weights with their places, and states with their buffers are described already (by their
/// symbols' names), and so are the targets of programs on the host. Functions of the host are said to be in image
/// `image`. With `gpu`, its target and an image per kernel that the module launches are added (equal ones once).
/// Programs run on the target of the package that has the name in `on "..."`.
///
/// Buffers of one space and name are one buffer of the largest size. The body of an `exec.members` becomes a
/// program of kind Body. Names of entries, tensors and layers come from NameLocs. An access to memory, an
/// extent or an operation that records cannot express is an error at its op.
mlir::LogicalResult addPrograms(mlir::ModuleOp module, fb::PackageT &package, uint32_t image,
                                const GpuCode *gpu = nullptr);

} // namespace k3::exec

#endif // K3_PASSES_EXEC_EXECTOPACKAGE_H
