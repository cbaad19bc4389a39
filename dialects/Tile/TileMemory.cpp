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
void MapLoadOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {}
LogicalResult MapStoreOp::verify() { return success(); }
void MapStoreOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {}
LogicalResult BulkLoadOp::verify() { return success(); }
void BulkLoadOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {}
LogicalResult BulkStoreOp::verify() { return success(); }
void BulkStoreOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {}
LogicalResult BulkWaitOp::verify() { return success(); }
LogicalResult CpAsyncOp::verify() { return success(); }
void CpAsyncOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {}
LogicalResult CpAsyncWaitOp::verify() { return success(); }
LogicalResult LoadOp::verify() { return success(); }
void LoadOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {}
LogicalResult StoreOp::verify() { return success(); }
void StoreOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {}
LogicalResult GatherLoadOp::verify() { return success(); }
void GatherLoadOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {}
LogicalResult LoadSharedOp::verify() { return success(); }
void LoadSharedOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {}
LogicalResult StoreSharedOp::verify() { return success(); }
void StoreSharedOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {}
LogicalResult LdmatrixOp::verify() { return success(); }
void LdmatrixOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {}
LogicalResult StmatrixOp::verify() { return success(); }
void StmatrixOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {}
