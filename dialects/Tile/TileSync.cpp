//===- TileSync.cpp - Barriers, fences, flags, dependent launch --*- C++ -*-===//
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

LogicalResult MbarAllocOp::verify() { return success(); }
LogicalResult MbarExpectOp::verify() { return success(); }
LogicalResult MbarArriveOp::verify() { return success(); }
LogicalResult MbarWaitOp::verify() { return success(); }
LogicalResult NamedSyncOp::verify() { return success(); }
LogicalResult SignalOp::verify() { return success(); }
void SignalOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getView(), /*write=*/true, Proxy::Generic, Completion::Op});
}
LogicalResult AwaitOp::verify() { return success(); }
void AwaitOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getView(), /*write=*/false, Proxy::Generic, Completion::Op});
}
LogicalResult AtomicAddOp::verify() { return success(); }
void AtomicAddOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getView(), /*write=*/false, Proxy::Generic, Completion::Op});
  accesses.push_back({getView(), /*write=*/true, Proxy::Generic, Completion::Op});
}
LogicalResult AssertFlagOp::verify() { return success(); }
void AssertFlagOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getView(), /*write=*/true, Proxy::Generic, Completion::Op});
}
