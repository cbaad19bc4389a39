//===- TileMemory.cpp - Copies, loads and stores ----------------*- C++ -*-===//
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

LogicalResult StridedOp::verify() { return success(); }
LogicalResult MapLoadOp::verify() { return success(); }
void MapLoadOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getMap(), /*write=*/false, Proxy::Async, Completion::Mbarrier});
  accesses.push_back({getTarget(), /*write=*/true, Proxy::Async, Completion::Mbarrier});
}
LogicalResult MapStoreOp::verify() { return success(); }
void MapStoreOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getSource(), /*write=*/false, Proxy::Async, Completion::BulkGroup});
  if (getAdd()) // it reads what it adds to
    accesses.push_back({getMap(), /*write=*/false, Proxy::Async, Completion::BulkGroup});
  accesses.push_back({getMap(), /*write=*/true, Proxy::Async, Completion::BulkGroup});
}
LogicalResult BulkLoadOp::verify() { return success(); }
void BulkLoadOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getView(), /*write=*/false, Proxy::Async, Completion::Mbarrier});
  accesses.push_back({getTarget(), /*write=*/true, Proxy::Async, Completion::Mbarrier});
}
LogicalResult BulkStoreOp::verify() { return success(); }
void BulkStoreOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getSource(), /*write=*/false, Proxy::Async, Completion::BulkGroup});
  accesses.push_back({getView(), /*write=*/true, Proxy::Async, Completion::BulkGroup});
}
LogicalResult BulkWaitOp::verify() { return success(); }
LogicalResult CpAsyncOp::verify() { return success(); }
void CpAsyncOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  // Unlike the bulk copies, cp.async goes through the generic proxy (PTX ISA 9.0, "Async proxy").
  accesses.push_back({getView(), /*write=*/false, Proxy::Generic, Completion::CpAsyncGroup});
  accesses.push_back({getTarget(), /*write=*/true, Proxy::Generic, Completion::CpAsyncGroup});
}
LogicalResult CpAsyncWaitOp::verify() { return success(); }
LogicalResult LoadOp::verify() { return success(); }
void LoadOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getView(), /*write=*/false, Proxy::Generic, Completion::Op});
}
LogicalResult StoreOp::verify() { return success(); }
void StoreOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getView(), /*write=*/true, Proxy::Generic, Completion::Op});
}
LogicalResult GatherLoadOp::verify() { return success(); }
void GatherLoadOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getView(), /*write=*/false, Proxy::Generic, Completion::Op});
}
LogicalResult LoadSharedOp::verify() { return success(); }
void LoadSharedOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getSource(), /*write=*/false, Proxy::Generic, Completion::Op});
}
LogicalResult StoreSharedOp::verify() { return success(); }
void StoreSharedOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getTarget(), /*write=*/true, Proxy::Generic, Completion::Op});
}
LogicalResult LdmatrixOp::verify() { return success(); }
void LdmatrixOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getSource(), /*write=*/false, Proxy::Generic, Completion::Op});
}
LogicalResult StmatrixOp::verify() { return success(); }
void StmatrixOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getTarget(), /*write=*/true, Proxy::Generic, Completion::Op});
}
