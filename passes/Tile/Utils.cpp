//===- Utils.cpp - What several tile passes ask of a kernel -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Tile/Utils.h"

#include "llvm/Support/Path.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

static KernelOp kernelOf(Operation *op) {
  return isa<KernelOp>(op) ? cast<KernelOp>(op) : op->getParentOfType<KernelOp>();
}

InFlightDiagnostic tile::kernelError(Operation *op) {
  return std::move(op->emitError() << "kernel '" << kernelOf(op).getSymName() << "': ");
}

InFlightDiagnostic tile::kernelRemark(Operation *op) {
  return std::move(op->emitRemark() << "kernel '" << kernelOf(op).getSymName() << "': ");
}

std::string tile::placeText(Location loc) {
  std::string text = "an unknown place";
  loc->walk([&](Location each) {
    auto place = dyn_cast<FileLineColLoc>(each);
    if (!place)
      return WalkResult::advance();
    text = llvm::sys::path::filename(place.getFilename().getValue()).str() + ":" +
           std::to_string(place.getLine()) + ":" + std::to_string(place.getColumn());
    return WalkResult::interrupt();
  });
  return text;
}

std::string tile::opText(Operation *op) {
  return op->getName().getStringRef().str() + " at " + placeText(op->getLoc());
}

const arch::GpuInfo *tile::targetOf(KernelOp kernel, StringRef name) {
  Expected<arch::GpuTarget> target = arch::findGpu(name.str());
  if (target)
    return target->info;
  kernelError(kernel) << target.status().text();
  return nullptr;
}

SmallVector<RoleOp> tile::rolesOf(KernelOp kernel) {
  SmallVector<RoleOp> roles;
  if (RolesOp op = kernel.getRoles())
    llvm::append_range(roles, op.getBody().getOps<RoleOp>());
  return roles;
}

bool tile::usesWgmma(RoleOp role) {
  return role
      .walk([](Operation *op) {
        return isa<WgmmaOp, WgmmaFenceOp, WgmmaCommitOp, WgmmaWaitOp>(op) ? WalkResult::interrupt()
                                                                          : WalkResult::advance();
      })
      .wasInterrupted();
}

SharedBytes tile::sharedBytes(Value shared) {
  Operation *op = shared.getDefiningOp();
  if (auto alloc = dyn_cast_or_null<AllocOp>(op)) {
    SharedType type = alloc.getBuffer().getType();
    return {alloc, 0, (type.getStages() - 1) * type.getStageStride() + type.getBytes()};
  }
  if (auto alias = dyn_cast_or_null<AliasOp>(op)) {
    SharedBytes source = sharedBytes(alias.getSource());
    if (!source.exact)
      return source;
    SharedType type = alias.getResult().getType();
    source.begin += alias.getOffset();
    source.end = source.begin + (type.getStages() - 1) * type.getStageStride() + type.getBytes();
    return source;
  }
  SharedBytes bytes;
  if (auto slot = dyn_cast_or_null<SlotOp>(op))
    bytes = sharedBytes(slot.getBuffer());
  else if (auto part = dyn_cast_or_null<PartOp>(op))
    bytes = sharedBytes(part.getSource());
  else if (auto peer = dyn_cast_or_null<PeerOp>(op))
    return sharedBytes(peer.getSource());
  bytes.exact = false;
  return bytes;
}

std::optional<unsigned> tile::argumentOf(KernelOp kernel, Value memory) {
  while (auto strided = memory.getDefiningOp<StridedOp>())
    memory = strided.getSource();
  auto argument = dyn_cast<BlockArgument>(memory);
  if (!argument || argument.getOwner() != &kernel.getBody().front())
    return std::nullopt;
  if (isa<MapType>(argument.getType()))
    if (std::optional<unsigned> view = kernel.getDescribed(argument.getArgNumber()))
      return view;
  return argument.getArgNumber();
}

ArgRole tile::memoryRole(KernelOp kernel, unsigned argument) {
  if (!kernel.getArgAttr(argument, "tile.role"))
    if (std::optional<unsigned> view = kernel.getDescribed(argument))
      return kernel.getArgRole(*view);
  return kernel.getArgRole(argument);
}

SmallVector<MemoryAccess> tile::accessesOf(Operation *op) {
  SmallVector<MemoryAccess> accesses;
  if (auto memory = dyn_cast<MemoryOpInterface>(op))
    memory.getAccesses(accesses);
  return accesses;
}
