// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

k3.weight @w : tensor<4xf32> from "w"
k3.packed @p : tensor<4xf32> {
  %0 = k3.get @w : tensor<4xf32>
  k3.yield %0 : tensor<4xf32>
}
func.func @pack() {
  %0 = k3.get @w : tensor<4xf32>
  // CHECK: k3.store_packed %{{.*}}, @p : tensor<4xf32>
  k3.store_packed %0, @p : tensor<4xf32>
  return
}
