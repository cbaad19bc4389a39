//===- TileMatrix.cpp - Products on tensor cores ----------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/TileOps.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

LogicalResult WgmmaOp::verify() { return success(); }
void WgmmaOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  for (Value operand : {getA(), Value(getB())})
    if (isa<SharedType>(operand.getType()))
      accesses.push_back({operand, /*write=*/false, Proxy::Async, Completion::WgmmaGroup});
}
LogicalResult WgmmaWaitOp::verify() { return success(); }
LogicalResult MmaOp::verify() { return success(); }
