// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

k3.weight @norm : tensor<192xbf16> from "norm"
k3.weight @head : tensor<256x192xbf16> from "head"
func.func @f(%h: tensor<?x192xf32>, %rows: tensor<?xi32>) -> tensor<?x256xf32> {
  // CHECK: k3.lm_head %{{.*}}[%{{.*}}], @norm, @head eps 1.000000e-05 : tensor<?x192xf32>, tensor<?xi32> -> tensor<?x256xf32>
  %0 = k3.lm_head %h[%rows], @norm, @head eps 1.0e-5 : tensor<?x192xf32>, tensor<?xi32> -> tensor<?x256xf32>
  return %0 : tensor<?x256xf32>
}
