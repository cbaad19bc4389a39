//===- TileSync.cpp - Barriers, fences, flags, dependent launch --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/TileVerify.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

void MbarAllocOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getBarrier(), getName()); }

LogicalResult MbarAllocOp::verify() {
  if (!isa<KernelOp>((*this)->getParentOp()))
    return emitOpError("stands in the prologue of a kernel");
  int64_t offset = getOffset().value_or(0);
  if (offset < 0 || offset % 8 != 0)
    return emitOpError() << "offset " << offset << " is no multiple of 8";
  return success();
}

LogicalResult MbarExpectOp::verify() {
  constexpr int64_t most = (1 << 20) - 1; // the transaction count of an mbarrier
  int64_t bytes = getBytes();
  if (bytes < 16 || bytes > most || bytes % 16 != 0)
    return emitOpError() << "expects " << bytes << " bytes, copies bring multiples of 16 up to " << most;
  if (failed(checkInElect(*this)))
    return failure();
  return checkPhase(*this, getBarrier().getType(), getCursor().getType());
}

LogicalResult MbarArriveOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (getPeer() && kernel && kernel.getClusterSize() == 1)
    return emitOpError("peer is a CTA of the cluster, the kernel has none");
  return checkPhase(*this, getBarrier().getType(), getCursor().getType());
}

LogicalResult MbarWaitOp::verify() {
  return checkPhase(*this, getBarrier().getType(), getCursor().getType());
}

LogicalResult NamedSyncOp::verify() {
  constexpr int64_t most = arch::maxThreadsPerBlock / arch::warpSize;
  int64_t warps = getWarps();
  if (warps < 1 || warps > most || (roleOf(*this) && warps < teamWarps(*this)))
    return emitOpError() << "waits for " << warps << " warps, must be from those of its team to " << most;
  return success();
}

//===----------------------------------------------------------------------===//
// Flags in global memory
//===----------------------------------------------------------------------===//

static LogicalResult checkCounter(Operation *op, ViewType view, ValueRange coords) {
  if (!view.getElementType().isInteger(32))
    return op->emitOpError() << "a counter or flag is i32, the view holds " << view.getElementType();
  return checkCoords(op, coords.size(), view.getRank());
}

LogicalResult SignalOp::verify() { return checkCounter(*this, getView().getType(), getCoords()); }

void SignalOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getView(), /*write=*/true, Proxy::Generic, Completion::Op});
}

LogicalResult AwaitOp::verify() { return checkCounter(*this, getView().getType(), getCoords()); }

void AwaitOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getView(), /*write=*/false, Proxy::Generic, Completion::Op});
}

LogicalResult AtomicAddOp::verify() { return checkCounter(*this, getView().getType(), getCoords()); }

void AtomicAddOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getView(), /*write=*/false, Proxy::Generic, Completion::Op});
  accesses.push_back({getView(), /*write=*/true, Proxy::Generic, Completion::Op});
}

LogicalResult AssertFlagOp::verify() {
  int64_t code = getCode();
  if (code == 0 || !llvm::isInt<32>(code))
    return emitOpError() << "code " << code
                         << ": a 32-bit number other than 0, which says that nothing happened";
  return checkCounter(*this, getView().getType(), getCoords());
}

void AssertFlagOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  accesses.push_back({getView(), /*write=*/true, Proxy::Generic, Completion::Op});
}
