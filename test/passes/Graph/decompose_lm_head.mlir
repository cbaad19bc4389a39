// RUN: k3-opt %s --k3-graph-decompose | FileCheck %s

// Only the rows whose logits are asked for are normed and multiplied.

k3.weight @norm : tensor<192xbf16> from "norm"
k3.weight @head : tensor<256x192xbf16> from "head"

// CHECK: k3.packed @norm.packed : tensor<192xf32>
// CHECK: k3.packed @head.packed : tensor<256x192xf32>

// CHECK: func.func @f(%[[X:.*]]: tensor<?x192xf32>, %[[B:.*]]: 
func.func @f(%h: tensor<?x192xf32>, %rows: tensor<?xi32>) -> tensor<?x256xf32> {
  // CHECK-NEXT: %[[V0:.*]] = k3.gather_rows %arg0[%[[B]]] : tensor<?x192xf32>, tensor<?xi32> -> tensor<?x192xf32>
  // CHECK-NEXT: %[[V1:.*]] = k3.rms_norm %[[V0]], @norm.packed eps 1.0{{0*}}e-05 : tensor<?x192xf32> -> tensor<?x192xf32>
  // CHECK-NEXT: %[[V2:.*]] = k3.linear %[[V1]], @head.packed : tensor<?x192xf32> -> tensor<?x256xf32>
  // CHECK-NEXT: return %[[V2]] : tensor<?x256xf32>
  %0 = k3.lm_head %h[%rows], @norm, @head eps 1.0e-5 : tensor<?x192xf32>, tensor<?xi32> -> tensor<?x256xf32>
  return %0 : tensor<?x256xf32>
}
