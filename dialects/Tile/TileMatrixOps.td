//===- TileMatrixOps.td - Products on tensor cores -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TILE_MATRIX_OPS
#define K3_TILE_MATRIX_OPS

include "dialects/Tile/TileBase.td"

def WgmmaOp : Tile_ArchOp<"wgmma", ["Wgmma"], [Tile_Accesses]> {
  let summary = "d[m, n] = a[m, k] b[n, k]^T (+ acc), asynchronous";
  let description = [{
    `a`: [64, K] in shared memory or registers (layout `wg_a K`); `b`: [N, K] in shared memory. With `trans_a` / `trans_b` the operand
    in shared memory is [K, 64] / [K, N]. K is a multiple of 32 bytes: one instruction per 32 bytes of K. The result has layout `acc N`, f32.
    `acc` may be a tile or one still in flight; without it the sum starts at zero. Descriptors follow from the shared layouts and are
    proved by lib/Layout.

    ```mlir
    %q = tile.wgmma %a, %b, %p : !tile.shared<64x64xbf16, ..>, !tile.shared<256x64xbf16, ..>, !tile.pending<tensor<64x256xf32, #acc>> -> !tile.pending<..>
    ```
  }];
  let arguments = (ins Tile_SharedOrTile:$a, Tile_Shared:$b, Optional<Tile_TileOrPending>:$acc, UnitAttr:$trans_a, UnitAttr:$trans_b);
  let results = (outs Tile_Pending:$result);
  let assemblyFormat = [{
    $a (`trans_a` $trans_a^)? `,` $b (`trans_b` $trans_b^)? (`,` $acc^)? attr-dict `:` type($a) `,` type($b) (`,` type($acc)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def WgmmaFenceOp : Tile_ArchOp<"wgmma_fence", ["Wgmma"]> {
  let summary = "registers written before may be read by the wgmma behind; inserted by passes/Tile";
  let assemblyFormat = "attr-dict";
}

def WgmmaCommitOp : Tile_ArchOp<"wgmma_commit", ["Wgmma"]> {
  let summary = "closes the group of the products issued so far";
  let assemblyFormat = "attr-dict";
}

def WgmmaWaitOp : Tile_ArchOp<"wgmma_wait", ["Wgmma"], [AttrSizedOperandSegments]> {
  let summary = "waits until at most `pending` groups are in flight, and yields what they were to hold";
  let description = [{
    Without operands it retires the reads of shared operands only. `keep` lists register operands that have to stay alive until here; passes/Tile
    adds them.

    ```mlir
    %acc = tile.wgmma_wait 0 (%p) : tensor<64x256xf32, #acc>
    ```
  }];
  let arguments = (ins I64Attr:$pending, Variadic<Tile_Pending>:$values, Variadic<Tile_Tile>:$keep);
  let results = (outs Variadic<Tile_Tile>:$results);
  let assemblyFormat = [{
    $pending (`(` $values^ `:` type($values) `)`)? (`keep` `(` $keep^ `:` type($keep) `)`)? attr-dict (`:` type($results)^)?
  }];
  let hasVerifier = 1;
}

def MmaOp : Tile_ArchOp<"mma", ["MmaF16"], [Pure, AllTypesMatch<["c", "result"]>]> {
  let summary = "d[m, n] = a[m, k] b[n, k]^T + c, in registers, every warp for itself";
  let description = [{
    16-bit operands, f32 sums. Rows, columns and k-slots are checked by lib/Layout: the order of k is free as long as a and b agree. m is a
    multiple of 16, n of 8, k of 16. k does not run across warps: partial sums of warps are added by a `tile.reduce`.
  }];
  let arguments = (ins Tile_Tile:$a, Tile_Tile:$b, Tile_Tile:$c);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `->` type($result)";
  let hasVerifier = 1;
}

#endif // K3_TILE_MATRIX_OPS
