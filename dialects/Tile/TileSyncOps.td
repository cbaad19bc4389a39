//===- TileSyncOps.td - Barriers, fences, flags, dependent launch -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TILE_SYNC_OPS
#define K3_TILE_SYNC_OPS

include "dialects/Tile/TileBase.td"

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

def MbarAllocOp : Tile_ArchOp<"mbar_alloc", ["MbarrierTx"], [Tile_NamesResult]> {
  let summary = "an array of mbarriers, initialised before any role starts";
  let description = "In the prologue. passes/Tile sets `offset`. With clusters no CTA goes on before all have initialised theirs.";
  let arguments = (ins StrAttr:$name, OptionalAttr<I64Attr>:$offset);
  let results = (outs Tile_Mbar:$barrier);
  let assemblyFormat = "$name attr-dict `:` type($barrier)";
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::llvm::StringRef":$name), [{
    build($_builder, $_state, type, $_builder.getStringAttr(name), ::mlir::IntegerAttr());
  }]>];
  let hasVerifier = 1;
}

def MbarExpectOp : Tile_ArchOp<"mbar_expect", ["MbarrierTx"]> {
  let summary = "one arrival, and so many bytes that the phase waits for";
  let description = "In `tile.elect`.";
  let arguments = (ins Tile_Mbar:$barrier, Tile_CursorOrIndex:$cursor, I64Attr:$bytes);
  let assemblyFormat = "$barrier `[` $cursor `]` `bytes` $bytes attr-dict `:` type($barrier) `,` type($cursor)";
  let hasVerifier = 1;
}

def MbarArriveOp : Tile_ArchOp<"mbar_arrive", ["MbarrierTx"]> {
  let summary = "arrivals at a phase: one per warp, or one of the team; releases what was done before";
  let description = [{
    Outside `tile.elect` the warp (or team) is synchronised first, so that all its lanes have done what they release. With `peer` the
    barrier of that CTA of the cluster.
  }];
  let arguments = (ins Tile_Mbar:$barrier, Tile_CursorOrIndex:$cursor, Optional<I32>:$peer,
                       DefaultValuedAttr<Tile_ArrivalAttr, "::k3::tile::Arrival::PerWarp">:$arrival);
  let assemblyFormat = [{
    $barrier `[` $cursor `]` (`peer` $peer^)? (`arrival` `` $arrival^)? attr-dict `:` type($barrier) `,` type($cursor)
  }];
  let hasVerifier = 1;
}

def MbarWaitOp : Tile_ArchOp<"mbar_wait", ["MbarrierTx"]> {
  let summary = "waits for the phase of the cursor's use; `producer`: for the one before it";
  let description = "A producer's first pass over the ring falls through. Acquires what the arrivals released and the copies wrote.";
  let arguments = (ins Tile_Mbar:$barrier, Tile_Cursor:$cursor, UnitAttr:$producer);
  let assemblyFormat = "$barrier `[` $cursor `]` (`producer` $producer^)? attr-dict `:` type($barrier) `,` type($cursor)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Syncs
//===----------------------------------------------------------------------===//

def WarpSyncOp : Tile_Op<"warp_sync"> {
  let summary = "the lanes of each warp of the team";
  let assemblyFormat = "attr-dict";
}

def TeamSyncOp : Tile_Op<"team_sync"> {
  let summary = "all warps of the team";
  let description = "passes/Tile numbers the hardware barrier (`id`); a team of one warp needs none.";
  let arguments = (ins OptionalAttr<I64Attr>:$id);
  let assemblyFormat = "attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::IntegerAttr()); }]>];
}

def NamedSyncOp : Tile_Op<"named_sync"> {
  let summary = "waits until `warps` warps of any teams have come to the barrier of this name";
  let description = "With `arrive` the team does not wait. Every instance of a role that uses it has a barrier of its own with `per_instance`.";
  let arguments = (ins StrAttr:$name, I64Attr:$warps, UnitAttr:$arrive, UnitAttr:$per_instance, OptionalAttr<I64Attr>:$id);
  let assemblyFormat = "$name `warps` $warps (`arrive` $arrive^)? (`per_instance` $per_instance^)? attr-dict";
  let hasVerifier = 1;
}

def ClusterArriveOp : Tile_ArchOp<"cluster_arrive", ["Cluster"]> {
  let summary = "arrives at the cluster's barrier, every thread of the team; `relaxed`: releases nothing";
  let arguments = (ins UnitAttr:$relaxed);
  let assemblyFormat = "(`relaxed` $relaxed^)? attr-dict";
}

def ClusterWaitOp : Tile_ArchOp<"cluster_wait", ["Cluster"]> {
  let summary = "waits until every thread of the cluster has arrived";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

def FenceProxyOp : Tile_ArchOp<"fence_proxy", ["Tma"]> {
  let summary = "what the team wrote by ordinary stores becomes visible to copies and wgmma that are ordered behind";
  let description = "passes/Tile inserts it where it is missing.";
  let arguments = (ins Tile_SpaceAttr:$space);
  let assemblyFormat = "`` $space attr-dict";
}

//===----------------------------------------------------------------------===//
// Flags in global memory
//===----------------------------------------------------------------------===//

def SignalOp : Tile_Op<"signal", [Tile_Accesses]> {
  let summary = "adds to a counter, after everything the team did before (release)";
  let arguments = (ins Tile_View:$view, Variadic<I32>:$coords, I32:$value,
                       DefaultValuedAttr<Tile_ScopeAttr, "::k3::tile::Scope::Gpu">:$scope);
  let assemblyFormat = "$view `[` $coords `]` `add` $value (`scope` `` $scope^)? attr-dict `:` type($view)";
  let hasVerifier = 1;
}

def AwaitOp : Tile_Op<"await", [Tile_Accesses]> {
  let summary = "waits until a counter has reached a value (acquire); the kernel states `resident`";
  let arguments = (ins Tile_View:$view, Variadic<I32>:$coords, I32:$value,
                       DefaultValuedAttr<Tile_ScopeAttr, "::k3::tile::Scope::Gpu">:$scope);
  let assemblyFormat = "$view `[` $coords `]` `ge` $value (`scope` `` $scope^)? attr-dict `:` type($view)";
  let hasVerifier = 1;
}

def AtomicAddOp : Tile_Op<"atomic_add", [Tile_Accesses]> {
  let summary = "adds to a counter once for the team and gives every lane the value before; releases and acquires";
  let arguments = (ins Tile_View:$view, Variadic<I32>:$coords, I32:$value,
                       DefaultValuedAttr<Tile_ScopeAttr, "::k3::tile::Scope::Gpu">:$scope);
  let results = (outs I32:$old);
  let assemblyFormat = "$view `[` $coords `]` `,` $value (`scope` `` $scope^)? attr-dict `:` type($view)";
  let hasVerifier = 1;
}

def AssertFlagOp : Tile_Op<"assert_flag", [Tile_Accesses]> {
  let summary = "stores `code` to a flag where the condition does not hold; the kernel goes on";
  let description = "A trap in a window of wgmma would serialise it.";
  let arguments = (ins I1:$condition, Tile_View:$view, Variadic<I32>:$coords, I64Attr:$code);
  let assemblyFormat = "$condition `,` $view `[` $coords `]` `code` $code attr-dict `:` type($view)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Programmatic dependent launch
//===----------------------------------------------------------------------===//

def PdlWaitOp : Tile_ArchOp<"pdl_wait", ["Pdl"]> {
  let summary = "waits until the kernels ahead have ended and their writes are visible";
  let description = "Before it only `constant` arguments may be touched.";
  let assemblyFormat = "attr-dict";
}

def PdlLaunchOp : Tile_ArchOp<"pdl_launch", ["Pdl"]> {
  let summary = "the next kernel may start its prologue";
  let assemblyFormat = "attr-dict";
}

#endif // K3_TILE_SYNC_OPS
