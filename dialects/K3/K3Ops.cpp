//===- K3Ops.cpp - Generated definitions of the k3 ops --------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Ops.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace k3;

#define GET_OP_CLASSES
#include "dialects/K3/K3Ops.cpp.inc"
