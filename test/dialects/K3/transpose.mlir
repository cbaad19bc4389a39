// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

func.func @pack(%a: tensor<2x3x4xf32>, %m: !k3.mx<2x3x32, e2m1>) {
  // CHECK: k3.transpose %{{.*}} by [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %0 = k3.transpose %a by [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  // CHECK: k3.transpose %{{.*}} by [1, 0, 2] : !k3.mx<2x3x32, e2m1> -> !k3.mx<3x2x32, e2m1>
  %1 = k3.transpose %m by [1, 0, 2] : !k3.mx<2x3x32, e2m1> -> !k3.mx<3x2x32, e2m1>
  return
}
