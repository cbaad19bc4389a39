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

namespace k3::exec {

/// Adds every `exec.program` and `exec.kernel` of the module, and the buffers they name, to `package`. There,
/// weights, packed weights with their places, and states with their buffers are described already (by their
/// symbols' names). Kernels are said to be in image `image`, programs to run on target `target`; both are
/// indices into `package`.
///
/// Buffers of one space and name are one buffer of the largest size. The body of an `exec.members` becomes a
/// program of kind Body. Names of entries, tensors and layers come from NameLocs. An access to memory, an
/// extent or an operation that records cannot express is an error at its op.
mlir::LogicalResult addPrograms(mlir::ModuleOp module, fb::PackageT &package, uint32_t image,
                                uint32_t target);

} // namespace k3::exec

#endif // K3_PASSES_EXEC_EXECTOPACKAGE_H
