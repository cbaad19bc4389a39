// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

k3.weight @bias : tensor<16xf32> from "bias"
func.func @f(%r: tensor<?x16xf32>) {
  // CHECK: k3.route %{{.*}}, @bias top 4 scale 1.000000e+00 renormalize : tensor<?x16xf32> -> tensor<?x4xi32>, tensor<?x4xf32>
  %0, %1 = k3.route %r, @bias top 4 scale 1.0 renormalize : tensor<?x16xf32> -> tensor<?x4xi32>, tensor<?x4xf32>
  // CHECK: k3.route %{{.*}}, @bias top 2 scale 2.500000e+00 : tensor<?x16xf32> -> tensor<?x2xi32>, tensor<?x2xf32>
  %2, %3 = k3.route %r, @bias top 2 scale 2.5 : tensor<?x16xf32> -> tensor<?x2xi32>, tensor<?x2xf32>
  return
}
