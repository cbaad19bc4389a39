//===- Copies.cpp - Copies by the copy engine ----------------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Lower/Emitter.h"

using namespace mlir;
using namespace k3;
using namespace k3::lower;

/// Innermost first, as the instructions count.
static Registers reversed(Registers coords) {
  std::reverse(coords.begin(), coords.end());
  return coords;
}

LogicalResult Emitter::lower(tile::PolicyOp op) {
  StringRef name = op.getEviction() == tile::Eviction::First  ? "evict_first"
                   : op.getEviction() == tile::Eviction::Last ? "evict_last"
                                                              : "evict_normal";
  set(op.getPolicy(),
      assembly(("createpolicy.fractional.L2::" + name + ".b64 $0, 1.0;").str(), "=l", {}, b.getI64Type(),
               /*sideEffects=*/false));
  return success();
}

LogicalResult Emitter::lower(tile::MapLoadOp op) {
  Value mask, policy = op.getPolicy() ? one(op.getPolicy()) : Value();
  if (op.getMulticast())
    mask = LLVM::TruncOp::create(b, b.getI16Type(), one(op.getMulticast()));
  // An own address is also one of the cluster's window.
  Value address = one(op.getTarget()), target = mask ? clusterPointer(address) : sharedPointer(address);
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      b, target, one(op.getMap()), reversed(get(op.getCoords())),
      sharedPointer(barrierSlot(op.getBarrier(), op.getCursor())), ValueRange(), mask, policy,
      NVVM::TMALoadMode::TILE, /*isCTAOnly=*/!mask, NVVM::CTAGroupKindAttr(), Value());
  return success();
}

LogicalResult Emitter::lower(tile::MapStoreOp op) {
  Value policy = op.getPolicy() ? one(op.getPolicy()) : Value();
  Value source = sharedPointer(one(op.getSource()));
  Registers coords = reversed(get(op.getCoords()));
  if (op.getAdd())
    NVVM::CpAsyncBulkTensorReduceOp::create(b, one(op.getMap()), source, NVVM::TMAReduxKind::ADD,
                                            NVVM::TMAStoreMode::TILE, coords, policy);
  else
    NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(b, one(op.getMap()), source, coords, policy,
                                                       NVVM::TMAStoreMode::TILE, Value());
  return success();
}

static int64_t bytesOf(tile::SharedType type) {
  int64_t bytes = type.getElementBytes();
  for (int64_t extent : type.getShape())
    bytes *= extent;
  return bytes;
}

LogicalResult Emitter::lower(tile::BulkLoadOp op) {
  Value source = element(op, op.getView(), op.getCoords());
  if (!source)
    return failure();
  NVVM::CpAsyncBulkGlobalToSharedClusterOp::create(
      b, clusterPointer(one(op.getTarget())), source,
      sharedPointer(barrierSlot(op.getBarrier(), op.getCursor())), i32(bytesOf(op.getTarget().getType())),
      Value(), op.getPolicy() ? one(op.getPolicy()) : Value());
  return success();
}

LogicalResult Emitter::lower(tile::BulkStoreOp op) {
  Value target = element(op, op.getView(), op.getCoords());
  if (!target)
    return failure();
  NVVM::CpAsyncBulkSharedCTAToGlobalOp::create(b, target, sharedPointer(one(op.getSource())),
                                               i32(bytesOf(op.getSource().getType())),
                                               op.getPolicy() ? one(op.getPolicy()) : Value(), Value());
  return success();
}

LogicalResult Emitter::lower(tile::BulkPrefetchOp op) {
  Value source = element(op, op.getView(), op.getCoords());
  if (!source)
    return failure();
  NVVM::CpAsyncBulkPrefetchOp::create(b, source, i32(op.getBytes()), Value());
  return success();
}

LogicalResult Emitter::lower(tile::BulkCommitOp) {
  NVVM::CpAsyncBulkCommitGroupOp::create(b);
  return success();
}

LogicalResult Emitter::lower(tile::BulkWaitOp op) {
  NVVM::CpAsyncBulkWaitGroupOp::create(b, static_cast<uint32_t>(op.getPending()),
                                       op.getRead() ? b.getUnitAttr() : UnitAttr());
  return success();
}

LogicalResult Emitter::lower(tile::CpAsyncCommitOp) {
  NVVM::CpAsyncCommitGroupOp::create(b);
  return success();
}

LogicalResult Emitter::lower(tile::CpAsyncWaitOp op) {
  NVVM::CpAsyncWaitGroupOp::create(b, static_cast<uint32_t>(op.getPending()));
  return success();
}
