//===- Sync.cpp - Barriers, fences, flags, dependent launch, places in the grid ------===//
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

//===----------------------------------------------------------------------===//
// Cursors: slot and parity
//===----------------------------------------------------------------------===//

LogicalResult Emitter::lower(tile::CursorOp op) {
  set(op.getCursor(), ValueRange{i32(op.getStart()), i32(0)});
  return success();
}

LogicalResult Emitter::lower(tile::AdvanceOp op) {
  Registers cursor = get(op.getCursor());
  int64_t slots = op.getCursor().getType().getSlots(), by = op.getBy();
  // Whole turns flip the parity whatever the slot; the rest may wrap once.
  Value parity = lxor(cursor[1], by / slots % 2), slot = cursor[0];
  if (by %= slots) {
    Value next = add(slot, by);
    Value wraps = compare(LLVM::ICmpPredicate::uge, next, slots);
    slot = LLVM::SelectOp::create(b, wraps, by == 1 ? i32(0) : add(next, -slots), next);
    parity = LLVM::SelectOp::create(b, wraps, lxor(parity, 1), parity);
  }
  set(op.getResult(), ValueRange{slot, parity});
  return success();
}

//===----------------------------------------------------------------------===//
// mbarriers, eight bytes each
//===----------------------------------------------------------------------===//

/// \param index a cursor or a number.
Value Emitter::barrierSlot(Value barrier, Value index) {
  return add(one(barrier), mul(get(index).front(), 8));
}

LogicalResult Emitter::lower(tile::MbarExpectOp op) {
  Value pointer = sharedPointer(barrierSlot(op.getBarrier(), op.getCursor()));
  NVVM::MBarrierArriveExpectTxOp::create(b, Type(), pointer, i32(op.getBytes()), NVVM::MemScopeKind::CTA,
                                         false, Value());
  return success();
}

LogicalResult Emitter::lower(tile::MbarArriveOp op) {
  Value chosen;
  if (!elected(op)) {
    // All lanes have done what the arrival releases.
    bool perTeam = op.getArrival() == tile::Arrival::PerTeam;
    if (!perTeam)
      warpSync();
    else if (failed(teamSync(op)))
      return failure();
    chosen = once({-5}, [&] { return compare(LLVM::ICmpPredicate::eq, lane, 0); });
    if (perTeam && team.warps > 1)
      chosen = both(chosen, compare(LLVM::ICmpPredicate::eq, team.warp, 0));
  }
  when(chosen, [&] {
    Value address = barrierSlot(op.getBarrier(), op.getCursor());
    if (!op.getPeer()) {
      NVVM::MBarrierArriveOp::create(b, b.getI64Type(), sharedPointer(address), Value());
      return;
    }
    // Scope cta: a release at cluster scope is a fence of the whole GPU in every step.
    Value peer = NVVM::MapaOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), 7),
                                      sharedPointer(address), one(op.getPeer()));
    NVVM::MBarrierArriveOp::create(b, Type(), peer, Value());
  });
  return success();
}

LogicalResult Emitter::lower(tile::MbarWaitOp op) {
  Registers cursor = get(op.getCursor());
  Value parity = op.getProducer() ? lxor(cursor[1], 1) : cursor[1];
  Value pointer = sharedPointer(barrierSlot(op.getBarrier(), op.getCursor()));
  Block *test = addBlock(), *done = addBlock();
  branch(test);
  start(test);
  branch(NVVM::MBarrierTryWaitOp::create(b, b.getI1Type(), pointer, parity, Value()), done, test);
  start(done);
  return success();
}

//===----------------------------------------------------------------------===//
// Warps, teams, clusters
//===----------------------------------------------------------------------===//

LogicalResult Emitter::lower(tile::WarpSyncOp) {
  warpSync();
  return success();
}

FailureOr<Value> Emitter::barrierId(Operation *op, bool perInstance) {
  auto id = op->getAttrOfType<IntegerAttr>("id");
  // All syncs of one team share a barrier; arrivals and signals of a team have no number of their own.
  if (!id && isa<tile::MbarArriveOp, tile::SignalOp>(op))
    tile::roleOf(op).walk([&](tile::TeamSyncOp sync) { id = sync.getIdAttr(); });
  if (!id)
    return op->emitOpError()
           << "has no 'id' of a hardware barrier; run passes/Tile first, or add a tile.team_sync to the role";
  return perInstance && team.instances > 1 ? add(team.instance, id.getInt()) : i32(id.getInt());
}

LogicalResult Emitter::teamSync(Operation *op) {
  if (team.warps == 1) {
    warpSync();
    return success();
  }
  FailureOr<Value> id = barrierId(op, /*perInstance=*/true);
  if (failed(id))
    return failure();
  NVVM::BarrierOp::create(b, Type(), *id, i32(32 * team.warps), NVVM::BarrierReductionAttr(), Value());
  return success();
}

LogicalResult Emitter::lower(tile::TeamSyncOp op) { return teamSync(op); }

LogicalResult Emitter::lower(tile::NamedSyncOp op) {
  FailureOr<Value> id = barrierId(op, op.getPerInstance());
  if (failed(id))
    return failure();
  Value threads = i32(32 * op.getWarps());
  if (op.getArrive())
    NVVM::BarrierArriveOp::create(b, *id, threads);
  else
    NVVM::BarrierOp::create(b, Type(), *id, threads, NVVM::BarrierReductionAttr(), Value());
  return success();
}

void Emitter::clusterBarrier(bool aligned) {
  UnitAttr attr = aligned ? b.getUnitAttr() : UnitAttr();
  NVVM::ClusterArriveOp::create(b, attr);
  NVVM::ClusterWaitOp::create(b, attr);
}

LogicalResult Emitter::lower(tile::ClusterArriveOp op) {
  if (op.getRelaxed())
    NVVM::ClusterArriveRelaxedOp::create(b, UnitAttr());
  else
    NVVM::ClusterArriveOp::create(b, UnitAttr());
  return success();
}

LogicalResult Emitter::lower(tile::ClusterWaitOp) {
  NVVM::ClusterWaitOp::create(b, UnitAttr());
  return success();
}

LogicalResult Emitter::lower(tile::FenceProxyOp op) {
  if (op.getSpace() == tile::Space::Shared)
    NVVM::FenceProxyOp::create(b, NVVM::ProxyKind::async_shared,
                               NVVM::SharedSpaceAttr::get(b.getContext(), NVVM::SharedSpace::shared_cta));
  else
    NVVM::FenceProxyOp::create(b, NVVM::ProxyKind::async, NVVM::SharedSpaceAttr());
  return success();
}

//===----------------------------------------------------------------------===//
// Counters in global memory. The back end drops the order of atomicrmw, so ordered ones are assembly.
//===----------------------------------------------------------------------===//

static StringRef scopeName(tile::Scope scope) { return scope == tile::Scope::Sys ? "sys" : "gpu"; }

LogicalResult Emitter::lower(tile::SignalOp op) {
  Value chosen;
  if (!elected(op)) {
    if (failed(teamSync(op)))
      return failure();
    chosen = compare(LLVM::ICmpPredicate::eq, lane, 0);
    if (team.warps > 1)
      chosen = both(chosen, compare(LLVM::ICmpPredicate::eq, team.warp, 0));
  }
  Value address = element(op, op.getView(), op.getCoords()), value = one(op.getValue());
  if (!address)
    return failure();
  when(chosen, [&] {
    // The barrier before makes the team's stores part of what this thread releases.
    assembly(("red.release." + scopeName(op.getScope()) + ".global.add.u32 [$0], $1;").str(), "l,r,~{memory}",
             {address, value}, Type());
  });
  return success();
}

LogicalResult Emitter::lower(tile::AwaitOp op) {
  Value address = element(op, op.getView(), op.getCoords()), value = one(op.getValue());
  if (!address)
    return failure();
  Block *test = addBlock(), *done = addBlock();
  branch(test);
  start(test);
  Value seen = assembly(("ld.acquire." + scopeName(op.getScope()) + ".global.u32 $0, [$1];").str(),
                        "=r,l,~{memory}", address, b.getI32Type());
  branch(compare(LLVM::ICmpPredicate::sge, seen, value), done, test);
  start(done);
  if (!elected(op))
    warpSync();
  return success();
}

LogicalResult Emitter::lower(tile::AtomicAddOp op) {
  if (!elected(op) && team.warps > 1)
    return op.emitOpError() << "is not lowered in a team of " << team.warps
                            << " warps: let one warp or tile.elect do it";
  Value address = element(op, op.getView(), op.getCoords()), value = one(op.getValue());
  if (!address)
    return failure();
  std::string text = ("atom.acq_rel." + scopeName(op.getScope()) + ".global.add.u32 $0, [$1], $2;").str();
  if (elected(op)) {
    set(op.getOld(), assembly(text, "=r,l,r,~{memory}", {address, value}, b.getI32Type()));
    return success();
  }
  warpSync();
  Value chosen = compare(LLVM::ICmpPredicate::eq, lane, 0);
  Value old = assembly("{ .reg .pred p; setp.ne.b32 p, $3, 0; mov.b32 $0, 0; @p " + text + " }",
                       "=&r,l,r,r,~{memory}",
                       {address, value, LLVM::ZExtOp::create(b, b.getI32Type(), chosen)}, b.getI32Type());
  set(op.getOld(), shuffle(old, NVVM::ShflKind::idx, i32(0)));
  return success();
}

LogicalResult Emitter::lower(tile::AssertFlagOp op) {
  Value address = element(op, op.getView(), op.getCoords());
  if (!address)
    return failure();
  // A store, no trap: a branch to a trap would serialise wgmma in flight.
  assembly("{ .reg .pred p; setp.eq.b32 p, $2, 0; @p st.global.b32 [$0], $1; }", "l,r,r,~{memory}",
           {address, i32(op.getCode()), LLVM::ZExtOp::create(b, b.getI32Type(), one(op.getCondition()))},
           Type());
  return success();
}

LogicalResult Emitter::lower(tile::PdlWaitOp) {
  NVVM::GriddepcontrolOp::create(b, NVVM::GridDepActionKind::wait);
  return success();
}

LogicalResult Emitter::lower(tile::PdlLaunchOp) {
  NVVM::GriddepcontrolOp::create(b, NVVM::GridDepActionKind::launch_dependents);
  return success();
}

//===----------------------------------------------------------------------===//
// Places in the grid
//===----------------------------------------------------------------------===//

LogicalResult Emitter::lower(tile::CtaIdOp op) {
  Type type = b.getI32Type();
  switch (op.getDim()) {
  case tile::Dimension::X:
    set(op.getResult(), Value(NVVM::BlockIdXOp::create(b, type)));
    break;
  case tile::Dimension::Y:
    set(op.getResult(), Value(NVVM::BlockIdYOp::create(b, type)));
    break;
  case tile::Dimension::Z:
    set(op.getResult(), Value(NVVM::BlockIdZOp::create(b, type)));
    break;
  }
  return success();
}

LogicalResult Emitter::lower(tile::NumCtasOp op) {
  Type type = b.getI32Type();
  switch (op.getDim()) {
  case tile::Dimension::X:
    set(op.getResult(), Value(NVVM::GridDimXOp::create(b, type)));
    break;
  case tile::Dimension::Y:
    set(op.getResult(), Value(NVVM::GridDimYOp::create(b, type)));
    break;
  case tile::Dimension::Z:
    set(op.getResult(), Value(NVVM::GridDimZOp::create(b, type)));
    break;
  }
  return success();
}

LogicalResult Emitter::lower(tile::ClusterIdOp op) {
  set(op.getResult(), Value(NVVM::ClusterIdXOp::create(b, b.getI32Type())));
  return success();
}

LogicalResult Emitter::lower(tile::NumClustersOp op) {
  set(op.getResult(), Value(NVVM::ClusterDimXOp::create(b, b.getI32Type())));
  return success();
}

LogicalResult Emitter::lower(tile::CtaRankOp op) {
  set(op.getResult(), Value(NVVM::ClusterId::create(b, b.getI32Type())));
  return success();
}
