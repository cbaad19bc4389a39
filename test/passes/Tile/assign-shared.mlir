// RUN: k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-assign-shared{arch=sm_90a}))' | FileCheck %s

#sw = #tile.smem<sw128 64 64 2>
#row = #tile.smem<row_major 1 50 4>
#rows = #tile.layout<rows 4 512 4>
#one = #tile.layout<rows 4 128 1>

// Swizzled buffers first, barriers last: 8192 + 2 x 256 - 56, then 24 bytes from the next multiple of 8.
// CHECK-LABEL: tile.kernel @offsets
// CHECK-SAME: shared_bytes = 8688
tile.kernel @offsets() {
  // CHECK: tile.mbar_alloc "full" {offset = 8648 : i64}
  %full = tile.mbar_alloc "full" : !tile.mbar<3, arrivals = 1>
  // CHECK: tile.alloc "scratch" {offset = 8192 : i64}
  %scratch = tile.alloc "scratch" : !tile.shared<1x50xf32, #row, stages 2>
  // CHECK: tile.alloc "tile" {offset = 0 : i64}
  %tile = tile.alloc "tile" : !tile.shared<64x64xbf16, #sw>
  // CHECK: tile.mbar_alloc "empty" {offset = 8672 : i64}
  %empty = tile.mbar_alloc "empty" : !tile.mbar<2, arrivals = 1>
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}

// Every instance has barriers of its own: 1 to 3 for "a", 4 for "b", none for the team of one warp; "pair" has one for each of three
// instances, "all" one.
// CHECK-LABEL: tile.kernel @barriers
tile.kernel @barriers() {
  tile.roles {
    tile.role "a" instances 3 warps 2 (%i) {
      // CHECK: tile.team_sync {id = 1 : i64}
      tile.team_sync
      // CHECK: tile.named_sync "pair" warps 4 per_instance {id = 5 : i64}
      tile.named_sync "pair" warps 4 per_instance
      // CHECK: tile.named_sync "all" warps 11 arrive {id = 8 : i64}
      tile.named_sync "all" warps 11 arrive
      // CHECK: tile.team_sync {id = 1 : i64}
      tile.team_sync
    }
    tile.role "b" warps 4 (%i) {
      // CHECK: tile.team_sync {id = 4 : i64}
      tile.team_sync
      // CHECK: tile.named_sync "all" warps 11 {id = 8 : i64}
      tile.named_sync "all" warps 11
    }
    tile.role "c" warps 1 (%i) {
      // CHECK: tile.team_sync{{$}}
      tile.team_sync
      tile.named_sync "all" warps 11
    }
  }
  tile.return
}

// A reduction across warps synchronises its team, one across lanes does not.
// CHECK-LABEL: tile.kernel @exchange
tile.kernel @exchange(%x: !tile.view<?x512xf32>) {
  %scratch = tile.alloc "scratch" : !tile.shared<4x1xf32, #tile.smem<row_major 4 1 4>>
  %c = arith.constant 0 : i32
  tile.roles {
    tile.role "r" warps 4 (%i) {
      %v = tile.load %x[%c, %c] : !tile.view<?x512xf32> -> tensor<512xf32, #rows>
      // CHECK: tile.reduce<add> {{.*}} {id = 1 : i64}
      %s = tile.reduce<add> %v dim 0 across<team> scratch %scratch : !tile.shared<4x1xf32, #tile.smem<row_major 4 1 4>> : tensor<512xf32, #rows> -> f32
    }
    tile.role "one" warps 1 (%i) {
      %v = tile.load %x[%c, %c] : !tile.view<?x512xf32> -> tensor<128xf32, #one>
      // CHECK: tile.reduce<add>
      // CHECK-NOT: id =
      %s = tile.reduce<add> %v dim 0 : tensor<128xf32, #one> -> f32
    }
  }
  tile.return
}
