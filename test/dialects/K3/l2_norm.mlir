// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

func.func @f(%x: tensor<?x2x128xf32>) -> tensor<?x2x128xf32> {
  // CHECK: k3.l2_norm %{{.*}} eps {{.*}} scale 1.250000e-01 : tensor<?x2x128xf32> -> tensor<?x2x128xf32>
  %0 = k3.l2_norm %x eps 1.0e-6 scale 0.125 : tensor<?x2x128xf32> -> tensor<?x2x128xf32>
  return %0 : tensor<?x2x128xf32>
}
