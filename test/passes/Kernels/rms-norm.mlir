// A row of 7168 over seven warps, a CTA a row, one exchange; w is read behind it.
// RUN: k3-opt %s --k3-build-kernel="family=rms_norm d=7168 rows=129:8192" | FileCheck %s
// Rows that the vectors do not fill have a limit.
// RUN: k3-opt %s --k3-build-kernel="family=rms_norm d=200 rows=1:64" | FileCheck %s --check-prefix=TAIL
// No dependent launch before sm_90a.
// RUN: k3-opt %s --k3-build-kernel="family=rms_norm d=7168 rows=129:8192 target=sm_80" | FileCheck %s --check-prefix=SM80 --implicit-check-not=pdl

// CHECK: #[[ROWS:.*]] = #tile.layout<rows 8 7168 7>
// CHECK: tile.kernel @rms_norm
// CHECK-SAME: !tile.view<7168xf32> {tile.role = #tile.arg_role<constant>}
// CHECK-SAME: k3.launch = {args = ["view 0", "view 1", "view 2", "tokens"]
// CHECK-SAME: tile.min_ctas = 4
// CHECK: tile.alloc "partial" : <7x1xf32, {{.*}}, stages 2>
// CHECK: tile.role "rows" warps 7
// CHECK: tile.pdl_wait
// CHECK-NEXT: tile.pdl_launch
// CHECK: scf.for
// CHECK: tile.load %{{.*}} -> tensor<7168xbf16, #[[ROWS]]>
// CHECK: arith.extf
// CHECK: tile.reduce<add> %{{.*}} dim 0 across<team> scratch
// CHECK: tile.load %{{.*}} : <7168xf32> -> tensor<7168xf32, #[[ROWS]]>
// CHECK: math.rsqrt %{{.*}} fastmath<afn> : f32
// CHECK: arith.truncf
// CHECK: tile.store %{{.*}} cache<streaming>

// TAIL: %[[D:.*]] = arith.constant 200 : i32
// TAIL: tile.load %{{.*}} limit[%[[D]]]
// TAIL: tile.store %{{.*}} limit[%[[D]]]

// SM80: dependent = false
module {}
