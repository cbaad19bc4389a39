// Register products: fragments in any order of k that both sides share, rows split over warps.
// RUN: k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --ptx | FileCheck %s
// RUN: %if ptxas %{ k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --assemble | FileCheck %s --check-prefix=ASM %}
// ASM: 0 bytes spilled
#a = #tile.layout<mma_a 32>
#b = #tile.layout<reg [[0, 1], [0, 8], [0, 16], [8, 0]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #tile.layout<mma_c 16>
#mxa = #tile.layout<mx_a 1>
#mxb = #tile.layout<mx_b 1>
#mxc = #tile.layout<reg [[0, 1], [8, 0], [16, 0]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
tile.kernel @mma(%x: !tile.view<?x32xbf16>, %y: !tile.view<?x16xf32> {tile.role = #tile.arg_role<step_out>}, %z: !tile.view<?x8xf32> {tile.role = #tile.arg_role<step_out>}) {
  %0 = arith.constant 0 : i32
  %16 = arith.constant 16 : i32
  tile.roles {
    tile.role "one" warps 1 (%i) {
      %a = tile.load %x[%0, %0] : !tile.view<?x32xbf16> -> tensor<16x32xbf16, #a>
      %b = tile.load %x[%16, %0] : !tile.view<?x32xbf16> -> tensor<16x32xbf16, #b>
      %c = arith.constant dense<0.5> : tensor<16x16xf32, #c>
      // Two steps of k for each half of the columns.
      // CHECK-COUNT-4: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
      %d = tile.mma %a, %b, %c : tensor<16x32xbf16, #a>, tensor<16x32xbf16, #b> -> tensor<16x16xf32, #c>
      tile.store %d -> %y[%0, %0] : tensor<16x16xf32, #c> -> !tile.view<?x16xf32>
      %w = tile.load %x[%0, %0] : !tile.view<?x32xbf16> -> tensor<32x32xbf16, #mxa>
      %v = tile.load %x[%16, %0] : !tile.view<?x32xbf16> -> tensor<8x32xbf16, #mxb>
      %e = arith.constant dense<0.0> : tensor<32x8xf32, #mxc>
      // CHECK-COUNT-4: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
      %f = tile.mma %w, %v, %e : tensor<32x32xbf16, #mxa>, tensor<8x32xbf16, #mxb> -> tensor<32x8xf32, #mxc>
      tile.store %f -> %z[%0, %0] : tensor<32x8xf32, #mxc> -> !tile.view<?x8xf32>
    }
  }
  tile.return
}
