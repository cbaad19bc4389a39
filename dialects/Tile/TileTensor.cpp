//===- TileTensor.cpp - Register tiles --------------------------*- C++ -*-===//
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

LogicalResult SplatOp::verify() { return success(); }
LogicalResult IotaOp::verify() { return success(); }
LogicalResult ReduceOp::verify() { return success(); }
void ReduceOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {}
SmallVector<arch::Feature> ReduceOp::getRequiredFeatures() { return {}; }
LogicalResult ExpandOp::verify() { return success(); }
LogicalResult SliceOp::verify() { return success(); }
LogicalResult ConcatOp::verify() { return success(); }
LogicalResult TransOp::verify() { return success(); }
LogicalResult ConvertOp::verify() { return success(); }
void ConvertOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {}
LogicalResult BitcastOp::verify() { return success(); }
LogicalResult RcpOp::verify() { return success(); }
