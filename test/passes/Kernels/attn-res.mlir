// Many rows: a copy warp fills a ring of rows; batches of three sources are read for their logits, exchanged, and read again.
// RUN: k3-opt %s --k3-build-kernel="family=attn_res d=7168 sources=9 rows=265:8192 writes-bank=true" | FileCheck %s
// One row: split over a cluster of eight, which is known to run before any CTA writes into another.
// RUN: k3-opt %s --k3-build-kernel="family=attn_res d=7168 sources=9 rows=1:16" | FileCheck %s --check-prefix=CLUSTER
// One source has weight 1: no logits, no exponentials.
// RUN: k3-opt %s --k3-build-kernel="family=attn_res d=7168 sources=1 rows=265:8192 adds-delta=false norm=false" | FileCheck %s --check-prefix=ONE --implicit-check-not=exp2 --implicit-check-not=tile.reduce
// Without a copy engine sources are read twice from global memory.
// RUN: k3-opt %s --k3-build-kernel="family=attn_res d=256 sources=2 rows=1:64 adds-delta=false target=sm_80" | FileCheck %s --check-prefix=PLAIN --implicit-check-not=mbar

// CHECK: tile.mbar_alloc "rows_empty" : <15, arrivals = 14>
// CHECK: tile.alloc "slots" : <7168xbf16, {{.*}}, stages 15>
// CHECK: tile.role "mix" warps 14
// CHECK: tile.pdl_wait
// prefix and delta: p is stored twice, its slots are given back at once.
// CHECK: tile.load_shared
// CHECK-NEXT: tile.mbar_arrive
// CHECK: tile.load_shared
// CHECK-NEXT: tile.mbar_arrive
// CHECK: tile.store
// CHECK-NEXT: tile.store
// CHECK: tile.reduce<add> %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} dim 0 across<team>
// CHECK: math.exp2
// CHECK: tile.load_shared
// CHECK: math.fma
// CHECK: tile.mbar_arrive
// CHECK-COUNT-3: tile.reduce<add>
// CHECK: tile.store
// CHECK: tile.role "copy" warps 1
// CHECK: tile.pdl_wait
// CHECK-COUNT-10: tile.bulk_load
// CHECK: tile.pdl_launch

// CLUSTER: cluster = array<i32: 8, 1, 1>
// CLUSTER-SAME: units_per_rows = 8
// CLUSTER: tile.role "mix" warps 4
// CLUSTER: tile.cluster_arrive relaxed
// CLUSTER: tile.pdl_wait
// CLUSTER: tile.cluster_wait
// CLUSTER-COUNT-10: tile.load %{{.*}} raw
// CLUSTER: tile.reduce<add> %{{.*}} across<cluster>
// CLUSTER: tile.reduce<add> %{{.*}} across<cluster>

// ONE: args = ["view 0", "view 2", "view 5", "tokens"]
// ONE: tile.bulk_load

// PLAIN: tile.load %[[BANK:.*]][%[[ROW:.*]], %{{.*}}] raw
// PLAIN: tile.load %[[OTHER:.*]][%[[ROW]], %{{.*}}] raw
// PLAIN: tile.reduce<add> %{{.*}} across<team>
// PLAIN: tile.load %[[OTHER]][%[[ROW]], %{{.*}}] raw
module {}
