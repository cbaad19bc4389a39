// A copy warp feeds a ring, two warpgroups multiply and store through staging tiles.
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=33792 k=7168 rows=513:2048" | FileCheck %s
// A residual comes through a ring of its own, from a second copy warp, and is overwritten by y in its slot.
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=12288 k=7168 rows=2049:8192 epilogue=residual" | FileCheck %s --check-prefix=RES
// SituGlu: half of a slot are gate rows, half rows of up; a consumer has both in its registers.
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=512 k=256 rows=2049:8192 epilogue=situ" | FileCheck %s --check-prefix=SITU
// One tile row: weights of all slots come before the wait. Columns that are no power of two go out in chunks of 72.
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=18432 k=1536 rows=65:128" | FileCheck %s --check-prefix=EARLY

// 256 x 128: every warpgroup has two blocks of 64 rows.
// CHECK: tile.kernel @gemm
// CHECK-SAME: !tile.map<256x64xbf16, swizzle 128> {tile.describes = 0 : i64
// CHECK-SAME: !tile.map<128x64xbf16, swizzle 128> {tile.describes = 1 : i64
// CHECK-SAME: ctas_per_sm = 1
// CHECK-SAME: dependent = false
// CHECK: tile.mbar_alloc "ring_full" : <4, arrivals = 1>
// CHECK: tile.mbar_alloc "ring_empty" : <4, arrivals = 8>
// CHECK: tile.role "load" warps 1 regs 24
// CHECK-NEXT: tile.elect
// CHECK-NOT: pdl
// CHECK: tile.mbar_wait %ring_empty{{.*}} producer
// CHECK-NEXT: tile.mbar_expect %ring_full{{.*}} bytes 49152
// CHECK-COUNT-2: tile.map_load
// CHECK: tile.role "math" instances 2 warps 4 regs 240
// CHECK: tile.mbar_wait %ring_full
// CHECK-COUNT-2: tile.wgmma %
// CHECK-NEXT: tile.wgmma_commit
// CHECK: scf.for
// CHECK: tile.wgmma_commit
// CHECK-NEXT: tile.wgmma_wait 1
// CHECK-NEXT: tile.mbar_arrive %ring_empty
// CHECK: tile.wgmma_wait 0({{.*}}) : tensor<64x128xf32, {{.*}}>, tensor<64x128xf32
// CHECK: tile.mbar_arrive %ring_empty
// CHECK: tile.bulk_wait 1 read
// CHECK: tile.team_sync
// CHECK: tile.stmatrix
// CHECK-NEXT: tile.team_sync
// CHECK: tile.map_store
// CHECK-NEXT: tile.bulk_commit
// CHECK: tile.bulk_wait 0 read

// RES: tile.mbar_alloc "extra_empty" : <2, arrivals = 2>
// RES: tile.role "load" instances 2 warps 1 regs 24
// RES: tile.role "math"
// RES: tile.mbar_wait %extra_full
// RES: tile.ldmatrix %[[SLOT:[0-9]+]] :
// RES: arith.addf
// RES: tile.stmatrix %{{.*}} -> %[[SLOT]] :
// RES: tile.map_store %[[SLOT]] ->
// RES: tile.mbar_arrive %extra_empty

// SITU: !tile.view<1024x256xbf16> {tile.role = #tile.arg_role<constant>}
// SITU: %[[N:.*]] = arith.constant 512 : i32
// SITU: arith.addi %{{.*}}, %[[N]]
// SITU: tile.rcp

// EARLY: tile.role "load"
// EARLY-COUNT-5: tile.mbar_expect
// EARLY: tile.pdl_wait
// EARLY-COUNT-5: tile.map_load
// EARLY: tile.mbar_wait %ring_empty{{.*}} producer
// EARLY: tile.map_store {{.*}} : <64x72xbf16
module {}
