// Register products: the fragments of mma.sync, those of MX weights with their own order of k, and rows split over warps.
// RUN: k3-opt %s --verify-roundtrip | FileCheck %s

#a = #tile.layout<mma_a 32>
#b = #tile.layout<reg [[0, 1], [0, 8], [0, 16], [8, 0]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #tile.layout<mma_c 16>
#mxa = #tile.layout<mx_a 1>
#mxb = #tile.layout<mx_b 1>
#mxc = #tile.layout<reg [[0, 1], [8, 0], [16, 0]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#a2 = #tile.layout<reg [[0, 1], [8, 0], [0, 8]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] warp [[16, 0]]>
#b2 = #tile.layout<reg [[0, 1], [0, 8]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] warp [[0, 0]]>
#c2 = #tile.layout<reg [[0, 1], [8, 0]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] warp [[16, 0]]>
func.func @f(%a: tensor<16x32xbf16, #a>, %b: tensor<16x32xbf16, #b>, %c: tensor<16x16xf32, #c>,
             %w: tensor<32x32xbf16, #mxa>, %x: tensor<8x32xbf16, #mxb>, %s: tensor<32x8xf32, #mxc>,
             %a2: tensor<32x16xf16, #a2>, %b2: tensor<8x16xf16, #b2>, %c2: tensor<32x8xf32, #c2>) {
  // CHECK: tile.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xbf16, #mma_c32>, tensor<16x32xbf16, #{{.*}}> -> tensor<16x16xf32, #mma_c16>
  %0 = tile.mma %a, %b, %c : tensor<16x32xbf16, #a>, tensor<16x32xbf16, #b> -> tensor<16x16xf32, #c>
  // CHECK: tile.mma {{.*}} : tensor<32x32xbf16, #mx_a1>, tensor<8x32xbf16, #mx_b1> -> tensor<32x8xf32, #{{.*}}>
  %1 = tile.mma %w, %x, %s : tensor<32x32xbf16, #mxa>, tensor<8x32xbf16, #mxb> -> tensor<32x8xf32, #mxc>
  // CHECK: tile.mma {{.*}} : tensor<32x16xf16, #{{.*}}>, tensor<8x16xf16, #{{.*}}> -> tensor<32x8xf32, #{{.*}}>
  %2 = tile.mma %a2, %b2, %c2 : tensor<32x16xf16, #a2>, tensor<8x16xf16, #b2> -> tensor<32x8xf32, #c2>
  return
}
