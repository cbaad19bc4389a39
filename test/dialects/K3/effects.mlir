// RUN: k3-opt %s -cse -canonicalize | FileCheck %s

// Ops on state and taps are neither merged nor removed; value ops are.

k3.state @s paged page 64 : tensor<576xf32>
k3.state @r recurrent : tensor<2x128x128xf32>
k3.weight @norm : tensor<512xf32> from "norm"
k3.weight @w : tensor<4x4xf32> from "w"
k3.weight @kv_b : tensor<2x256x512xf32> from "kv_b"

// CHECK-LABEL: @unused_value_is_removed
func.func @unused_value_is_removed(%x: tensor<?x4xf32>) {
  // CHECK-NEXT: return
  %0 = k3.linear %x, @w : tensor<?x4xf32> -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: @equal_values_merge
func.func @equal_values_merge(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  // CHECK-NEXT: %[[Y:.*]] = k3.linear
  // CHECK-NEXT: return %[[Y]], %[[Y]]
  %0 = k3.linear %x, @w : tensor<?x4xf32> -> tensor<?x4xf32>
  %1 = k3.linear %x, @w : tensor<?x4xf32> -> tensor<?x4xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// The read after the write is another value than the one before.
// CHECK-LABEL: @reads_around_a_write
func.func @reads_around_a_write(%q: tensor<?x2x192xf32>, %kv: tensor<?x576xf32>, %b: !k3.batch) -> (tensor<?x2x128xf32>, tensor<?x2x128xf32>) {
  // CHECK-NEXT: %[[O0:.*]] = k3.mla_core
  // CHECK-NEXT: k3.mla_append
  // CHECK-NEXT: %[[O1:.*]] = k3.mla_core
  // CHECK-NEXT: return %[[O0]], %[[O1]]
  %0 = k3.mla_core %q in %b, @kv_b state @s : tensor<?x2x192xf32> -> tensor<?x2x128xf32>
  k3.mla_append %kv in %b, @norm state @s eps 1.0e-6 : tensor<?x576xf32>
  %1 = k3.mla_core %q in %b, @kv_b state @s : tensor<?x2x192xf32> -> tensor<?x2x128xf32>
  return %0, %1 : tensor<?x2x128xf32>, tensor<?x2x128xf32>
}

// CHECK-LABEL: @writer_stays
func.func @writer_stays(%q: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>, %b: !k3.batch) {
  // CHECK-NEXT: k3.kda_core
  %0 = k3.kda_core %q, %q, %q, %q, %beta in %b state @r : tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2xf32> -> tensor<?x2x128xf32>
  return
}

// CHECK-LABEL: @tap_stays
func.func @tap_stays(%x: tensor<?x4xf32>) {
  // CHECK-NEXT: k3.linear
  // CHECK-NEXT: k3.tap "y"
  %0 = k3.linear %x, @w : tensor<?x4xf32> -> tensor<?x4xf32>
  %1 = k3.tap "y" %0 : tensor<?x4xf32>
  return
}

// CHECK-LABEL: @copies_stay
func.func @copies_stay(%src: tensor<?xi32>, %dst: tensor<?xi32>) {
  // CHECK-NEXT: k3.copy_state
  // CHECK-NEXT: k3.copy_state
  k3.copy_state %src to %dst, @r : tensor<?xi32>, tensor<?xi32>
  k3.copy_state %src to %dst, @r : tensor<?xi32>, tensor<?xi32>
  return
}
