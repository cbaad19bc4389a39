// Loads and stores: vectors as the layout allows, predicates from limits, by elements where a limit cuts through a vector.
// RUN: k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --ptx | FileCheck %s
// RUN: %if ptxas %{ k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --assemble | FileCheck %s --check-prefix=ASM %}
// ASM: 0 bytes spilled
#v = #tile.layout<rows 8 256 1>
#acc = #tile.layout<acc 16>
#t = #tile.layout<reg [[0, 1], [0, 2], [0, 4], [8, 0]] lane [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]] warp [[16, 0], [32, 0]]>
tile.kernel @loads(%x: !tile.view<?x256xbf16>, %y: !tile.view<?x256xbf16> {tile.role = #tile.arg_role<step_out>},
                   %w: !tile.view<?x32xbf16> {tile.role = #tile.arg_role<step_out>}, %f: !tile.view<?x16xf32> {tile.role = #tile.arg_role<step_out>}, %n: i32, %stride: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c64 = arith.constant 64 : i32
  %cols = arith.constant 256 : i32
  %xs = tile.strided %x, %stride : !tile.view<?x256xbf16>, i32 -> !tile.view<?x256xbf16, strides [?, 1]>
  tile.roles {
    tile.role "one" warps 1 (%i) {
      // The limit may cut through the vector: one access, or eight.
      // CHECK: ld.global.v4.b32
      // CHECK-COUNT-8: @%p{{[0-9]+}} ld.global.b16
      %a = tile.load %x[%c1, %c0] limit [%n] : !tile.view<?x256xbf16> -> tensor<256xbf16, #v>
      tile.store %a -> %y[%c0, %c0] : tensor<256xbf16, #v> -> !tile.view<?x256xbf16>
      // CHECK: ld.global.L1::no_allocate.v4.b32
      %b = tile.load %x[%c0, %c0] cache <streaming> : !tile.view<?x256xbf16> -> tensor<256xbf16, #v>
      // The limit is a multiple of the vector: one predicate.
      // CHECK: @%p{{[0-9]+}} st.global.cs.v4.b32
      tile.store %b -> %y[%c1, %c0] limit [%cols] cache <streaming> : tensor<256xbf16, #v> -> !tile.view<?x256xbf16>
      %c2 = arith.constant 2 : i32
      // CHECK: @%p{{[0-9]+}} st.global.v4.b32
      // CHECK-COUNT-8: @%p{{[0-9]+}} st.global.b16
      tile.store %b -> %y[%c2, %c0] limit [%n] : tensor<256xbf16, #v> -> !tile.view<?x256xbf16>
    }
    tile.role "four" warps 4 (%j) {
      // CHECK: ld.global.v4.b32
      %c = tile.load %xs[%c0, %c0] limit [%n, %n] raw : !tile.view<?x256xbf16, strides [?, 1]> -> tensor<64x32xbf16, #t>
      tile.store %c -> %w[%c0, %c0] : tensor<64x32xbf16, #t> -> !tile.view<?x32xbf16>
      // CHECK: ld.global.nc.b32
      %d = tile.load %x[%c0, %c8] limit [%c64, %n] cache <read_only> : !tile.view<?x256xbf16> -> tensor<64x16xbf16, #acc>
      %e = arith.extf %d : tensor<64x16xbf16, #acc> to tensor<64x16xf32, #acc>
      // CHECK: @%p{{[0-9]+}} st.global.v2.b32
      tile.store %e -> %f[%c0, %c0] limit [%n, %c64] : tensor<64x16xf32, #acc> -> !tile.view<?x16xf32>
    }
  }
  tile.return
}
