// Buffers and what is cut from them: stages, parts, other types on the same bytes, a peer's.
// RUN: k3-opt %s --verify-roundtrip | FileCheck %s

#a = #tile.smem<sw128 128 64 2>
#half = #tile.smem<sw128 64 64 2>
#wide = #tile.smem<sw128 64 128 2>
#plain = #tile.smem<row_major 16 32 4>
tile.kernel @k() attributes {cluster = array<i32: 2>} {
  // CHECK: %[[A:.*]] = tile.alloc "a" {offset = 1024 : i64} : <128x64xbf16, #sw128_128x64x2, stages 4>
  %a = tile.alloc "a" {offset = 1024 : i64} : !tile.shared<128x64xbf16, #a, stages 4>
  %w = tile.alloc "w" : !tile.shared<64x128xbf16, #wide>
  %odd = tile.alloc "odd" : !tile.shared<112x64xbf16, #tile.smem<sw128 112 64 2>>
  %one = arith.constant 1 : i32
  // CHECK: %[[C:.*]] = tile.cursor start 1 : <4>
  %c = tile.cursor start 1 : !tile.cursor<4>
  // CHECK: %[[S:.*]] = tile.slot %[[A]][%[[C]]] : <128x64xbf16, #sw128_128x64x2, stages 4>, !tile.cursor<4>
  %s = tile.slot %a[%c] : !tile.shared<128x64xbf16, #a, stages 4>, !tile.cursor<4>
  // CHECK: tile.part %[[S]][%{{.*}}] dim 0 : <128x64xbf16, #sw128_128x64x2> -> <64x64xbf16, #sw128_64x64x2>
  %p = tile.part %s[%one] dim 0 : !tile.shared<128x64xbf16, #a> -> !tile.shared<64x64xbf16, #half>
  // A panel is a part along the columns.
  // CHECK: tile.part %{{.*}}[%{{.*}}] dim 1 : <64x128xbf16, #sw128_64x128x2> -> <64x64xbf16, #sw128_64x64x2>
  %panel = tile.part %w[%one] dim 1 : !tile.shared<64x128xbf16, #wide> -> !tile.shared<64x64xbf16, #half>
  // Seven groups of eight rows each.
  // CHECK: tile.part %{{.*}}[%{{.*}}] dim 0 : <112x64xbf16, #sw128_112x64x2> -> <56x64xbf16, #sw128_56x64x2>
  %seven = tile.part %odd[%one] dim 0 : !tile.shared<112x64xbf16, #tile.smem<sw128 112 64 2>> -> !tile.shared<56x64xbf16, #tile.smem<sw128 56 64 2>>
  // CHECK: tile.alias %[[A]] at 16384 : <128x64xbf16, #sw128_128x64x2, stages 4> -> <16x32xf32, #row_major16x32x4>
  %f = tile.alias %a at 16384 : !tile.shared<128x64xbf16, #a, stages 4> -> !tile.shared<16x32xf32, #plain>
  // CHECK: tile.peer %[[S]], %{{.*}} : <128x64xbf16, #sw128_128x64x2>
  %r = tile.peer %s, %one : !tile.shared<128x64xbf16, #a>
  // CHECK: tile.advance %[[C]] : <4>
  %n = tile.advance %c : !tile.cursor<4>
  // CHECK: tile.advance %[[C]] by 3 revisits 3 : <4>
  %m = tile.advance %c by 3 revisits 3 : !tile.cursor<4>
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}
