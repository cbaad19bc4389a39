//===- TileBase.td - The tile dialect, its attributes, types and enums -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TILE_BASE
#define K3_TILE_BASE

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "dialects/Tile/TileInterfaces.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let summary = "One CTA's program, replicated over its cluster, as a kernel engineer would write it";
  let description = [{
    Explicit: every copy, barrier, wait and layout is written down. Typed: what is in flight (`!tile.pending`), which phase
    of a barrier is meant (`!tile.cursor`) and who holds which element (`#tile.layout`) are types, so that reading early,
    a hand-flipped parity and a wrong fragment cannot be written.

    A kernel is a prologue (allocations and scalars) and `tile.roles`. A role is a *team*: `warps` warps that run one program,
    in `instances` copies. A scalar is the same in every lane of its team; whatever differs between lanes is a tensor with
    a layout; control flow (scf) is uniform. There is no thread id.

    Register tiles are ranked tensors with `#tile.layout` as encoding; `arith` and `math` work on them elementwise,
    operands and results in one layout. `fastmath<afn>` picks the approximate instruction.

    Life of a kernel: passes/Kernels builds it; passes/Tile checks it against an architecture, inserts fences, places shared
    memory and barriers; lib/Emulator runs what comes out of that; passes/Lower turns the same into NVVM.
  }];
  let cppNamespace = "::k3::tile";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 0;
  let extraClassDeclaration = [{
    void registerLayoutAttributes();
    void registerTileTypes();
  }];
}

//===----------------------------------------------------------------------===//
// Layout attributes
//===----------------------------------------------------------------------===//

class Tile_Attr<string attrName, string attrMnemonic> : AttrDef<Tile_Dialect, attrName> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1; // Their text is that of lib/Layout.
}

def Tile_LayoutAttr : Tile_Attr<"Layout", "layout"> {
  let summary = "which register of which lane of which warp holds an element of a tile";
  let description = [{
    The text of lib/Layout/Text.h: a known name (`#tile.layout<acc 128>`, `#tile.layout<rows 8 7168 14>`) or bases. Two
    layouts that mean the same are the same attribute.
  }];
  let parameters = (ins StringRefParameter<"canonical text">:$text);
  let genStorageClass = 0;
  let storageClass = "LayoutAttrStorage";
  let storageNamespace = "::k3::tile::detail";
  let skipDefaultBuilders = 1;
  let builders = [AttrBuilder<(ins "const ::k3::layout::RegLayout &":$layout)>];
  let extraClassDeclaration = [{
    const ::k3::layout::RegLayout &getLayout() const;
    int64_t numWarps() const { return getLayout().numWarps(); }
  }];
}

def Tile_SmemAttr : Tile_Attr<"Smem", "smem"> {
  let summary = "the byte of every element of a tile in shared memory";
  let description = "`#tile.smem<sw128 128 64 2>`: rows, columns, element bytes; the text of lib/Layout/Text.h.";
  let parameters = (ins StringRefParameter<"canonical text">:$text);
  let genStorageClass = 0;
  let storageClass = "SmemAttrStorage";
  let storageNamespace = "::k3::tile::detail";
  let skipDefaultBuilders = 1;
  let builders = [AttrBuilder<(ins "const ::k3::layout::SharedLayout &":$layout)>];
  let extraClassDeclaration = "const ::k3::layout::SharedLayout &getLayout() const;";
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

class Tile_Enum<string enumName, string enumSummary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<enumName, enumSummary, cases> {
  let cppNamespace = "::k3::tile";
  let genSpecializedAttr = 0;
}
class Tile_EnumAttr<EnumAttrInfo info, string attrMnemonic> : EnumAttr<Tile_Dialect, info, attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_ArgRole : Tile_Enum<"ArgRole", "what a kernel argument is to a step", [
    I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"StepIn", 1, "step_in">,
    I32EnumAttrCase<"StepOut", 2, "step_out">]>;
def Tile_ArgRoleAttr : Tile_EnumAttr<Tile_ArgRole, "arg_role">;
def Tile_Dimension : Tile_Enum<"Dimension", "a dimension of the grid", [
    I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">, I32EnumAttrCase<"Z", 2, "z">]>;
def Tile_DimensionAttr : Tile_EnumAttr<Tile_Dimension, "dimension">;
def Tile_Eviction : Tile_Enum<"Eviction", "priority of lines in L2", [
    I32EnumAttrCase<"First", 0, "evict_first">, I32EnumAttrCase<"Last", 1, "evict_last">,
    I32EnumAttrCase<"Normal", 2, "evict_normal">]>;
def Tile_EvictionAttr : Tile_EnumAttr<Tile_Eviction, "eviction">;
def Tile_CacheHint : Tile_Enum<"CacheHint", "how a global load or store uses caches", [
    I32EnumAttrCase<"Default", 0, "default">, I32EnumAttrCase<"ReadOnly", 1, "read_only">,
    I32EnumAttrCase<"Streaming", 2, "streaming">]>;
def Tile_CacheHintAttr : Tile_EnumAttr<Tile_CacheHint, "cache">;
def Tile_Arrival : Tile_Enum<"Arrival", "who arrives at a barrier", [
    I32EnumAttrCase<"PerWarp", 0, "per_warp">, I32EnumAttrCase<"PerTeam", 1, "per_team">]>;
def Tile_ArrivalAttr : Tile_EnumAttr<Tile_Arrival, "arrival">;
def Tile_ReduceKind : Tile_Enum<"ReduceKind", "what a reduction does", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">]>;
def Tile_ReduceKindAttr : Tile_EnumAttr<Tile_ReduceKind, "reduce_kind">;
def Tile_Across : Tile_Enum<"Across", "how far a reduction reaches", [
    I32EnumAttrCase<"Lane", 0, "lane">, I32EnumAttrCase<"Team", 1, "team">, I32EnumAttrCase<"Cluster", 2, "cluster">]>;
def Tile_AcrossAttr : Tile_EnumAttr<Tile_Across, "across">;
def Tile_ConvertVia : Tile_Enum<"ConvertVia", "how a tile changes its layout", [
    I32EnumAttrCase<"Relabel", 0, "relabel">, I32EnumAttrCase<"Shuffle", 1, "shuffle">,
    I32EnumAttrCase<"Shared", 2, "shared">]>;
def Tile_ConvertViaAttr : Tile_EnumAttr<Tile_ConvertVia, "via">;
def Tile_Space : Tile_Enum<"Space", "a memory", [
    I32EnumAttrCase<"Shared", 0, "shared">, I32EnumAttrCase<"Global", 1, "global">]>;
def Tile_SpaceAttr : Tile_EnumAttr<Tile_Space, "space">;
def Tile_Scope : Tile_Enum<"Scope", "who sees an ordered access", [
    I32EnumAttrCase<"Gpu", 0, "gpu">, I32EnumAttrCase<"Sys", 1, "sys">]>;
def Tile_ScopeAttr : Tile_EnumAttr<Tile_Scope, "scope">;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Tile_Type<string typeName, string typeMnemonic> : TypeDef<Tile_Dialect, typeName> { let mnemonic = typeMnemonic; }

def Tile_SharedType : Tile_Type<"Shared", "shared"> {
  let summary = "a tile in shared memory, or `stages` of them one after another";
  let description = [{
    `!tile.shared<128x64xbf16, #tile.smem<sw128 128 64 2>, stages 4>`. The layout's shape and element size are those of
    the type. A stage begins at a multiple of its alignment: 1024 bytes with a swizzle, else 128.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "::k3::tile::SmemAttr":$layout,
                        DefaultValuedParameter<"int64_t", "1">:$stages);
  let assemblyFormat = "`<` custom<Tile>($shape, $elementType) `,` custom<SmemOf>($layout) (`,` `stages` $stages^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getElementBytes() const { return getElementType().getIntOrFloatBitWidth() / 8; }
    /// Bytes from the first to the last element of a stage.
    int64_t getBytes() const;
    /// Bytes from one stage to the next.
    int64_t getStageStride() const;
    int64_t getAlignment() const;
    /// One stage.
    SharedType getSlot() const { return get(getContext(), getShape(), getElementType(), getLayout(), 1); }
  }];
}

def Tile_MbarType : Tile_Type<"Mbar", "mbar"> {
  let summary = "an array of mbarriers and the arrivals that complete a phase";
  let description = "`!tile.mbar<4, arrivals = 8>`. Bytes of copies are counted beside the arrivals.";
  let parameters = (ins "int64_t":$slots, "int64_t":$arrivals);
  let assemblyFormat = "`<` $slots `,` `arrivals` `=` $arrivals `>`";
  let genVerifyDecl = 1;
}

def Tile_CursorType : Tile_Type<"Cursor", "cursor"> {
  let summary = "a place in a ring: a slot, and how often it was used before";
  let description = [{
    Use number 0 is the first pass over the ring. In hardware it is one parity bit; the Emulator keeps the number, so a
    wait that passes only because two uses share a parity is found.
  }];
  let parameters = (ins "int64_t":$slots);
  let assemblyFormat = "`<` $slots `>`";
  let genVerifyDecl = 1;
}

def Tile_PendingType : Tile_Type<"Pending", "pending"> {
  let summary = "a tile that a wgmma in flight will hold";
  let description = "Only `tile.wgmma` (as accumulator) and `tile.wgmma_wait` take it; it may be carried by loops.";
  let parameters = (ins "::mlir::RankedTensorType":$tile);
  let assemblyFormat = "`<` $tile `>`";
}

def Tile_ViewType : Tile_Type<"View", "view"> {
  let summary = "an array in global memory";
  let description = [{
    `!tile.view<?x7168xbf16>`; rows are dense unless `strides` (in elements) says otherwise. Extents may be unknown, as a kernel
    addresses by offsets and states its own limits; a stride is known or `?`, then a `tile.strided` gives it.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        OptionalArrayRefParameter<"int64_t">:$strides);
  let assemblyFormat = "`<` custom<Tile>($shape, $elementType) (`,` `strides` custom<Strides>($strides)^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return static_cast<int64_t>(getShape().size()); }
    int64_t getElementBytes() const { return getElementType().getIntOrFloatBitWidth() / 8; }
    /// Elements between neighbours of every dimension; kDynamic where not known.
    ::llvm::SmallVector<int64_t> getAllStrides() const;
  }];
}

def Tile_MapType : Tile_Type<"Map", "map"> {
  let summary = "a tensor map: the box that one copy moves, and the swizzle in shared memory";
  let description = [{
    `!tile.map<128x64xbf16, swizzle 128>`. The box has the rank of the array behind it; the kernel argument's attribute
    `tile.describes` names the view argument it maps. Reads outside the array are zeros, writes are dropped.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$box, "::mlir::Type":$elementType,
                        DefaultValuedParameter<"int64_t", "0">:$swizzle);
  let assemblyFormat = "`<` custom<Tile>($box, $elementType) (`,` `swizzle` $swizzle^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return static_cast<int64_t>(getBox().size()); }
    int64_t getElementBytes() const { return getElementType().getIntOrFloatBitWidth() / 8; }
    int64_t getBytes() const;
  }];
}

def Tile_PolicyType : Tile_Type<"Policy", "policy"> { let summary = "an L2 eviction policy"; }

def Tile_Shared : Type<CPred<"::llvm::isa<::k3::tile::SharedType>($_self)">, "tile.shared", "::k3::tile::SharedType">;
def Tile_Mbar : Type<CPred<"::llvm::isa<::k3::tile::MbarType>($_self)">, "tile.mbar", "::k3::tile::MbarType">;
def Tile_Cursor : Type<CPred<"::llvm::isa<::k3::tile::CursorType>($_self)">, "tile.cursor", "::k3::tile::CursorType">;
def Tile_Pending : Type<CPred<"::llvm::isa<::k3::tile::PendingType>($_self)">, "tile.pending", "::k3::tile::PendingType">;
def Tile_View : Type<CPred<"::llvm::isa<::k3::tile::ViewType>($_self)">, "tile.view", "::k3::tile::ViewType">;
def Tile_Map : Type<CPred<"::llvm::isa<::k3::tile::MapType>($_self)">, "tile.map", "::k3::tile::MapType">;
def Tile_Policy : Type<CPred<"::llvm::isa<::k3::tile::PolicyType>($_self)">, "tile.policy", "::k3::tile::PolicyType">,
                  BuildableType<"::k3::tile::PolicyType::get($_builder.getContext())">;
def Tile_Tile : Type<CPred<"::k3::tile::isTile($_self)">, "ranked tensor with #tile.layout", "::mlir::RankedTensorType">;
def Tile_TileOrPending : AnyTypeOf<[Tile_Tile, Tile_Pending]>;
def Tile_SharedOrTile : AnyTypeOf<[Tile_Shared, Tile_Tile]>;
def Tile_CursorOrIndex : AnyTypeOf<[Tile_Cursor, I32]>;
def Tile_TileOrScalar : AnyTypeOf<[Tile_Tile, F32, I32]>;

//===----------------------------------------------------------------------===//
// Op base
//===----------------------------------------------------------------------===//

class Tile_Op<string opMnemonic, list<Trait> traits = []> : Op<Tile_Dialect, opMnemonic, traits>;

// An op whose instructions not every architecture has: the features of lib/Arch, by name.
class Tile_ArchOp<string opMnemonic, list<string> features, list<Trait> traits = []>
    : Tile_Op<opMnemonic, !listconcat([Tile_ArchOpInterface], traits)> {
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::k3::arch::Feature> getRequiredFeatures() {
      return {}] # !interleave(!foreach(name, features, "::k3::arch::Feature::" # name), ", ") # [{};
    }
  }];
}
def Tile_Arch : DeclareOpInterfaceMethods<Tile_ArchOpInterface>;
// What is allocated is printed by its name.
def Tile_NamesResult : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>;
def Tile_Accesses : DeclareOpInterfaceMethods<Tile_MemoryOpInterface>;

#endif // K3_TILE_BASE
