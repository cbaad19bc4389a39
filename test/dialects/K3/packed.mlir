// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

k3.weight @norm : tensor<192xbf16> from "norm"
k3.weight @w1[16] : !k3.mx<64x128, e2m1> from "experts.{e}.w1"
// CHECK: k3.packed @query : tensor<192xf32> {
// CHECK: k3.yield %{{.*}} : tensor<192xf32>
k3.packed @query : tensor<192xf32> {
  %n = k3.get @norm : tensor<192xbf16>
  %f = k3.cast %n : tensor<192xbf16> -> tensor<192xf32>
  %c = arith.mulf %f, %f : tensor<192xf32>
  k3.yield %c : tensor<192xf32>
}
// CHECK: k3.packed @family[16] : !k3.mx<64x128, e2m1> shard <{{\[}}["ep"], []]> {
k3.packed @family[16] : !k3.mx<64x128, e2m1> shard <[["ep"], []]> {
  %0 = k3.get @w1 : !k3.mx<64x128, e2m1>
  k3.yield %0 : !k3.mx<64x128, e2m1>
}
