// RUN: k3-opt %s --k3-graph-build-pack | FileCheck %s

// Used packed weights are outlined in order; one that no function names goes.

k3.weight @a : tensor<4x8xbf16> from "a"
k3.packed @used : tensor<4x8xf32> {
  %0 = k3.get @a : tensor<4x8xbf16>
  %1 = k3.cast %0 : tensor<4x8xbf16> -> tensor<4x8xf32>
  k3.yield %1 : tensor<4x8xf32>
}
// CHECK-NOT: @unused
k3.packed @unused : tensor<4x8xbf16> { %0 = k3.get @a : tensor<4x8xbf16>  k3.yield %0 : tensor<4x8xbf16> }

func.func @f(%x: tensor<?x8xf32>) -> tensor<?x4xf32> {
  %y = k3.linear %x, @used : tensor<?x8xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// CHECK: func.func @pack() {
// CHECK-NEXT: %[[G:.*]] = k3.get @a : tensor<4x8xbf16>
// CHECK-NEXT: %[[C:.*]] = k3.cast %[[G]]
// CHECK-NEXT: k3.store_packed %[[C]], @used : tensor<4x8xf32>
// CHECK-NEXT: return
