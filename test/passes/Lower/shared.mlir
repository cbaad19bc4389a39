// Shared memory: one address per thread and constants, XORs where a swizzle asks for them; 8x8 matrices, straight and turned.
// RUN: k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --ptx | FileCheck %s
// RUN: %if ptxas %{ k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --assemble | FileCheck %s --check-prefix=ASM %}
// ASM: 0 bytes spilled
#a = #tile.layout<mma_a 64>
#bt = #tile.layout<bt>
#sw = #tile.smem<sw128 16 64 2>
#pad = #tile.smem<row_major 16 64 2 144>
#plain = #tile.smem<row_major 16 16 2>
#r = #tile.layout<reg [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]] lane [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]]>
tile.kernel @shared(%x: !tile.view<?x64xbf16>, %y: !tile.view<?x64xbf16> {tile.role = #tile.arg_role<step_out>}, %z: !tile.view<?x16xbf16> {tile.role = #tile.arg_role<step_out>}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %s = tile.alloc "s" : !tile.shared<16x64xbf16, #sw, stages 2>
  %p = tile.alloc "p" : !tile.shared<16x64xbf16, #pad>
  %q = tile.alloc "q" : !tile.shared<16x16xbf16, #plain>
  tile.roles {
    tile.role "one" warps 1 (%i) {
      %v = tile.load %x[%c0, %c0] : !tile.view<?x64xbf16> -> tensor<16x64xbf16, #r>
      %slot = tile.slot %s[%c1] : !tile.shared<16x64xbf16, #sw, stages 2>, i32
      // Rows 4 apart differ in the swizzle; rows 8 apart are 1024 bytes apart.
      // CHECK: st.shared.v4.b32 [[[A:%rd[0-9]+]]]
      // CHECK: st.shared.v4.b32 [[[B:%rd[0-9]+]]+512]
      // CHECK: st.shared.v4.b32 [[[A]]+1024]
      // CHECK: st.shared.v4.b32 [[[B]]+1536]
      tile.store_shared %v -> %slot : tensor<16x64xbf16, #r> -> !tile.shared<16x64xbf16, #sw>
      tile.warp_sync
      // CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared.b16
      %m = tile.ldmatrix %slot : !tile.shared<16x64xbf16, #sw> -> tensor<16x64xbf16, #a>
      tile.store %m -> %y[%c0, %c0] : tensor<16x64xbf16, #a> -> !tile.view<?x64xbf16>
      // CHECK: stmatrix.sync.aligned.m8n8.x4.shared.b16 [[[C:%rd[0-9]+]]],
      // CHECK: stmatrix.sync.aligned.m8n8.x4.shared.b16 [[[C]]+32],
      tile.stmatrix %m -> %p : tensor<16x64xbf16, #a> -> !tile.shared<16x64xbf16, #pad>
      tile.warp_sync
      // CHECK: ld.shared.v4.b32
      %n = tile.load_shared %p : !tile.shared<16x64xbf16, #pad> -> tensor<16x64xbf16, #r>
      tile.store %n -> %y[%c16, %c0] : tensor<16x64xbf16, #r> -> !tile.view<?x64xbf16>
      %o = tile.load_shared %slot : !tile.shared<16x64xbf16, #sw> -> tensor<16x64xbf16, #a>
      tile.store %o -> %y[%c32, %c0] : tensor<16x64xbf16, #a> -> !tile.view<?x64xbf16>
      %w = tile.load %x[%c0, %c0] : !tile.view<?x64xbf16> -> tensor<16x16xbf16, #bt>
      // CHECK: stmatrix.sync.aligned.m8n8.x4.trans.shared.b16
      tile.stmatrix %w -> %q trans : tensor<16x16xbf16, #bt> -> !tile.shared<16x16xbf16, #plain>
      tile.warp_sync
      // CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
      %t = tile.ldmatrix %q trans : !tile.shared<16x16xbf16, #plain> -> tensor<16x16xbf16, #bt>
      tile.store %t -> %z[%c0, %c0] : tensor<16x16xbf16, #bt> -> !tile.view<?x16xbf16>
    }
  }
  tile.return
}
