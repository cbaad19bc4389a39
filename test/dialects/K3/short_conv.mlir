// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

k3.weight @w : tensor<768x4xf32> from "w"
k3.state @conv conv : tensor<3x768xf32>
func.func @f(%u: tensor<?x768xf32>, %b: !k3.batch) -> tensor<?x768xf32> {
  // CHECK: k3.short_conv %{{.*}} in %{{.*}}, @w state @conv : tensor<?x768xf32> -> tensor<?x768xf32>
  %0 = k3.short_conv %u in %b, @w state @conv : tensor<?x768xf32> -> tensor<?x768xf32>
  return %0 : tensor<?x768xf32>
}
