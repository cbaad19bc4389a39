// A change of layout names its way: registers renamed, shuffles within warps, or through shared memory.
// RUN: k3-opt %s --verify-roundtrip | FileCheck %s

#c = #tile.layout<mma_c 16>
#relabelled = #tile.layout<reg [[0, 8], [8, 0], [0, 1]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#shuffled = #tile.layout<reg [[0, 1], [8, 0], [0, 8]] lane [[0, 4], [0, 2], [1, 0], [2, 0], [4, 0]]>
#acc = #tile.layout<acc 16>
#rows = #tile.layout<reg [[0, 1], [0, 2], [0, 4]] lane [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]] warp [[16, 0], [32, 0]]>
#turned = #tile.layout<reg [[0, 1], [0, 2], [0, 4]] lane [[0, 8], [1, 0], [2, 0], [4, 0], [32, 0]] warp [[8, 0], [16, 0]]>
#s = #tile.smem<row_major 64 16 4 80>
func.func @f(%x: tensor<16x16xf32, #c>, %y: tensor<64x16xf32, #rows>, %s: !tile.shared<64x16xf32, #s>) {
  // CHECK: tile.convert %{{.*}} via<relabel> : tensor<16x16xf32, #mma_c16> -> tensor<16x16xf32, #{{.*}}>
  %0 = tile.convert %x via<relabel> : tensor<16x16xf32, #c> -> tensor<16x16xf32, #relabelled>
  // CHECK: tile.convert %{{.*}} via<shuffle> : tensor<16x16xf32, #mma_c16> -> tensor<16x16xf32, #{{.*}}>
  %1 = tile.convert %x via<shuffle> : tensor<16x16xf32, #c> -> tensor<16x16xf32, #shuffled>
  // CHECK: tile.convert %{{.*}} via<shared> scratch %{{.*}} : !tile.shared<64x16xf32, #smem> {id = 3 : i64} : tensor<64x16xf32, #{{.*}}> -> tensor<64x16xf32, #{{.*}}>
  %2 = tile.convert %y via<shared> scratch %s : !tile.shared<64x16xf32, #s> {id = 3 : i64} : tensor<64x16xf32, #rows> -> tensor<64x16xf32, #turned>
  return
}
