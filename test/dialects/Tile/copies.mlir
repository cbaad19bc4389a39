// Copies by the engine: boxes of a map, contiguous bytes of a view; loads complete on a barrier, stores by group.
// RUN: k3-opt %s --verify-roundtrip | FileCheck %s

#sw = #tile.smem<sw128 64 64 2>
#wide = #tile.smem<sw128 64 128 2>
#row = #tile.smem<row_major 2 64 2>
tile.kernel @k(%map: !tile.map<64x64xbf16, swizzle 128> {tile.describes = 1 : i64}, %x: !tile.view<?x64xbf16>,
               %planes: !tile.map<1x2x64xbf16> {tile.describes = 3 : i64}, %p: !tile.view<?x?x64xbf16, strides [?, 64, 1]>)
    attributes {cluster = array<i32: 2>} {
  %tile = tile.alloc "tile" : !tile.shared<64x64xbf16, #sw>
  %two = tile.alloc "two" : !tile.shared<64x128xbf16, #wide>
  %rows = tile.alloc "rows" : !tile.shared<2x64xbf16, #row>
  %full = tile.mbar_alloc "full" : !tile.mbar<2, arrivals = 1>
  %c = tile.cursor : !tile.cursor<2>
  %0 = arith.constant 0 : i32
  %mask = arith.constant 3 : i32
  // CHECK: %[[POLICY:.*]] = tile.policy<evict_first>
  %policy = tile.policy<evict_first>
  tile.roles {
    tile.role "load" warps 1 (%i) {
      tile.elect {
        // CHECK: tile.map_load %{{.*}}[%{{.*}}, %{{.*}}] -> %{{.*}} on %{{.*}}[%{{.*}}] : <64x64xbf16, swizzle 128> -> <64x64xbf16, #sw128_64x64x2>
        tile.map_load %map[%0, %0] -> %tile on %full[%c] : !tile.map<64x64xbf16, swizzle 128> -> !tile.shared<64x64xbf16, #sw>, !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
        %panel = tile.part %two[%i] dim 1 : !tile.shared<64x128xbf16, #wide> -> !tile.shared<64x64xbf16, #sw>
        // CHECK: tile.map_load {{.*}} multicast %{{.*}} policy %[[POLICY]] :
        tile.map_load %map[%0, %0] -> %panel on %full[%0] multicast %mask policy %policy : !tile.map<64x64xbf16, swizzle 128> -> !tile.shared<64x64xbf16, #sw>, !tile.mbar<2, arrivals = 1>, i32
        // A leading extent of 1 is no dimension of the tile.
        // CHECK: tile.map_load {{.*}} : <1x2x64xbf16> -> <2x64xbf16, #row_major2x64x2>
        tile.map_load %planes[%0, %0, %0] -> %rows on %full[%c] : !tile.map<1x2x64xbf16> -> !tile.shared<2x64xbf16, #row>, !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
        // CHECK: tile.map_store %{{.*}} -> %{{.*}}[%{{.*}}, %{{.*}}] : <64x64xbf16, #sw128_64x64x2> -> <64x64xbf16, swizzle 128>
        tile.map_store %tile -> %map[%0, %0] : !tile.shared<64x64xbf16, #sw> -> !tile.map<64x64xbf16, swizzle 128>
        // CHECK: tile.map_store {{.*}} add policy %[[POLICY]]
        tile.map_store %tile -> %map[%0, %0] add policy %policy : !tile.shared<64x64xbf16, #sw> -> !tile.map<64x64xbf16, swizzle 128>
        // CHECK: tile.bulk_load %{{.*}}[%{{.*}}, %{{.*}}] -> %{{.*}} on %{{.*}}[%{{.*}}] policy %[[POLICY]] : <?x64xbf16> -> <2x64xbf16, #row_major2x64x2>, <2, arrivals = 1>, !tile.cursor<2>
        tile.bulk_load %x[%0, %0] -> %rows on %full[%c] policy %policy : !tile.view<?x64xbf16> -> !tile.shared<2x64xbf16, #row>, !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
        // CHECK: tile.bulk_prefetch %{{.*}}[%{{.*}}, %{{.*}}] bytes 128 : <?x64xbf16>
        tile.bulk_prefetch %x[%0, %0] bytes 128 : !tile.view<?x64xbf16>
        // CHECK: tile.bulk_store %{{.*}} -> %{{.*}}[%{{.*}}, %{{.*}}] : <2x64xbf16, #row_major2x64x2> -> <?x64xbf16>
        tile.bulk_store %rows -> %x[%0, %0] : !tile.shared<2x64xbf16, #row> -> !tile.view<?x64xbf16>
        // CHECK: tile.bulk_commit
        tile.bulk_commit
        // CHECK: tile.bulk_wait 1 read
        tile.bulk_wait 1 read
        // CHECK: tile.bulk_wait 0
        tile.bulk_wait 0
      }
    }
  }
  tile.return
}
