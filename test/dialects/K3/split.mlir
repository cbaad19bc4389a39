// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

func.func @f(%x: tensor<?x272xf32>) {
  // CHECK: %{{.*}}:3 = k3.split %{{.*}} : tensor<?x272xf32> -> tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x14xf32>
  %0:3 = k3.split %x : tensor<?x272xf32> -> tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x14xf32>
  return
}
