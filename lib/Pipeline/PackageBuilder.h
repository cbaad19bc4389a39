//===- PackageBuilder.h - A lowered module as a package -*- C++ -*- -------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PIPELINE_PACKAGEBUILDER_H
#define K3_PIPELINE_PACKAGEBUILDER_H

#include "lib/Package/Package.h"
#include "passes/Exec/ExecToPackage.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace k3 {

/// The package of a module after the last phase: what k3 symbols and module attributes say of model, weights and state,
/// its exec programs, and the code of their kernels: the host object (empty: no program runs on the host), of x86-64
/// level `isa`, and with `gpu` that of a GPU.
Expected<fb::PackageT> buildPackage(mlir::ModuleOp module, const std::vector<char> &hostObject, const std::string &isa,
                                    const exec::GpuCode *gpu = nullptr);

/// The part that k3 symbols and module attributes describe: model, mesh, limits, weight manifest, packed weights with
/// their places in one buffer, states with a buffer each.
Expected<fb::PackageT> describeModel(mlir::ModuleOp module);

} // namespace k3

#endif // K3_PIPELINE_PACKAGEBUILDER_H
