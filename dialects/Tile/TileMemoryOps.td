//===- TileMemoryOps.td - Copies, loads and stores -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TILE_MEMORY_OPS
#define K3_TILE_MEMORY_OPS

include "dialects/Tile/TileBase.td"

//===----------------------------------------------------------------------===//
// Global memory by the copy engine
//===----------------------------------------------------------------------===//

def StridedOp : Tile_Op<"strided", [Pure]> {
  let summary = "a view whose leading stride is known at run time only";
  let description = [{
    `stride` counts elements between neighbours of dimension 0, whose stride the result's type leaves open.

    ```mlir
    %x = tile.strided %a, %stride : !tile.view<?x512xbf16> -> !tile.view<?x512xbf16, strides [?, 1]>
    ```
  }];
  let arguments = (ins Tile_View:$source, AnyTypeOf<[I32, I64]>:$stride);
  let results = (outs Tile_View:$view);
  let assemblyFormat = "$source `,` $stride attr-dict `:` type($source) `,` type($stride) `->` type($view)";
  let hasVerifier = 1;
}

def PolicyOp : Tile_ArchOp<"policy", ["BulkCopy"], [Pure]> {
  let summary = "an L2 eviction policy for copies";
  let arguments = (ins Tile_EvictionAttr:$eviction);
  let results = (outs Tile_Policy:$policy);
  let assemblyFormat = "`` $eviction attr-dict";
}

def MapLoadOp : Tile_ArchOp<"map_load", ["Tma", "MbarrierTx"], [Tile_Accesses, AttrSizedOperandSegments]> {
  let summary = "a box of a mapped array into shared memory; completes on a barrier";
  let description = [{
    Coordinates in elements, in the order of the box; what lies outside the array arrives as zeros, and the barrier counts the full bytes of
    the box. In `tile.elect`. With `multicast` (a mask of cluster ranks) the box and its bytes arrive at the same place in each.

    ```mlir
    tile.map_load %ta[%m, %k] -> %slot on %full[%c] : !tile.map<128x64xbf16, swizzle 128> -> !tile.shared<...>, !tile.mbar<4, arrivals = 1>
    ```
  }];
  let arguments = (ins Tile_Map:$map, Variadic<I32>:$coords, Tile_Shared:$target, Tile_Mbar:$barrier, Tile_CursorOrIndex:$cursor,
                       Optional<I32>:$multicast, Optional<Tile_Policy>:$policy);
  let assemblyFormat = [{
    $map `[` $coords `]` `->` $target `on` $barrier `[` $cursor `]` (`multicast` $multicast^)? (`policy` $policy^)? attr-dict `:`
    type($map) `->` type($target) `,` type($barrier) `,` type($cursor)
  }];
  let hasVerifier = 1;
}

def MapStoreOp : Tile_ArchOp<"map_store", ["Tma"], [Tile_Accesses, AttrSizedOperandSegments]> {
  let summary = "a tile in shared memory to a box of a mapped array; completes by bulk group";
  let description = [{
    What lies outside the array is dropped. With `add` it is added to the array (in the order of arrival). In `tile.elect`.
  }];
  let arguments = (ins Tile_Shared:$source, Tile_Map:$map, Variadic<I32>:$coords, Optional<Tile_Policy>:$policy, UnitAttr:$add);
  let assemblyFormat = [{
    $source `->` $map `[` $coords `]` (`add` $add^)? (`policy` $policy^)? attr-dict `:` type($source) `->` type($map)
  }];
  let hasVerifier = 1;
}

def BulkLoadOp : Tile_ArchOp<"bulk_load", ["BulkCopy", "MbarrierTx"], [Tile_Accesses, AttrSizedOperandSegments]> {
  let summary = "contiguous bytes of a view into shared memory; completes on a barrier";
  let description = [{
    The tile's elements are contiguous both in the view from the given place on and in shared memory (row-major, dense), a multiple of 16
    bytes, at 16-byte aligned places. In `tile.elect`.

    ```mlir
    tile.bulk_load %x[%row, %zero] -> %slot on %full[%c] policy %p : !tile.view<?x7168xbf16> -> !tile.shared<...>, !tile.mbar<...>, !tile.cursor<14>
    ```
  }];
  let arguments = (ins Tile_View:$view, Variadic<I32>:$coords, Tile_Shared:$target, Tile_Mbar:$barrier, Tile_CursorOrIndex:$cursor,
                       Optional<Tile_Policy>:$policy);
  let assemblyFormat = [{
    $view `[` $coords `]` `->` $target `on` $barrier `[` $cursor `]` (`policy` $policy^)? attr-dict `:` type($view) `->` type($target) `,`
    type($barrier) `,` type($cursor)
  }];
  let hasVerifier = 1;
}

def BulkStoreOp : Tile_ArchOp<"bulk_store", ["BulkCopy"], [Tile_Accesses, AttrSizedOperandSegments]> {
  let summary = "contiguous bytes of shared memory to a view; completes by bulk group";
  let arguments = (ins Tile_Shared:$source, Tile_View:$view, Variadic<I32>:$coords, Optional<Tile_Policy>:$policy);
  let assemblyFormat = [{
    $source `->` $view `[` $coords `]` (`policy` $policy^)? attr-dict `:` type($source) `->` type($view)
  }];
  let hasVerifier = 1;
}

def BulkPrefetchOp : Tile_ArchOp<"bulk_prefetch", ["BulkCopy"]> {
  let summary = "contiguous bytes of a view on their way into L2: a hint";
  let description = [{
    Nothing can be seen of it but time, so it may name step inputs before `tile.pdl_wait`. A multiple of 16 bytes at a 16-byte aligned
    place. In `tile.elect`.

    ```mlir
    tile.bulk_prefetch %x[%row, %zero] bytes 14336 : !tile.view<?x7168xbf16>
    ```
  }];
  let arguments = (ins Tile_View:$view, Variadic<I32>:$coords, I64Attr:$bytes);
  let assemblyFormat = "$view `[` $coords `]` `bytes` $bytes attr-dict `:` type($view)";
  let hasVerifier = 1;
}

def BulkCommitOp : Tile_ArchOp<"bulk_commit", ["BulkCopy"]> {
  let summary = "closes the group of the stores issued so far by this lane";
  let assemblyFormat = "attr-dict";
}

def BulkWaitOp : Tile_ArchOp<"bulk_wait", ["BulkCopy"]> {
  let summary = "waits until at most `pending` groups are not done; with `read`, until their sources are read";
  let arguments = (ins I64Attr:$pending, UnitAttr:$read);
  let assemblyFormat = "$pending (`read` $read^)? attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Global memory by lanes
//===----------------------------------------------------------------------===//

def CpAsyncOp : Tile_ArchOp<"cp_async", ["CpAsync"], [Tile_Accesses, AttrSizedOperandSegments]> {
  let summary = "a tile of a view into shared memory, 16 bytes a lane; completes by group";
  let description = [{
    `lanes` says who copies what: registers in packs of 16 bytes. `limit` holds the extents of the array along the tile's dimensions: what is
    outside becomes zeros and is not read.
  }];
  let arguments = (ins Tile_View:$view, Variadic<I32>:$coords, Tile_Shared:$target, Variadic<I32>:$limit, Tile_LayoutAttr:$lanes);
  let assemblyFormat = [{
    $view `[` $coords `]` `->` $target `by` `(` custom<LayoutOf>($lanes) `)` (`limit` `[` $limit^ `]`)? attr-dict `:` type($view) `->` type($target)
  }];
  let hasVerifier = 1;
}

def CpAsyncCommitOp : Tile_ArchOp<"cp_async_commit", ["CpAsync"]> {
  let summary = "closes the group of the copies issued so far, in every lane of the team";
  let assemblyFormat = "attr-dict";
}

def CpAsyncWaitOp : Tile_ArchOp<"cp_async_wait", ["CpAsync"]> {
  let summary = "waits until at most `pending` groups of the lane are not done; other lanes need a sync after it";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
  let hasVerifier = 1;
}

def LoadOp : Tile_Op<"load", [Tile_Accesses, AttrSizedOperandSegments]> {
  let summary = "a tile of a view into registers";
  let description = [{
    `coords` is the place of the tile's first element; the tile's dimensions are the last ones of the view. `limit` holds, for each
    dimension of the tile, the extent of the array: elements outside are zeros and are not read. Vectors are as wide as the layout
    allows. `raw`: the bits stay as loaded until their first use (several loads can be in flight before a conversion).

    ```mlir
    %v = tile.load %x[%row, %zero] limit [%cols] cache read_only : !tile.view<?x7168xbf16> -> tensor<7168xbf16, #rows>
    ```
  }];
  let arguments = (ins Tile_View:$view, Variadic<I32>:$coords, Variadic<I32>:$limit,
                       DefaultValuedAttr<Tile_CacheHintAttr, "::k3::tile::CacheHint::Default">:$cache, UnitAttr:$raw);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $view `[` $coords `]` (`limit` `[` $limit^ `]`)? (`cache` `` $cache^)? (`raw` $raw^)? attr-dict `:` type($view) `->` type($result)
  }];
  let hasVerifier = 1;
}

def StoreOp : Tile_Op<"store", [Tile_Accesses, AttrSizedOperandSegments]> {
  let summary = "a tile into a view; elements outside `limit` are not written";
  let description = "Lanes that hold copies of an element: one of them writes it.";
  let arguments = (ins Tile_Tile:$value, Tile_View:$view, Variadic<I32>:$coords, Variadic<I32>:$limit,
                       DefaultValuedAttr<Tile_CacheHintAttr, "::k3::tile::CacheHint::Default">:$cache);
  let assemblyFormat = [{
    $value `->` $view `[` $coords `]` (`limit` `[` $limit^ `]`)? (`cache` `` $cache^)? attr-dict `:` type($value) `->` type($view)
  }];
  let hasVerifier = 1;
}

def GatherLoadOp : Tile_Op<"gather_load", [Tile_Accesses]> {
  let summary = "rows of a view, picked by an index tile, into registers";
  let description = [{
    Row r of the result is row `rows[r]` of the view, from column `column` on; a negative index gives zeros. The index tile has the layout of the
    result reduced along dimension 1.
  }];
  let arguments = (ins Tile_View:$view, Tile_Tile:$rows, I32:$column);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$view `[` $rows `,` $column `]` attr-dict `:` type($view) `,` type($rows) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def LoadSharedOp : Tile_Op<"load_shared", [Tile_Accesses]> {
  let summary = "a tile from shared memory into registers, by ordinary loads";
  let arguments = (ins Tile_Shared:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def StoreSharedOp : Tile_Op<"store_shared", [Tile_Accesses]> {
  let summary = "a tile from registers into shared memory, by ordinary stores";
  let arguments = (ins Tile_Tile:$value, Tile_Shared:$target);
  let assemblyFormat = "$value `->` $target attr-dict `:` type($value) `->` type($target)";
  let hasVerifier = 1;
}

def LdmatrixOp : Tile_ArchOp<"ldmatrix", ["Ldmatrix"], [Tile_Accesses]> {
  let summary = "a tile of 16-bit elements from shared memory, 8x8 matrices at a time";
  let description = [{
    With `trans` each lane's pair lies along the other dimension of the matrices. The address that every lane supplies follows from
    the two layouts and is proved; the error names the first lane that would read another byte.
  }];
  let arguments = (ins Tile_Shared:$source, UnitAttr:$trans);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source (`trans` $trans^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def StmatrixOp : Tile_ArchOp<"stmatrix", ["Stmatrix"], [Tile_Accesses]> {
  let summary = "a tile of 16-bit elements into shared memory, 8x8 matrices at a time";
  let arguments = (ins Tile_Tile:$value, Tile_Shared:$target, UnitAttr:$trans);
  let assemblyFormat = "$value `->` $target (`trans` $trans^)? attr-dict `:` type($value) `->` type($target)";
  let hasVerifier = 1;
}

#endif // K3_TILE_MEMORY_OPS
