// Global memory by lanes: tiles at a place of a view, with the array's extents as limits; rows picked by index; cp.async by groups.
// RUN: k3-opt %s --verify-roundtrip | FileCheck %s

#rows = #tile.layout<rows 8 256 1>
#acc = #tile.layout<acc 16>
#index = #tile.layout<reg [[8]] lane [[0], [0], [1], [2], [4]] warp [[16], [32]]>
#lanes = #tile.layout<reg [[0, 1], [0, 2], [0, 4]] lane [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]] repeat [reg 2 on 0]>
func.func @f(%x: !tile.view<?x256xbf16>, %picked: tensor<64xi32, #index>, %buffer: !tile.shared<8x64xbf16, #tile.smem<sw128 8 64 2>>,
             %i: i32, %stride: i64) {
  // CHECK: %[[Y:.*]] = tile.strided %{{.*}}, %{{.*}} : <?x256xbf16>, i64 -> <?x256xbf16, strides [?, 1]>
  %y = tile.strided %x, %stride : !tile.view<?x256xbf16>, i64 -> !tile.view<?x256xbf16, strides [?, 1]>
  // CHECK: %[[V:.*]] = tile.load %[[Y]][%{{.*}}, %{{.*}}] : <?x256xbf16, strides [?, 1]> -> tensor<256xbf16, #rows8x256x1>
  %v = tile.load %y[%i, %i] : !tile.view<?x256xbf16, strides [?, 1]> -> tensor<256xbf16, #rows>
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] limit[%{{.*}}, %{{.*}}] cache<read_only> raw : <?x256xbf16> -> tensor<64x16xbf16, #acc16>
  %w = tile.load %x[%i, %i] limit [%i, %i] cache <read_only> raw : !tile.view<?x256xbf16> -> tensor<64x16xbf16, #acc>
  // CHECK: tile.store %[[V]] -> %{{.*}}[%{{.*}}, %{{.*}}] : tensor<256xbf16, #rows8x256x1> -> <?x256xbf16>
  tile.store %v -> %x[%i, %i] : tensor<256xbf16, #rows> -> !tile.view<?x256xbf16>
  // CHECK: tile.store {{.*}} limit[%{{.*}}] cache<streaming>
  tile.store %v -> %x[%i, %i] limit [%i] cache <streaming> : tensor<256xbf16, #rows> -> !tile.view<?x256xbf16>
  // CHECK: tile.gather_load %{{.*}}[%{{.*}}, %{{.*}}] : <?x256xbf16>, tensor<64xi32, #layout> -> tensor<64x16xbf16, #acc16>
  %g = tile.gather_load %x[%picked, %i] : !tile.view<?x256xbf16>, tensor<64xi32, #index> -> tensor<64x16xbf16, #acc>
  // CHECK: tile.cp_async %{{.*}}[%{{.*}}, %{{.*}}] -> %{{.*}} by({{#layout[0-9]*}}) limit[%{{.*}}, %{{.*}}] : <?x256xbf16> -> <8x64xbf16, #sw128_8x64x2>
  tile.cp_async %x[%i, %i] -> %buffer by (#lanes) limit [%i, %i] : !tile.view<?x256xbf16> -> !tile.shared<8x64xbf16, #tile.smem<sw128 8 64 2>>
  // CHECK: tile.cp_async_commit
  tile.cp_async_commit
  // CHECK: tile.cp_async_wait 1
  tile.cp_async_wait 1
  return
}
