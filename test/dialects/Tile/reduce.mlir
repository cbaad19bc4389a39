// Several tiles share one exchange; within lanes, across the warps of a team, across the CTAs of a cluster.
// RUN: k3-opt %s --verify-roundtrip | FileCheck %s

#acc = #tile.layout<acc 32>
#row = #tile.layout<reg [[8]] lane [[0], [0], [1], [2], [4]] warp [[16], [32]]>
#column = #tile.layout<reg [[1], [8], [16]] lane [[2], [4], [0], [0], [0]] warp [[0], [0]]>
#rows = #tile.layout<rows 8 1024 4>
#team = #tile.smem<row_major 4 2 4>
#columns = #tile.smem<row_major 4 32 4>
#cluster = #tile.smem<row_major 8 2 4>
tile.kernel @k() attributes {cluster = array<i32: 2>} {
  %s = tile.alloc "s" : !tile.shared<4x2xf32, #team>
  %t = tile.alloc "t" : !tile.shared<4x32xf32, #columns>
  %u = tile.alloc "u" : !tile.shared<8x2xf32, #cluster>
  tile.roles {
    tile.role "r" warps 4 (%i) {
      %x = arith.constant dense<1.0> : tensor<64x32xf32, #acc>
      %v = arith.constant dense<1.0> : tensor<1024xf32, #rows>
      // CHECK: tile.reduce<max> %{{.*}} dim 1 : tensor<64x32xf32, #acc32> -> tensor<64xf32, #{{.*}}>
      %m = tile.reduce<max> %x dim 1 : tensor<64x32xf32, #acc> -> tensor<64xf32, #row>
      // CHECK: tile.reduce<add> %[[V:.*]], %[[V]] dim 0 across<team> scratch %s : !tile.shared<4x2xf32, #row_major4x2x4> : tensor<1024xf32, #rows8x1024x4>, tensor<1024xf32, #rows8x1024x4> -> f32, f32
      %a, %b = tile.reduce<add> %v, %v dim 0 across<team> scratch %s : !tile.shared<4x2xf32, #team> : tensor<1024xf32, #rows>, tensor<1024xf32, #rows> -> f32, f32
      // A warp holds all 32 columns.
      // CHECK: tile.reduce<add> %{{.*}} dim 0 across<team> scratch %t
      %c = tile.reduce<add> %x dim 0 across<team> scratch %t : !tile.shared<4x32xf32, #columns> : tensor<64x32xf32, #acc> -> tensor<32xf32, #column>
      // CHECK: tile.reduce<min> %[[V]], %[[V]] dim 0 across<cluster> scratch %u : !tile.shared<8x2xf32, #row_major8x2x4> {id = 2 : i64}
      %d, %e = tile.reduce<min> %v, %v dim 0 across<cluster> scratch %u : !tile.shared<8x2xf32, #cluster> {id = 2 : i64} : tensor<1024xf32, #rows>, tensor<1024xf32, #rows> -> f32, f32
    }
  }
  tile.return
}
