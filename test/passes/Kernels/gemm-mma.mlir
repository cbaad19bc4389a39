// mma.sync: all lanes copy slot i + 3 while slot i is multiplied; SituGlu has two tiles of w and two sums.
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=2112 k=7168 rows=65:8192 target=sm_80" | FileCheck %s
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=2112 k=7168 rows=65:8192 target=sm_120a epilogue=situ" | FileCheck %s --check-prefix=SITU

// CHECK: rows_per_unit = 128
// CHECK-SAME: units_per_rows = 17
// CHECK: tile.role "math" warps 8
// CHECK: scf.for
// CHECK: tile.cp_async %{{.*}} limit
// CHECK: tile.cp_async %{{.*}} limit
// CHECK-NEXT: tile.cp_async_commit
// CHECK: scf.for
// CHECK: tile.cp_async_wait 2
// CHECK-NEXT: tile.team_sync
// CHECK: tile.cp_async_commit
// CHECK: tile.ldmatrix
// CHECK: tile.ldmatrix
// CHECK: tile.mma %{{.*}} -> tensor<128x128xf32
// CHECK: tile.cp_async_wait 0
// CHECK-NEXT: tile.team_sync
// CHECK: tile.store %{{.*}} limit

// SITU: tile.alloc "up"
// SITU: tile.mma %{{.*}} -> tensor<128x64xf32
// SITU: tile.mma %{{.*}} -> tensor<128x64xf32
// SITU: tile.rcp
module {}
