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

/// An exchange through scratch: written, the team (or cluster) synchronised, read.
static void exchange(Value scratch, SmallVectorImpl<MemoryAccess> &accesses) {
  if (!scratch)
    return;
  accesses.push_back({scratch, /*write=*/true, Proxy::Generic, Completion::Op});
  accesses.push_back({scratch, /*write=*/false, Proxy::Generic, Completion::Op});
}

LogicalResult SplatOp::verify() { return success(); }
LogicalResult IotaOp::verify() { return success(); }
LogicalResult ReduceOp::verify() { return success(); }
void ReduceOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  exchange(getScratch(), accesses);
}
SmallVector<arch::Feature> ReduceOp::getRequiredFeatures() {
  return getAcross() == Across::Cluster ? SmallVector<arch::Feature>{arch::Feature::Cluster} : SmallVector<arch::Feature>();
}
LogicalResult ExpandOp::verify() { return success(); }
LogicalResult SliceOp::verify() { return success(); }
LogicalResult ConcatOp::verify() { return success(); }
LogicalResult TransOp::verify() { return success(); }
LogicalResult ConvertOp::verify() { return success(); }
void ConvertOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  exchange(getScratch(), accesses);
}
LogicalResult BitcastOp::verify() { return success(); }
LogicalResult RcpOp::verify() { return success(); }
