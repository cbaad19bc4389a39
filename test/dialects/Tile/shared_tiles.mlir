// Register tiles against shared memory: ordinary accesses, and 8x8 matrices, straight and transposed.
// RUN: k3-opt %s --verify-roundtrip | FileCheck %s

#a = #tile.layout<mma_a 64>
#bt = #tile.layout<bt>
#sw = #tile.smem<sw128 16 64 2>
#plain = #tile.smem<row_major 16 16 2>
func.func @f(%buffer: !tile.shared<16x64xbf16, #sw>, %small: !tile.shared<16x16xbf16, #plain>) {
  // CHECK: %[[A:.*]] = tile.load_shared %{{.*}} : <16x64xbf16, #sw128_16x64x2> -> tensor<16x64xbf16, #mma_c64>
  %a = tile.load_shared %buffer : !tile.shared<16x64xbf16, #sw> -> tensor<16x64xbf16, #a>
  // CHECK: tile.store_shared %[[A]] -> %{{.*}} : tensor<16x64xbf16, #mma_c64> -> <16x64xbf16, #sw128_16x64x2>
  tile.store_shared %a -> %buffer : tensor<16x64xbf16, #a> -> !tile.shared<16x64xbf16, #sw>
  // CHECK: %[[M:.*]] = tile.ldmatrix %{{.*}} : <16x64xbf16, #sw128_16x64x2> -> tensor<16x64xbf16, #mma_c64>
  %m = tile.ldmatrix %buffer : !tile.shared<16x64xbf16, #sw> -> tensor<16x64xbf16, #a>
  // CHECK: tile.stmatrix %[[M]] -> %{{.*}} : tensor<16x64xbf16, #mma_c64> -> <16x64xbf16, #sw128_16x64x2>
  tile.stmatrix %m -> %buffer : tensor<16x64xbf16, #a> -> !tile.shared<16x64xbf16, #sw>
  // CHECK: %[[T:.*]] = tile.ldmatrix %{{.*}} trans : <16x16xbf16, #row_major16x16x2> -> tensor<16x16xbf16, #bt>
  %t = tile.ldmatrix %small trans : !tile.shared<16x16xbf16, #plain> -> tensor<16x16xbf16, #bt>
  // CHECK: tile.stmatrix %[[T]] -> %{{.*}} trans : tensor<16x16xbf16, #bt> -> <16x16xbf16, #row_major16x16x2>
  tile.stmatrix %t -> %small trans : tensor<16x16xbf16, #bt> -> !tile.shared<16x16xbf16, #plain>
  return
}
