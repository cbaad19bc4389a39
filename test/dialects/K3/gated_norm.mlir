// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

!c = tensor<?x2x128xf32>
k3.weight @w : tensor<128xf32> from "w"
func.func @f(%o: !c, %gate: !c) -> !c {
  // CHECK: k3.gated_norm %{{.*}}, %{{.*}}, @w eps 1.000000e-05 : tensor<?x2x128xf32>, tensor<?x2x128xf32> -> tensor<?x2x128xf32>
  %0 = k3.gated_norm %o, %gate, @w eps 1.0e-5 : !c, !c -> !c
  return %0 : !c
}
