// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

!i = tensor<?xi32>
// CHECK-LABEL: @f
func.func @f(%cu: !i, %ctx: !i, %read: !i, %write: !i, %table: tensor<?x16xi32>, %draft: !i, %accepted: !i, %slots: !i, %rows: !i) -> !k3.batch {
  // CHECK: k3.batch %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8 : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?x16xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %b = k3.batch %cu, %ctx, %read, %write, %table, %draft, %accepted, %slots, %rows : !i, !i, !i, !i, tensor<?x16xi32>, !i, !i, !i, !i
  return %b : !k3.batch
}
