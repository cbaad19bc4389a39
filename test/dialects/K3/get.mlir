// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

k3.weight @a_log : tensor<128xf32> from "A_log" used 96
k3.weight @w1[16] : !k3.mx<64x128, e2m1> from "experts.{e}.w1"
k3.packed @p : tensor<96xf32> {
  // CHECK: k3.get @a_log : tensor<96xf32>
  %0 = k3.get @a_log : tensor<96xf32>
  k3.yield %0 : tensor<96xf32>
}
k3.packed @f[16] : !k3.mx<64x128, e2m1> {
  // CHECK: k3.get @w1 : !k3.mx<64x128, e2m1>
  %0 = k3.get @w1 : !k3.mx<64x128, e2m1>
  k3.yield %0 : !k3.mx<64x128, e2m1>
}
func.func @pack() {
  // CHECK: k3.get @a_log
  %0 = k3.get @a_log : tensor<96xf32>
  return
}
