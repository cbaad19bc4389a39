//===- TileStructureOps.td - Kernels, roles, allocations, cursors -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TILE_STRUCTURE_OPS
#define K3_TILE_STRUCTURE_OPS

include "dialects/Tile/TileBase.td"

//===----------------------------------------------------------------------===//
// Kernels and roles
//===----------------------------------------------------------------------===//

def KernelOp : Tile_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove]> {
  let summary = "one CTA's program";
  let description = [{
    The body is a prologue that every thread executes (allocations, barriers, scalars, `tile.pdl_wait`), one `tile.roles` and
    `tile.return`. Arguments are views, maps and scalars (i32, i64, f32). Argument attributes: `tile.role` (`constant`, `step_in`,
    `step_out`; a view or map without it is `step_in`) and, on a map, `tile.describes` = the number of the view argument that
    it maps. Attributes of the kernel: `cluster` (CTAs along x, y, z), `resident` (CTAs that wait for each other and so have to
    be resident together). passes/Tile adds `threads` and `shared_bytes`.

    Parameters in memory, in the order of the arguments: a view is a pointer, a map 128 bytes, a scalar itself.

    ```mlir
    tile.kernel @rms_norm(%x: !tile.view<?x7168xbf16>, %w: !tile.view<7168xbf16> {tile.role = #tile.arg_role<constant>},
                          %y: !tile.view<?x7168xbf16> {tile.role = #tile.arg_role<step_out>}, %rows: i32) {
      tile.roles {
        tile.role "rows" warps 4 (%i) { ... }
      }
      tile.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
                       OptionalAttr<DenseI32ArrayAttr>:$cluster, OptionalAttr<I64Attr>:$resident,
                       OptionalAttr<I64Attr>:$threads, OptionalAttr<I64Attr>:$shared_bytes);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>];
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return {}; }
    /// The role of an argument: `tile.role`, else step_in for memory and constant for scalars.
    ::k3::tile::ArgRole getArgRole(unsigned argument);
    /// The view argument that a map argument describes.
    std::optional<unsigned> getDescribed(unsigned argument);
    /// The one `tile.roles`; null where there is none yet.
    ::k3::tile::RolesOp getRoles();
    /// CTAs of a cluster.
    int64_t getClusterSize();
  }];
}

def ReturnOp : Tile_Op<"return", [Terminator, HasParent<"KernelOp">]> {
  let summary = "the end of a kernel";
  let assemblyFormat = "attr-dict";
}

def RolesOp : Tile_Op<"roles", [HasParent<"KernelOp">, NoTerminator, SingleBlock]> {
  let summary = "the teams of a CTA, running side by side";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins)>];
}

def RoleOp : Tile_ArchOp<"role", [], [HasParent<"RolesOp">, NoTerminator, SingleBlock]> {
  let summary = "a team's program, in `instances` copies of `warps` warps";
  let description = [{
    The region's argument is the number of the instance (i32). Scalars of the prologue are visible, nothing flows out. With
    `regs` the team sets its register budget; all warps of a warpgroup must agree, so such a role starts at a warpgroup
    and is padded to whole ones. passes/Tile sets `first_warp`.

    ```mlir
    tile.role "math" instances 2 warps 4 regs 240 (%cw) { ... }
    ```
  }];
  let arguments = (ins StrAttr:$name, DefaultValuedAttr<I64Attr, "1">:$instances, I64Attr:$warps, OptionalAttr<I64Attr>:$regs,
                       OptionalAttr<I64Attr>:$first_warp);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "int64_t":$instances, "int64_t":$warps,
                             "std::optional<int64_t>":$regs)>];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::k3::arch::Feature> getRequiredFeatures() {
      return getRegs() ? ::llvm::SmallVector<::k3::arch::Feature>{::k3::arch::Feature::SetMaxNReg}
                       : ::llvm::SmallVector<::k3::arch::Feature>();
    }
    ::mlir::Value getInstance() { return getBody().getArgument(0); }
    int64_t getTotalWarps() { return getInstances() * getWarps(); }
  }];
}

def ElectOp : Tile_ArchOp<"elect", ["ElectSync"], [NoTerminator, SingleBlock]> {
  let summary = "one lane of the team's first warp executes the body";
  let description = [{
    The body holds scalars, copies, barriers and scf only, and what is for single threads anyway: proxy fences, `tile.pdl_wait`,
    `tile.pdl_launch`. An arrival in it counts one. Ends without a sync of the team.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins)>];
}

//===----------------------------------------------------------------------===//
// Where a CTA is
//===----------------------------------------------------------------------===//

class Tile_GridIndex<string mnemonic, string text> : Tile_Op<mnemonic, [Pure]> {
  let summary = text;
  let arguments = (ins DefaultValuedAttr<Tile_DimensionAttr, "::k3::tile::Dimension::X">:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "(`dim` `` $dim^)? attr-dict";
  let builders = [OpBuilder<(ins CArg<"::k3::tile::Dimension", "::k3::tile::Dimension::X">:$dim), [{
    build($_builder, $_state, $_builder.getI32Type(), dim);
  }]>];
  let skipDefaultBuilders = 0;
}
def CtaIdOp : Tile_GridIndex<"cta_id", "the CTA's number in the grid">;
def NumCtasOp : Tile_GridIndex<"num_ctas", "CTAs in the grid">;

class Tile_ClusterIndex<string mnemonic, string text> : Tile_ArchOp<mnemonic, ["Cluster"], [Pure]> {
  let summary = text;
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}
def ClusterIdOp : Tile_ClusterIndex<"cluster_id", "the cluster's number in the grid, along x">;
def NumClustersOp : Tile_ClusterIndex<"num_clusters", "clusters in the grid, along x">;
def CtaRankOp : Tile_ClusterIndex<"cta_rank", "the CTA's rank in its cluster">;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def AllocOp : Tile_Op<"alloc", [Tile_NamesResult]> {
  let summary = "a buffer of shared memory, for the whole kernel";
  let description = [{
    In the prologue. Bytes are reused only through `tile.alias`. passes/Tile sets `offset`.

    ```mlir
    %a = tile.alloc "a" : !tile.shared<128x64xbf16, #tile.smem<sw128 128 64 2>, stages 4>
    ```
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<I64Attr>:$offset);
  let results = (outs Tile_Shared:$buffer);
  let assemblyFormat = "$name attr-dict `:` type($buffer)";
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::llvm::StringRef":$name), [{
    build($_builder, $_state, type, $_builder.getStringAttr(name), ::mlir::IntegerAttr());
  }]>];
  let hasVerifier = 1;
}

def AliasOp : Tile_Op<"alias", [Pure]> {
  let summary = "the same bytes as another tile";
  let description = [{
    The result begins `offset` bytes behind the source and does not leave it. Who may use which, and when, is up to the kernel; the
    Emulator checks it.
  }];
  let arguments = (ins Tile_Shared:$source, DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs Tile_Shared:$result);
  let assemblyFormat = "$source (`at` $offset^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def SlotOp : Tile_Op<"slot", [Pure, TypesMatchWith<"the result is one stage of the buffer", "buffer", "slot",
                                                  "::llvm::cast<::k3::tile::SharedType>($_self).getSlot()">]> {
  let summary = "one stage of a buffer, by cursor or number";
  let arguments = (ins Tile_Shared:$buffer, Tile_CursorOrIndex:$index);
  let results = (outs Tile_Shared:$slot);
  let assemblyFormat = "$buffer `[` $index `]` attr-dict `:` type($buffer) `,` type($index)";
  let builders = [OpBuilder<(ins "::mlir::Value":$buffer, "::mlir::Value":$index), [{
    build($_builder, $_state, ::llvm::cast<SharedType>(buffer.getType()).getSlot(), buffer, index);
  }]>];
  let hasVerifier = 1;
}

def PartOp : Tile_Op<"part", [Pure]> {
  let summary = "one of several equal parts of a tile along a dimension";
  let description = [{
    Part `index` of the `extent / size` parts of the source. The bytes from one part to the next are a constant, and a part's layout is the
    layout of part 0: refused where a swizzle or a basis runs across parts.

    ```mlir
    %rows = tile.part %a[%cw] dim 0 : !tile.shared<128x64xbf16, #a>, i32 -> !tile.shared<64x64xbf16, #a64>
    ```
  }];
  let arguments = (ins Tile_Shared:$source, I32:$index, I64Attr:$dim);
  let results = (outs Tile_Shared:$part);
  let assemblyFormat = "$source `[` $index `]` `dim` $dim attr-dict `:` type($source) `->` type($part)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes from one part to the next.
    int64_t getStride();
    /// The type of a part of `size` along `dim`, or why there is none.
    static ::k3::Expected<::k3::tile::SharedType> partType(::k3::tile::SharedType source, int64_t dim, int64_t size);
  }];
}

def PeerOp : Tile_ArchOp<"peer", ["Cluster"], [Pure, AllTypesMatch<["source", "peer"]>]> {
  let summary = "the same tile in the shared memory of another CTA of the cluster";
  let arguments = (ins Tile_Shared:$source, I32:$rank);
  let results = (outs Tile_Shared:$peer);
  let assemblyFormat = "$source `,` $rank attr-dict `:` type($source)";
}

//===----------------------------------------------------------------------===//
// Cursors
//===----------------------------------------------------------------------===//

def CursorOp : Tile_Op<"cursor", [Pure]> {
  let summary = "slot `start` in its first use";
  let arguments = (ins DefaultValuedAttr<I64Attr, "0">:$start);
  let results = (outs Tile_Cursor:$cursor);
  let assemblyFormat = "(`start` $start^)? attr-dict `:` type($cursor)";
  let hasVerifier = 1;
}

def AdvanceOp : Tile_Op<"advance", [Pure, SameOperandsAndResultType]> {
  let summary = "the cursor `by` slots further";
  let description = [{
    A step that does not divide the number of slots visits a slot's uses with gaps; then `revisits` states that the kernel orders them
    elsewhere, and the Emulator checks it.
  }];
  let arguments = (ins Tile_Cursor:$cursor, DefaultValuedAttr<I64Attr, "1">:$by, OptionalAttr<I64Attr>:$revisits);
  let results = (outs Tile_Cursor:$result);
  let assemblyFormat = "$cursor (`by` $by^)? (`revisits` $revisits^)? attr-dict `:` type($cursor)";
  let builders = [OpBuilder<(ins "::mlir::Value":$cursor, CArg<"int64_t", "1">:$by), [{
    build($_builder, $_state, cursor.getType(), cursor, by, ::mlir::IntegerAttr());
  }]>];
  let hasVerifier = 1;
}

#endif // K3_TILE_STRUCTURE_OPS
