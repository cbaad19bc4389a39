//===- K3Base.td - The k3 dialect, its types, attributes and op base -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_DIALECT_BASE
#define K3_DIALECT_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def K3_Dialect : Dialect {
  let name = "k3";
  let summary = "The Kimi K3 family of language models: layers, the ops they decompose into, weights and state";
  let description = [{
    A model is a module with `k3.mesh`, `k3.version` and `k3.precision`, symbols for weights (`k3.weight`, `k3.packed`)
    and state (`k3.state`), and a function `@step` of the step ABI over ragged batches.

    Activations are f32 or bf16 tensors whose dimension 0 counts tokens (or logit rows); indices are i32. Weights and
    state are symbols named by attributes, never values: a step reads and writes state as a side effect on
    (symbol, `StateResource`).
  }];
  let cppNamespace = "::k3";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Version of the stored k3 IR, the module attribute `k3.version`.
    static constexpr int64_t kVersion = 1;
    static constexpr llvm::StringLiteral kVersionAttr = "k3.version";
    static constexpr llvm::StringLiteral kMeshAttr = "k3.mesh";
    static constexpr llvm::StringLiteral kPrecisionAttr = "k3.precision";
    static constexpr llvm::StringLiteral kModelAttr = "k3.model";
    static constexpr llvm::StringLiteral kLimitsAttr = "k3.limits";
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class K3_Type<string typeName, string typeMnemonic> : TypeDef<K3_Dialect, typeName> { let mnemonic = typeMnemonic; }

def K3_MxElement : I32EnumAttr<"MxElement", "element format of an MX tensor", [
    I32EnumAttrCase<"E2M1", 0, "e2m1">, I32EnumAttrCase<"E2M3", 1, "e2m3">, I32EnumAttrCase<"E3M2", 2, "e3m2">,
    I32EnumAttrCase<"E4M3", 3, "e4m3">, I32EnumAttrCase<"E5M2", 4, "e5m2">]> {
  let cppNamespace = "::k3";
  let genSpecializedAttr = 0;
}
def K3_MxScale : I32EnumAttr<"MxScale", "scale format of an MX tensor", [I32EnumAttrCase<"E8M0", 0, "e8m0">]> {
  let cppNamespace = "::k3";
  let genSpecializedAttr = 0;
}

def K3_BatchType : K3_Type<"Batch", "batch"> {
  let summary = "the arrays of a step that describe its sequences";
  let description = "Bundles cu_seqlens, context_lens, slots, block table and checkpoints; it has no memory of its own.";
}

def K3_MxType : K3_Type<"Mx", "mx"> {
  let summary = "a matrix in an OCP MX format, blocked along its last dimension";
  let description = [{
    `!k3.mx<3072x3584, e2m1>`: elements in blocks of 32 along the last dimension, one e8m0 scale a block
    (value = element * 2^(scale - 127)). Occurs only in weights and packing regions; a step never holds such a value.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::k3::MxElement":$element,
                    DefaultValuedParameter<"int64_t", "32">:$block,
                    DefaultValuedParameter<"::k3::MxScale", "::k3::MxScale::E8M0">:$scale);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes of the packed elements of one member, row-major, without scales.
    int64_t getElementBytes() const;
    /// Bytes of the scales of one member: one a block.
    int64_t getScaleBytes() const;
  }];
}

def K3_Batch : Type<CPred<"::llvm::isa<::k3::BatchType>($_self)">, "k3.batch">, BuildableType<"::k3::BatchType::get($_builder.getContext())">;
def K3_Mx : Type<CPred<"::llvm::isa<::k3::MxType>($_self)">, "MX tensor">;
def K3_Float : RankedTensorOf<[F32, BF16]>;
def K3_F32 : RankedTensorOf<[F32]>;
def K3_I32 : RankedTensorOf<[I32]>;
// What a weight may be, and what packing computes with.
def K3_WeightValue : AnyTypeOf<[RankedTensorOf<[F32, BF16, F16, I8]>, K3_Mx], "tensor or MX tensor">;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class K3_Attr<string attrName, string attrMnemonic> : AttrDef<K3_Dialect, attrName> { let mnemonic = attrMnemonic; }

def K3_MeshAttr : K3_Attr<"Mesh", "mesh"> {
  let summary = "process grid: sizes of the axes pp, dp, tp, ep, cp";
  let description = [{
    world = pp * dp * tp and rank = (pp_i * dp + dp_i) * tp + tp_i. ep divides dp * tp: ep_i = (rank mod dp * tp) mod ep,
    experts are replicated over the rest. cp divides tp and splits the MLA cache by token: cp_i = tp_i mod cp.
  }];
  let parameters = (ins "int64_t":$pp, "int64_t":$dp, "int64_t":$tp, "int64_t":$ep, "int64_t":$cp);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Size of the axis of that name, or nothing for an unknown name.
    std::optional<int64_t> getAxis(llvm::StringRef name) const;
    int64_t getWorld() const { return getPp() * getDp() * getTp(); }
  }];
}

def K3_ShardAttr : K3_Attr<"Shard", "shard"> {
  let summary = "which mesh axes cut each dimension; over which axes the value is an unreduced sum";
  let parameters = (ins "::mlir::ArrayAttr":$dims,
                    DefaultValuedParameter<"::mlir::ArrayAttr", "::mlir::ArrayAttr::get($_ctxt, {})">:$partial);
  let assemblyFormat = "`<` $dims (`,` `partial` `=` $partial^)? `>`";
  let genVerifyDecl = 1;
}

class K3_Enum<string enumName, string enumSummary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<enumName, enumSummary, cases> {
  let cppNamespace = "::k3";
  let genSpecializedAttr = 0;
}
def K3_StateKind : K3_Enum<"StateKind", "kind of per-sequence state", [
    I32EnumAttrCase<"Recurrent", 0, "recurrent">, I32EnumAttrCase<"Conv", 1, "conv">, I32EnumAttrCase<"Paged", 2, "paged">]>;
def K3_StateKindAttr : EnumAttr<K3_Dialect, K3_StateKind, "state_kind">;
def K3_KdaForm : K3_Enum<"KdaForm", "how the delta rule is computed", [
    I32EnumAttrCase<"Auto", 0, "auto">, I32EnumAttrCase<"Chunked", 1, "chunked">, I32EnumAttrCase<"Recurrent", 2, "recurrent">]>;
def K3_KdaFormAttr : EnumAttr<K3_Dialect, K3_KdaForm, "kda_form">;
def K3_MlaForm : K3_Enum<"MlaForm", "how latent attention is computed", [
    I32EnumAttrCase<"Auto", 0, "auto">, I32EnumAttrCase<"Absorbed", 1, "absorbed">, I32EnumAttrCase<"Unabsorbed", 2, "unabsorbed">]>;
def K3_MlaFormAttr : EnumAttr<K3_Dialect, K3_MlaForm, "mla_form">;

//===----------------------------------------------------------------------===//
// Op base
//===----------------------------------------------------------------------===//

class K3_Op<string opMnemonic, list<Trait> traits = []> : Op<K3_Dialect, opMnemonic, traits>;

// An op that names symbols: `verifySymbolUses` checks that each exists and has the right kind and shape.
def K3_SymbolUser : DeclareOpInterfaceMethods<SymbolUserOpInterface>;
// An op with effects on (symbol, StateResource).
def K3_StateEffects : DeclareOpInterfaceMethods<MemoryEffectsOpInterface>;
// Value-only op; the weights it names never change during a step.
class K3_PureOp<string opMnemonic, list<Trait> traits = []> : K3_Op<opMnemonic, !listconcat([Pure], traits)>;

#endif // K3_DIALECT_BASE
