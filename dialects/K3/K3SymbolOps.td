//===- K3SymbolOps.td - Weights, packed weights, state -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_SYMBOL_OPS
#define K3_SYMBOL_OPS

include "dialects/K3/K3Base.td"

def WeightOp : K3_Op<"weight", [Symbol]> {
  let summary = "a tensor of the checkpoint, or a family of equal ones";
  let description = [{
    Declares what the checkpoint holds, never its values. A family of N members has `{e}` in its name pattern, which
    stands for 0 .. N-1. An MX weight is stored as two tensors, `<name>.weight_packed` (U8, two elements a byte, low
    nibble first) and `<name>.weight_scale` (U8). `used n`: only the first n entries of dimension 0 matter, the file
    may hold more. `init` is the rule for random weights.

    ```mlir
    k3.weight @layers.0.A_log : tensor<128xf32> from "model.layers.0.self_attn.A_log" used 96 init "uniform(0, 1)"
    k3.weight @layers.1.w1[896] : !k3.mx<3072x3584, e2m1> from "model.layers.1.experts.{e}.w1" init "mx(0.02)"
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<I64Attr>:$members, TypeAttr:$type, StrAttr:$pattern,
                   OptionalAttr<I64Attr>:$used, OptionalAttr<StrAttr>:$init, OptionalAttr<K3_ShardAttr>:$sharding);
  let assemblyFormat = [{
    $sym_name (`[` $members^ `]`)? `:` $type `from` $pattern (`used` $used^)? (`init` $init^)? (`shard` $sharding^)? attr-dict
  }];
  let hasVerifier = 1;
}

def StateOp : K3_Op<"state", [Symbol]> {
  let summary = "what a sequence owns between steps";
  let description = [{
    `recurrent`: per slot [heads, V, K]. `conv`: per slot [window rows, channels], oldest row first; rows before the start
    of a sequence are zero. `paged`: per token, kept in pages of `page` tokens.

    ```mlir
    k3.state @layers.0.s recurrent : tensor<2x128x128xf32>
    k3.state @layers.3.latent paged page 64 : tensor<576xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, K3_StateKindAttr:$kind, OptionalAttr<I64Attr>:$page, TypeAttr:$type,
                   OptionalAttr<K3_ShardAttr>:$sharding);
  let assemblyFormat = "$sym_name `` $kind (`page` $page^)? `:` $type (`shard` $sharding^)? attr-dict";
  let hasVerifier = 1;
}

def PackedOp : K3_Op<"packed", [Symbol, SingleBlock, IsolatedFromAbove]> {
  let summary = "a weight in device layout, computed once at load from checkpoint weights";
  let description = [{
    The region computes the value from `k3.get`; for a family it computes one member, and `k3.get` of a family of the
    same size means the member of the same index. `k3-graph-build-pack` outlines all regions into `@pack`.

    ```mlir
    k3.packed @layers.0.mlp_query : tensor<192xf32> {
      %n = k3.get @layers.0.mlp_res_norm : tensor<192xbf16>
      %f = k3.cast %n : tensor<192xbf16> -> tensor<192xf32>
      k3.yield %f : tensor<192xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<I64Attr>:$members, TypeAttr:$type,
                   OptionalAttr<K3_ShardAttr>:$sharding);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name (`[` $members^ `]`)? `:` $type (`shard` $sharding^)? attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def YieldOp : K3_Op<"yield", [Pure, Terminator, HasParent<"PackedOp">]> {
  let summary = "the value of a packed weight";
  let arguments = (ins K3_WeightValue:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def GetOp : K3_PureOp<"get", [K3_SymbolUser]> {
  let summary = "a checkpoint weight, or the current member of a family, inside a packing region";
  let arguments = (ins FlatSymbolRefAttr:$weight);
  let results = (outs K3_WeightValue:$value);
  let assemblyFormat = "$weight attr-dict `:` type($value)";
}

def ConcatOp : K3_PureOp<"concat"> {
  let summary = "tensors one after another along a dimension; MX tensors along rows only";
  let arguments = (ins Variadic<K3_WeightValue>:$inputs, I64Attr:$dim);
  let results = (outs K3_WeightValue:$result);
  let assemblyFormat = "$inputs `dim` $dim attr-dict `:` functional-type($inputs, $result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def PadOp : K3_PureOp<"pad"> {
  let summary = "zeros appended along a dimension up to the result's extent";
  let arguments = (ins K3_WeightValue:$input, I64Attr:$dim);
  let results = (outs K3_WeightValue:$result);
  let assemblyFormat = "$input `dim` $dim attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def SliceOp : K3_PureOp<"slice"> {
  let summary = "the result's extent of a dimension, from an offset on";
  let arguments = (ins K3_WeightValue:$input, I64Attr:$dim, I64Attr:$offset);
  let results = (outs K3_WeightValue:$result);
  let assemblyFormat = "$input `dim` $dim `at` $offset attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def RankSliceOp : K3_PureOp<"rank_slice"> {
  let summary = "this rank's part of a dimension cut evenly over a mesh axis";
  let arguments = (ins K3_WeightValue:$input, I64Attr:$dim, StrAttr:$axis);
  let results = (outs K3_WeightValue:$result);
  let assemblyFormat = "$input `dim` $dim `over` $axis attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TransposeOp : K3_PureOp<"transpose"> {
  let summary = "dimensions permuted: result dimension i is input dimension permutation[i]";
  let arguments = (ins K3_WeightValue:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs K3_WeightValue:$result);
  let assemblyFormat = "$input `by` $permutation attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def InterleaveOp : K3_PureOp<"interleave", [AllTypesMatch<["first", "second"]>]> {
  let summary = "rows of two equal tensors in turn, `group` rows of the first, then `group` of the second";
  let description = "What gate and up projections need so that one tile of a product holds both halves of a GLU.";
  let arguments = (ins K3_WeightValue:$first, K3_WeightValue:$second, I64Attr:$group);
  let results = (outs K3_WeightValue:$result);
  let assemblyFormat = "$first `,` $second `group` $group attr-dict `:` type($first) `->` type($result)";
  let hasVerifier = 1;
}

def CastOp : K3_PureOp<"cast"> {
  let summary = "element type conversion of a packing value (round to nearest even)";
  let arguments = (ins K3_WeightValue:$input);
  let results = (outs K3_WeightValue:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // K3_SYMBOL_OPS
