//===- ExecBase.td - The exec dialect, its types, enums and interface -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_EXEC_BASE
#define K3_EXEC_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/Exec/ExecInterfaces.td"

def Exec_Dialect : Dialect {
  let name = "exec";
  let summary = "The host program: buffers, views and a DAG of launches, products, copies and collectives";
  let description = [{
    An `exec.program` is what a runtime does for one step (or for packing, state copies, sampling): entries in an order
    that respects their dependencies. Views name memory; entries name the views they read and write. An entry starts
    after the entry before it on its stream and after the events in its `after` list.

    Extents, offsets and unit counts are expressions over the launch-time symbols, written by name: T tokens,
    S sequences, R logit rows, C checkpoints, SM compute units, member and slot of `exec.members`, N and M of
    `copy_state`. They are affine maps with these nine symbols, in this order.

    Life of a program: passes/Host creates it with `exec.tensor` for intermediate values and without waits;
    `k3-exec-schedule` computes `after`; `k3-exec-assign-arena` turns tensors into views of one arena;
    ExecToPackage writes it down.
  }];
  let cppNamespace = "::k3::exec";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Exec_Type<string typeName, string typeMnemonic> : TypeDef<Exec_Dialect, typeName> { let mnemonic = typeMnemonic; }

def Exec_BufferType : Exec_Type<"Buffer", "buffer"> {
  let summary = "a range of memory that the runtime allocates";
}
def Exec_EventType : Exec_Type<"Event", "event"> {
  let summary = "the end of an entry";
}
def Exec_ViewType : Exec_Type<"View", "view"> {
  let summary = "a row-major array in memory; dimension 0 may be strided";
  let description = "`!exec.view<f32>`. The extents belong to the op that makes the view.";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes of one element.
    int64_t getElementBytes() const { return getElementType().getIntOrFloatBitWidth() / 8; }
  }];
}

def Exec_Buffer : Type<CPred<"::llvm::isa<::k3::exec::BufferType>($_self)">, "exec.buffer">,
                  BuildableType<"::k3::exec::BufferType::get($_builder.getContext())">;
def Exec_Event : Type<CPred<"::llvm::isa<::k3::exec::EventType>($_self)">, "exec.event">,
                 BuildableType<"::k3::exec::EventType::get($_builder.getContext())">;
def Exec_View : Type<CPred<"::llvm::isa<::k3::exec::ViewType>($_self)">, "exec.view", "::k3::exec::ViewType">;
def Exec_ViewOrBuffer : AnyTypeOf<[Exec_View, Exec_Buffer]>;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

// Expressions over the nine symbols; printed by name through custom<SymbolMap>.
def Exec_Map : Attr<CPred<"::k3::exec::isSymbolMap($_self)">, "map over the nine launch-time symbols"> {
  let storageType = "::mlir::AffineMapAttr";
  let returnType = "::mlir::AffineMap";
  let valueType = NoneType;
  let constBuilderCall = "::mlir::AffineMapAttr::get($0)";
}

class Exec_Enum<string enumName, string enumSummary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<enumName, enumSummary, cases> {
  let cppNamespace = "::k3::exec";
  let genSpecializedAttr = 0;
}
// Numbers are those of Package.fbs.
def Exec_Kind : Exec_Enum<"ProgramKind", "what a program is for", [
    I32EnumAttrCase<"Step", 0, "step">, I32EnumAttrCase<"Pack", 1, "pack">, I32EnumAttrCase<"CopyState", 2, "copy_state">,
    I32EnumAttrCase<"Sample", 3, "sample">, I32EnumAttrCase<"Aux", 5, "aux">]>;
def Exec_KindAttr : EnumAttr<Exec_Dialect, Exec_Kind, "kind">;
def Exec_Variant : Exec_Enum<"ProgramVariant", "which steps a program serves", [
    I32EnumAttrCase<"Any", 0, "any">, I32EnumAttrCase<"Decode", 1, "decode">, I32EnumAttrCase<"Ragged", 2, "ragged">]>;
def Exec_VariantAttr : EnumAttr<Exec_Dialect, Exec_Variant, "variant">;
def Exec_Space : Exec_Enum<"Space", "what a buffer is for", [
    I32EnumAttrCase<"Arena", 0, "arena">, I32EnumAttrCase<"Weights", 1, "weights">, I32EnumAttrCase<"State", 2, "state">,
    I32EnumAttrCase<"Io", 3, "io">, I32EnumAttrCase<"Staging", 4, "staging">, I32EnumAttrCase<"Constant", 5, "constant">,
    I32EnumAttrCase<"Symmetric", 6, "symmetric">]>;
def Exec_SpaceAttr : EnumAttr<Exec_Dialect, Exec_Space, "space">;
def Exec_CollectiveKind : Exec_Enum<"CollectiveKind", "kind of a collective", [
    I32EnumAttrCase<"AllReduce", 0, "all_reduce">, I32EnumAttrCase<"AllGather", 1, "all_gather">,
    I32EnumAttrCase<"ReduceScatter", 2, "reduce_scatter">, I32EnumAttrCase<"Broadcast", 3, "broadcast">,
    I32EnumAttrCase<"Dispatch", 4, "dispatch">, I32EnumAttrCase<"Combine", 5, "combine">,
    I32EnumAttrCase<"AllToAll", 6, "all_to_all">, I32EnumAttrCase<"Barrier", 7, "barrier">]>;
def Exec_CollectiveKindAttr : EnumAttr<Exec_Dialect, Exec_CollectiveKind, "collective_kind">;

def Exec_ArgRole : Exec_Enum<"ArgRole", "when a kernel may touch the memory of an argument", [
    I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"StepIn", 1, "step_in">,
    I32EnumAttrCase<"StepOut", 2, "step_out">]>;

// Arguments of a GPU kernel; `exec.gpu_launch` prints them without the `#exec` around.
class Exec_Attr<string attrName, string attrMnemonic> : AttrDef<Exec_Dialect, attrName> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}
def Exec_PointerArg : Exec_Attr<"PointerArg", "pointer"> {
  let summary = "the address of view number `view`; only a constant one may be touched before the launch ahead has ended";
  let parameters = (ins "int64_t":$view, EnumParameter<Exec_ArgRole>:$role);
  let assemblyFormat = "`<` $role $view `>`";
}
def Exec_MapArg : Exec_Attr<"MapArg", "map"> {
  let summary = "a tensor map of 128 bytes by value, over view number `view`";
  let description = [{
    Extents and strides are those of the view. `box` has an extent per dimension of the view, outermost first, what one
    copy moves; `swizzle` is 0, 32, 64 or 128 bytes. Elements outside the view read as zero and are not written.
  }];
  let parameters = (ins "int64_t":$view, ArrayRefParameter<"int64_t">:$box, "int64_t":$swizzle);
  let assemblyFormat = "`<` $view `box` `[` $box `]` `swizzle` $swizzle `>`";
}
def Exec_ScalarArg : Exec_Attr<"ScalarArg", "scalar"> {
  let summary = "an i32 or i64 by value: an expression over the launch-time symbols";
  let parameters = (ins "::mlir::Type":$type, "::mlir::AffineMapAttr":$value);
  let assemblyFormat = "`<` $type `,` $value `>`";
}

//===----------------------------------------------------------------------===//
// Op base
//===----------------------------------------------------------------------===//

class Exec_Op<string opMnemonic, list<Trait> traits = []> : Op<Exec_Dialect, opMnemonic, traits>;
class Exec_Entry<string opMnemonic, list<Trait> traits = []>
    : Exec_Op<opMnemonic, !listconcat([DeclareOpInterfaceMethods<Exec_EntryInterface, ["getViewAccesses"]>], traits)>;
def Exec_SymbolUser : DeclareOpInterfaceMethods<SymbolUserOpInterface>;

#endif // K3_EXEC_BASE
