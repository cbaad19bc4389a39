// Products of a warpgroup: operands in shared memory, straight or transposed, or A in registers; in flight until a wait yields them.
// RUN: k3-opt %s --verify-roundtrip | FileCheck %s

#acc = #tile.layout<acc 128>
#wg = #tile.layout<wg_a 64>
#a = #tile.smem<sw128 64 64 2>
#b = #tile.smem<sw128 128 64 2>
#bt = #tile.smem<sw128 64 128 2>
func.func @f(%a: !tile.shared<64x64xbf16, #a>, %b: !tile.shared<128x64xbf16, #b>, %bt: !tile.shared<64x128xbf16, #bt>,
             %r: tensor<64x64xbf16, #wg>, %c: tensor<64x128xf32, #acc>) {
  // CHECK: tile.wgmma_fence
  tile.wgmma_fence
  // CHECK: %[[P:.*]] = tile.wgmma %{{.*}}, %{{.*}} : !tile.shared<64x64xbf16, #sw128_64x64x2>, <128x64xbf16, #sw128_128x64x2> -> <tensor<64x128xf32, #acc128>>
  %p = tile.wgmma %a, %b : !tile.shared<64x64xbf16, #a>, !tile.shared<128x64xbf16, #b> -> !tile.pending<tensor<64x128xf32, #acc>>
  // B as [k, n] goes by the transpose bit; the sum goes on in flight.
  // CHECK: %[[Q:.*]] = tile.wgmma %{{.*}} trans_a, %{{.*}} trans_b, %[[P]] :
  %q = tile.wgmma %a trans_a, %bt trans_b, %p : !tile.shared<64x64xbf16, #a>, !tile.shared<64x128xbf16, #bt>, !tile.pending<tensor<64x128xf32, #acc>> -> !tile.pending<tensor<64x128xf32, #acc>>
  // CHECK: %[[R:.*]] = tile.wgmma %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x64xbf16, #acc64>, <128x64xbf16, #sw128_128x64x2>, tensor<64x128xf32, #acc128> -> <tensor<64x128xf32, #acc128>>
  %s = tile.wgmma %r, %b, %c : tensor<64x64xbf16, #wg>, !tile.shared<128x64xbf16, #b>, tensor<64x128xf32, #acc> -> !tile.pending<tensor<64x128xf32, #acc>>
  // CHECK: tile.wgmma_commit
  tile.wgmma_commit
  // CHECK: tile.wgmma_wait 1
  tile.wgmma_wait 1
  // CHECK: tile.wgmma_wait 0(%[[Q]], %[[R]] : {{.*}}) keep(%{{.*}} : tensor<64x64xbf16, #acc64>) : tensor<64x128xf32, #acc128>, tensor<64x128xf32, #acc128>
  %x, %y = tile.wgmma_wait 0 (%q, %s : !tile.pending<tensor<64x128xf32, #acc>>, !tile.pending<tensor<64x128xf32, #acc>>) keep (%r : tensor<64x64xbf16, #wg>) : tensor<64x128xf32, #acc>, tensor<64x128xf32, #acc>
  return
}
