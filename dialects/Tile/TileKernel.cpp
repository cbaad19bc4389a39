//===- TileKernel.cpp - What holds in a whole kernel, and in its roles ----===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules that no op can see alone: arguments, prologue, roles, the team behind every tile.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/TileVerify.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

//===----------------------------------------------------------------------===//
// Arguments and attributes
//===----------------------------------------------------------------------===//

/// A map argument describes a view argument of its rank and element; strides of a tensor map are multiples of
/// 16 bytes.
static LogicalResult checkMap(KernelOp kernel, unsigned argument, MapType map) {
  std::optional<unsigned> described = kernel.getDescribed(argument);
  auto error = [&] { return kernel.emitOpError() << "argument " << argument << ": "; };
  if (!described)
    return error() << "a map says by tile.describes which view argument it maps";
  ArrayRef<Type> types = kernel.getArgumentTypes();
  auto view = *described < types.size() ? dyn_cast<ViewType>(types[*described]) : ViewType();
  if (!view)
    return error() << "tile.describes = " << *described << " is not the number of a view argument";
  if (view.getRank() != map.getRank() || view.getElementType() != map.getElementType())
    return error() << "the map has " << map.getRank() << " dimensions of " << map.getElementType()
                   << ", the view that it describes " << view.getRank() << " of " << view.getElementType();
  SmallVector<int64_t> strides = view.getAllStrides();
  for (int64_t stride : ArrayRef<int64_t>(strides).drop_back())
    if (!ShapedType::isDynamic(stride) && stride * view.getElementBytes() % 16 != 0)
      return error() << "the rows of the view that the map describes are " << stride * view.getElementBytes()
                     << " bytes apart, which is no multiple of 16";
  return success();
}

LogicalResult KernelOp::verify() {
  if (getFunctionType().getNumResults() != 0)
    return emitOpError("has no results");
  if (getBody().empty())
    return emitOpError("has a body");
  for (auto [i, type] : llvm::enumerate(getArgumentTypes())) {
    unsigned argument = static_cast<unsigned>(i);
    if (!isa<ViewType, MapType>(type) && !type.isInteger(32) && !type.isInteger(64) && !type.isF32())
      return emitOpError() << "argument " << i << " is " << type
                           << ": a kernel takes views, maps, i32, i64 and f32";
    if (getArgAttr(argument, "tile.role") &&
        (!isa<ViewType, MapType>(type) || !getArgAttrOfType<ArgRoleAttr>(argument, "tile.role")))
      return emitOpError() << "argument " << i << ": tile.role is an #tile.arg_role of a view or a map";
    if (getArgAttr(argument, "tile.describes") &&
        (!isa<MapType>(type) || !getArgAttrOfType<IntegerAttr>(argument, "tile.describes")))
      return emitOpError() << "argument " << i << ": tile.describes is a number on a map";
    if (auto map = dyn_cast<MapType>(type); map && failed(checkMap(*this, argument, map)))
      return failure();
  }
  ArrayRef<int32_t> cluster = getCluster().value_or(ArrayRef<int32_t>{});
  if (cluster.size() > 3 || llvm::any_of(cluster, [](int32_t extent) { return extent < 1; }) ||
      getClusterSize() > 16)
    return emitOpError() << "cluster holds the CTAs along x, y and z, 16 at most together, not [" << cluster
                         << "]";
  int64_t resident = getResident().value_or(1);
  if (resident < 1)
    return emitOpError() << "resident is the number of CTAs that wait for each other, not " << resident;
  return success();
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

constexpr int64_t maxWarps = arch::maxThreadsPerBlock / arch::warpSize;

LogicalResult RolesOp::verifyRegions() {
  llvm::StringSet<> names;
  int64_t warps = 0;
  for (Operation &op : getBody().front()) {
    auto role = dyn_cast<RoleOp>(op);
    if (!role)
      return op.emitOpError("stands between roles: tile.roles holds tile.role only");
    if (!names.insert(role.getName()).second)
      return role.emitOpError() << "'" << role.getName() << "' is the name of another role";
    warps += role.getTotalWarps();
  }
  if (names.empty())
    return emitOpError("has no role");
  if (warps > maxWarps)
    return emitOpError() << "the roles have " << warps << " warps together, a CTA has at most " << maxWarps;
  return success();
}

LogicalResult RoleOp::verify() {
  int64_t instances = getInstances(), warps = getWarps(), regs = getRegs().value_or(24),
          first = getFirstWarp().value_or(0);
  if (instances < 1 || warps < 1)
    return emitOpError() << "'" << getName() << "' has " << instances << " instances of " << warps
                         << " warps, at least one of one is needed";
  if (regs < 24 || regs > 256 || regs % 8 != 0)
    return emitOpError() << "'" << getName() << "' has a budget of " << regs
                         << " registers, setmaxnreg takes multiples of 8 from 24 to 256";
  if (first < 0 || (getRegs() && first % arch::warpgroupWarps != 0))
    return emitOpError() << "'" << getName() << "' starts at warp " << first
                         << ": a role with a register budget starts at a warpgroup, a multiple of 4";
  if (getBody().getNumArguments() != 1 || !getBody().getArgument(0).getType().isInteger(32))
    return emitOpError("the region takes the number of the instance, i32");
  return success();
}

static bool isTileOrPending(Type type) { return isa<RankedTensorType, PendingType>(type); }

LogicalResult ElectOp::verifyRegions() {
  WalkResult result = getBody().walk([&](Operation *op) -> WalkResult {
    if (llvm::any_of(op->getOperandTypes(), isTileOrPending) ||
        llvm::any_of(op->getResultTypes(), isTileOrPending))
      return op->emitOpError("uses a tile in tile.elect, where one lane runs alone");
    bool allowed = isa<MapLoadOp, MapStoreOp, BulkLoadOp, BulkStoreOp, BulkPrefetchOp, BulkCommitOp, BulkWaitOp, MbarExpectOp,
                       MbarArriveOp, MbarWaitOp, FenceProxyOp, PdlWaitOp, PdlLaunchOp>(op) ||
                   !isa_and_present<TileDialect>(op->getDialect()) || isPure(op);
    if (!allowed)
      return op->emitOpError("is for whole teams: tile.elect holds scalars, copies, barriers and scf only");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// The whole kernel
//===----------------------------------------------------------------------===//

/// What every thread of the CTA may do before the roles part.
static LogicalResult checkPrologue(Operation *op) {
  if (llvm::any_of(op->getOperandTypes(), isTileOrPending) ||
      llvm::any_of(op->getResultTypes(), isTileOrPending))
    return op->emitOpError("makes or uses a tile outside a role: a tile belongs to a team");
  if (isa<AllocOp, MbarAllocOp, PdlWaitOp, PdlLaunchOp, ReturnOp>(op) || isMemoryEffectFree(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return success();
  return op->emitOpError("stands outside a role: the prologue holds allocations, scalars and tile.pdl_wait");
}

/// Tiles of a team are spread over its warps.
static LogicalResult checkTeam(Operation *op, Type type, RoleOp role) {
  if (auto pending = dyn_cast<PendingType>(type))
    type = pending.getTile();
  if (!isa<TensorType>(type))
    return success();
  if (!isTile(type))
    return op->emitOpError() << "has a tensor without a #tile.layout: " << type;
  int64_t warps = layoutAttr(type).numWarps(), team = role.getWarps();
  if (warps != team)
    return op->emitOpError() << "has a tile spread over " << warps << " warps in role '" << role.getName()
                             << "' of " << team << ": " << type;
  return success();
}

/// arith and math work register by register.
static LogicalResult checkElementwise(Operation *op) {
  LayoutAttr layout;
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    if (!isTile(type))
      continue;
    LayoutAttr here = layoutAttr(type);
    if (layout && here != layout)
      return op->emitOpError() << "works register by register and needs one layout, not " << layout << " and "
                               << here;
    layout = here;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto elements = dyn_cast<ElementsAttr>(constant.getValue()); elements && !elements.isSplat())
      return op->emitOpError("a constant tile has one value everywhere");
  return success();
}

/// A second user would read registers that the first one still fills.
static LogicalResult checkPending(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<PendingType>(operand.getType()) && !isa<WgmmaOp, WgmmaWaitOp>(op) &&
        !isa_and_present<scf::SCFDialect>(op->getDialect()))
      return op->emitOpError(
          "uses a product in flight: only tile.wgmma (as accumulator) and tile.wgmma_wait may");
  for (Value result : op->getResults()) {
    llvm::SmallPtrSet<Block *, 4> blocks;
    if (isa<PendingType>(result.getType()))
      for (Operation *user : result.getUsers())
        if (!blocks.insert(user->getBlock()).second)
          return op->emitOpError("is in flight and has two users: its registers cannot be in two products");
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  if (!getBody().hasOneBlock())
    return emitOpError("the body is one block: control flow is scf");
  auto roles = llvm::to_vector(getBody().getOps<RolesOp>());
  if (roles.size() != 1)
    return emitOpError() << "has one tile.roles, not " << roles.size();
  Operation *next = roles.front()->getNextNode();
  if (!next || !isa<ReturnOp>(next))
    return (next ? next : roles.front().getOperation())
        ->emitOpError("tile.return follows tile.roles: a CTA ends with its roles");
  llvm::StringMap<int64_t> named;
  WalkResult result = walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (isa<KernelOp, RolesOp, RoleOp>(op))
      return WalkResult::advance();
    RoleOp role = roleOf(op);
    if (!role)
      return checkPrologue(op);
    for (Type type : op->getResultTypes())
      if (failed(checkTeam(op, type, role)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Type type : region.getArgumentTypes())
        if (failed(checkTeam(op, type, role)))
          return WalkResult::interrupt();
    if (isa_and_present<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
        failed(checkElementwise(op)))
      return WalkResult::interrupt();
    if (isa<BulkCommitOp>(op) && failed(checkInElect(op)))
      return WalkResult::interrupt();
    if (auto sync = dyn_cast<NamedSyncOp>(op)) {
      auto [entry, isNew] = named.try_emplace(sync.getName(), sync.getWarps());
      if (int64_t warps = sync.getWarps(); !isNew && entry->second != warps)
        return op->emitOpError() << "'" << sync.getName() << "' waits for " << warps << " warps here and for "
                                 << entry->second << " elsewhere";
    }
    return checkPending(op);
  });
  return failure(result.wasInterrupted());
}
