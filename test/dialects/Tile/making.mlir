// Tiles made of scalars and coordinates, and the free operations on registers.
// RUN: k3-opt %s --verify-roundtrip | FileCheck %s

#acc = #tile.layout<acc 32>
#acc16 = #tile.layout<acc 16>
#rows = #tile.layout<rows 8 256 1>
#row = #tile.layout<reg [[8]] lane [[0], [0], [1], [2], [4]] warp [[16], [32]]>
#c = #tile.layout<mma_c 16>
#ct = #tile.layout<reg [[1, 0], [0, 8], [8, 0]] lane [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
func.func @f(%x: f32, %n: i32, %t: tensor<64x32xf32, #acc>, %r: tensor<64xf32, #row>, %c: tensor<16x16xf32, #c>) {
  // CHECK: tile.splat %{{.*}} : f32 -> tensor<64x32xf32, #acc32>
  %0 = tile.splat %x : f32 -> tensor<64x32xf32, #acc>
  // CHECK: tile.splat %{{.*}} : i32 -> tensor<256xi32, #rows8x256x1>
  %1 = tile.splat %n : i32 -> tensor<256xi32, #rows>
  // CHECK: tile.iota 1 : tensor<64x32xi32, #acc32>
  %2 = tile.iota 1 : tensor<64x32xi32, #acc>
  // CHECK: tile.expand %{{.*}} dim 1 : tensor<64xf32, #layout{{.*}}> -> tensor<64x32xf32, #acc32>
  %3 = tile.expand %r dim 1 : tensor<64xf32, #row> -> tensor<64x32xf32, #acc>
  // CHECK: %[[H:.*]] = tile.slice %{{.*}} dim 1 at 16 fresh : tensor<64x32xf32, #acc32> -> tensor<64x16xf32, #acc16>
  %4 = tile.slice %t dim 1 at 16 fresh : tensor<64x32xf32, #acc> -> tensor<64x16xf32, #acc16>
  // CHECK: tile.concat %[[H]], %[[H]] dim 1 : tensor<64x16xf32, #acc16>, tensor<64x16xf32, #acc16> -> tensor<64x32xf32, #acc32>
  %5 = tile.concat %4, %4 dim 1 : tensor<64x16xf32, #acc16>, tensor<64x16xf32, #acc16> -> tensor<64x32xf32, #acc>
  // CHECK: tile.trans %{{.*}} : tensor<16x16xf32, #mma_c16> -> tensor<16x16xf32, #layout{{.*}}>
  %6 = tile.trans %c : tensor<16x16xf32, #c> -> tensor<16x16xf32, #ct>
  // CHECK: tile.bitcast %{{.*}} : tensor<64x32xf32, #acc32> -> tensor<64x32xi32, #acc32>
  %7 = tile.bitcast %t : tensor<64x32xf32, #acc> -> tensor<64x32xi32, #acc>
  // CHECK: tile.rcp %{{.*}} : tensor<64x32xf32, #acc32>
  %8 = tile.rcp %t : tensor<64x32xf32, #acc>
  // CHECK: tile.rcp %{{.*}} : f32
  %9 = tile.rcp %x : f32
  return
}
