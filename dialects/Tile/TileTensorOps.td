//===- TileTensorOps.td - Register tiles: making, reducing, reshaping, converting -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TILE_TENSOR_OPS
#define K3_TILE_TENSOR_OPS

include "dialects/Tile/TileBase.td"

def SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "a tile of one scalar";
  let arguments = (ins AnyTypeOf<[F32, I32]>:$value);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "element i0, i1, ... of the i32 result is the coordinate along `dim`";
  let arguments = (ins I64Attr:$dim);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def ReduceOp : Tile_Op<"reduce", [Tile_Arch, Tile_Accesses, AttrSizedOperandSegments]> {
  let summary = "reductions along one dimension of several tiles that share their exchanges";
  let description = [{
    Result i is operand i reduced along `dim`: a tile of layout `reduced(layout, dim)`, or of a tile of rank 1 a scalar, known to every
    lane. `across` says how far partial results travel: `lane`: the dimension lies in registers and lanes; `team`: also across
    warps; `cluster`: and then across the CTAs of the cluster, each of which holds a part of its own.

    Order of f32 additions, which is part of the op: registers of a lane ascending, four running sums (register i into sum i mod 4; then
    (s0 + s1) + (s2 + s3)); lanes as a butterfly of distances 1, 2, 4, 8, 16; warps ascending; CTA ranks ascending.

    `scratch` of `team` and `cluster`: row-major f32 of shape [warps, values] (`cluster`: [CTAs, warps, values] flattened to [CTAs x warps, values]), values = elements of all results together that a warp
    holds. The op writes it, synchronises the team (the cluster), and reads it. It does not synchronise first: two reductions in a row
    alternate between two scratch buffers, or have a sync between them.
  }];
  let arguments = (ins Variadic<Tile_Tile>:$values, Optional<Tile_Shared>:$scratch, I64Attr:$dim, Tile_ReduceKindAttr:$kind,
                       DefaultValuedAttr<Tile_AcrossAttr, "::k3::tile::Across::Lane">:$across, OptionalAttr<I64Attr>:$id);
  let results = (outs Variadic<Tile_TileOrScalar>:$results);
  let assemblyFormat = [{
    `` $kind $values `dim` $dim (`across` `` $across^)? (`scratch` $scratch^ `:` type($scratch))? attr-dict `:` type($values) `->` type($results)
  }];
  let hasVerifier = 1;
}

def ExpandOp : Tile_Op<"expand", [Pure]> {
  let summary = "repeats a tile along a new dimension; every lane holds what it needs already";
  let description = "The operand's layout is the result's, reduced along `dim`.";
  let arguments = (ins Tile_Tile:$source, I64Attr:$dim);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source `dim` $dim attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def SliceOp : Tile_Op<"slice", [Pure]> {
  let summary = "elements [offset, offset + extent) along `dim`: whole registers, no move";
  let description = "`fresh`: registers of its own, because a product in flight accumulates in it.";
  let arguments = (ins Tile_Tile:$source, I64Attr:$dim, I64Attr:$offset, UnitAttr:$fresh);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source `dim` $dim `at` $offset (`fresh` $fresh^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def ConcatOp : Tile_Op<"concat", [Pure]> {
  let summary = "tiles of one type side by side along `dim`: no move";
  let arguments = (ins Variadic<Tile_Tile>:$sources, I64Attr:$dim);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$sources `dim` $dim attr-dict `:` type($sources) `->` type($result)";
  let hasVerifier = 1;
}

def TransOp : Tile_Op<"trans", [Pure]> {
  let summary = "the transpose of a tile of rank 2: other names for the same registers";
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def ConvertOp : Tile_Op<"convert", [Tile_Accesses]> {
  let summary = "the same tile in another layout, by the way that is written down";
  let description = [{
    `relabel` permutes registers and costs nothing; `shuffle` moves within warps; `shared` goes through `scratch` (written, team sync,
    read; the kernel orders its reuse as for `tile.reduce`). The verifier proves that the way fills every register.
  }];
  let arguments = (ins Tile_Tile:$source, Optional<Tile_Shared>:$scratch, Tile_ConvertViaAttr:$via, OptionalAttr<I64Attr>:$id);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source `via` `` $via (`scratch` $scratch^ `:` type($scratch))? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def BitcastOp : Tile_Op<"bitcast", [Pure]> {
  let summary = "the same bits as elements of another type of the same width";
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def RcpOp : Tile_Op<"rcp", [Pure, SameOperandsAndResultType]> {
  let summary = "1 / x in f32 by the approximate instruction, about 1 ulp; subnormals are flushed";
  let arguments = (ins AnyTypeOf<[F32, Tile_Tile]>:$value);
  let results = (outs AnyTypeOf<[F32, Tile_Tile]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

#endif // K3_TILE_TENSOR_OPS
