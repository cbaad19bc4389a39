// Reductions: registers and lanes, then warps, then CTAs of the cluster; several tiles share one exchange.
// RUN: k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --ptx | FileCheck %s
// RUN: %if ptxas %{ k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --assemble | FileCheck %s --check-prefix=ASM %}
// ASM: 0 bytes spilled
#acc = #tile.layout<acc 32>
#row = #tile.layout<reg [[8]] lane [[0], [0], [1], [2], [4]] warp [[16], [32]]>
#column = #tile.layout<reg [[1], [8], [16]] lane [[2], [4], [0], [0], [0]] warp [[0], [0]]>
#rows = #tile.layout<rows 8 1024 4>
#team = #tile.smem<row_major 4 2 4>
#many = #tile.smem<row_major 4 6 4>
#columns = #tile.smem<row_major 4 32 4>
#cluster = #tile.smem<row_major 8 2 4>
tile.kernel @reduce(%x: !tile.view<?x32xf32>, %v: !tile.view<?x1024xf32>, %m: !tile.view<?x64xf32> {tile.role = #tile.arg_role<step_out>},
                    %c: !tile.view<?x32xf32> {tile.role = #tile.arg_role<step_out>}, %s: !tile.view<?x1024xf32> {tile.role = #tile.arg_role<step_out>}) attributes {cluster = array<i32: 2, 1, 1>} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %64 = arith.constant 64 : i32
  %t1 = tile.alloc "t1" : !tile.shared<4x2xf32, #team>
  %t2 = tile.alloc "t2" : !tile.shared<4x32xf32, #columns>
  %t3 = tile.alloc "t3" : !tile.shared<8x2xf32, #cluster>
  %t4 = tile.alloc "t4" : !tile.shared<4x6xf32, #many>
  tile.roles {
    tile.role "r" warps 4 (%i) {
      %cta = tile.cta_id
      %at = arith.muli %cta, %64 : i32
      %a = tile.load %x[%at, %0] : !tile.view<?x32xf32> -> tensor<64x32xf32, #acc>
      // CHECK: max.f32
      // CHECK: shfl.sync.bfly.b32 {{.*}}, 1, 31, -1
      // CHECK: shfl.sync.bfly.b32 {{.*}}, 2, 31, -1
      %max = tile.reduce<max> %a dim 1 : tensor<64x32xf32, #acc> -> tensor<64xf32, #row>
      tile.store %max -> %m[%cta, %0] : tensor<64xf32, #row> -> !tile.view<?x64xf32>
      // CHECK: shfl.sync.bfly.b32 {{.*}}, 4, 31, -1
      // CHECK: shfl.sync.bfly.b32 {{.*}}, 16, 31, -1
      // CHECK: st.shared.b32
      // CHECK: bar.sync
      // CHECK: ld.shared.b32
      %col = tile.reduce<add> %a dim 0 across<team> scratch %t2 : !tile.shared<4x32xf32, #columns> : tensor<64x32xf32, #acc> -> tensor<32xf32, #column>
      tile.store %col -> %c[%cta, %0] : tensor<32xf32, #column> -> !tile.view<?x32xf32>
      %b = tile.load %v[%cta, %0] : !tile.view<?x1024xf32> -> tensor<1024xf32, #rows>
      %bb = arith.mulf %b, %b : tensor<1024xf32, #rows>
      %bbb = arith.mulf %bb, %b : tensor<1024xf32, #rows>
      // CHECK: st.shared.v2.b32
      // CHECK: bar.sync
      // CHECK: ld.shared.v2.b32
      %p, %q = tile.reduce<add> %b, %bb dim 0 across<team> scratch %t1 : !tile.shared<4x2xf32, #team> : tensor<1024xf32, #rows>, tensor<1024xf32, #rows> -> f32, f32
      %r:6 = tile.reduce<add> %b, %bb, %bbb, %bb, %b, %bbb dim 0 across<team> scratch %t4 : !tile.shared<4x6xf32, #many> : tensor<1024xf32, #rows>, tensor<1024xf32, #rows>, tensor<1024xf32, #rows>, tensor<1024xf32, #rows>, tensor<1024xf32, #rows>, tensor<1024xf32, #rows> -> f32, f32, f32, f32, f32, f32
      // CHECK: mapa
      // CHECK: st.shared::cluster.v2.b32
      // CHECK: barrier.cluster.arrive
      // CHECK: barrier.cluster.wait
      // CHECK: ld.shared.v2.b32
      %d, %e = tile.reduce<add> %b, %bb dim 0 across<cluster> scratch %t3 : !tile.shared<8x2xf32, #cluster> : tensor<1024xf32, #rows>, tensor<1024xf32, #rows> -> f32, f32
      %u1 = arith.addf %p, %d : f32
      %u2 = arith.mulf %q, %e : f32
      %u3 = arith.subf %r#2, %r#4 : f32
      %u4 = arith.addf %u1, %u2 : f32
      %u5 = arith.addf %u4, %u3 : f32
      %u6 = tile.splat %u5 : f32 -> tensor<1024xf32, #rows>
      %out = arith.mulf %b, %u6 : tensor<1024xf32, #rows>
      tile.store %out -> %s[%cta, %0] : tensor<1024xf32, #rows> -> !tile.view<?x1024xf32>
    }
  }
  tile.return
}
