//===- k3-opt.cpp - Every dialect and pass of the compiler behind one command line --===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Pipeline/Phases.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  k3::registerK3Dialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  k3::registerK3Passes();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "k3-opt: runs passes over the IR of the k3 compiler\n", registry));
}
