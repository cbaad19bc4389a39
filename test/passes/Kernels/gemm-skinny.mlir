// Few rows: w is operand a, 56 rows of a tile so that 7168 are a tile a CTA; the ring's weights come before the wait.
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=7168 k=12288 rows=1:8" | FileCheck %s
// SituGlu: gate and up meet through shared memory.
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=7168 k=12288 rows=9:16 epilogue=situ" | FileCheck %s --check-prefix=SITU
// Few columns: sixteen warps split k of 16 rows of w, from global memory to mma.sync; the first warp adds up.
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=2112 k=7168 rows=1:8" | FileCheck %s --check-prefix=MMA
// The same on an architecture without a copy engine.
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=2112 k=7168 rows=9:16 target=sm_86" | FileCheck %s --check-prefix=SM86 --implicit-check-not=mbar --implicit-check-not=pdl
// 128 rows, few tiles: four CTAs share k.
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=2112 k=7168 rows=65:128" | FileCheck %s --check-prefix=SPLIT

// CHECK: units_per_rows = 128
// CHECK: tile.role "math" warps 4
// CHECK: tile.wgmma %{{.*}} : !tile.shared<64x256xbf16, {{.*}}>, <8x256xbf16, {{.*}}> -> <tensor<64x8xf32
// CHECK: tile.trans
// CHECK-NEXT: tile.store
// CHECK: tile.role "load" warps 1
// CHECK: tile.policy<evict_first>
// CHECK-COUNT-24: tile.map_load {{.*}} policy
// CHECK: tile.pdl_wait
// CHECK: tile.map_load
// CHECK: tile.mbar_wait %ring_empty{{.*}} producer

// SITU: tile.alloc "exchange"
// SITU: tile.store_shared
// SITU-NEXT: tile.team_sync
// SITU: tile.load_shared
// SITU: tile.load_shared
// SITU: tile.rcp

// MMA: tile.role "math" instances 16 warps 1 (%[[WARP:.*]])
// MMA-COUNT-4: tile.load %arg1{{.*}} raw
// MMA: tile.pdl_wait
// MMA-COUNT-4: tile.load %arg0{{.*}} raw
// MMA-COUNT-7: tile.mma
// MMA: tile.store_shared
// MMA-NEXT: tile.named_sync "parts" warps 16
// MMA: scf.if
// MMA: tile.reduce<add> %{{.*}} dim 0 :
// MMA: tile.store

// SM86: tile.mma %{{.*}} : tensor<16x64xbf16, {{.*}}>, tensor<16x64xbf16, {{.*}}> -> tensor<16x16xf32

// SPLIT: cluster = array<i32: 4, 1, 1>
// SPLIT: tile.alias %x
// SPLIT: tile.role "math" instances 2 warps 4
// SPLIT: tile.wgmma_wait 0
// SPLIT: tile.named_sync "drained" warps 8
// SPLIT: tile.store_shared
// SPLIT: tile.cluster_arrive
// SPLIT-NEXT: tile.cluster_wait
// SPLIT-COUNT-4: tile.peer
// SPLIT: tile.store %
// SPLIT: tile.cluster_arrive
// SPLIT-NEXT: tile.cluster_wait
// SPLIT: tile.role "load" warps 1
// SPLIT: tile.cluster_wait
// SPLIT: tile.cluster_wait
module {}
