//===- HostProgram.cpp - Builds one exec program of host kernels --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Host/HostProgram.h"

using namespace mlir;

namespace k3::host {

void HostProgram::launch(const HostKernel &kernel, ArrayRef<Value> views, AffineExpr units) {
  if (!symbols.lookup(kernel.symbol)) {
    OpBuilder declarations(module.getContext());
    auto declaration = exec::KernelOp::create(declarations, loc, declarations.getStringAttr(kernel.symbol),
                                              declarations.getStringAttr(kernel.access), StringAttr());
    symbols.insert(declaration);
  }
  exec::LaunchOp::create(b, loc, kernel.symbol, views, kernel.access, map({units}), kernel.grain, kernel.scratchBytes,
                         stream);
}

} // namespace k3::host
