// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

func.func @pack(%a: tensor<8x4xf32>, %m: !k3.mx<8x32, e2m1>) {
  // CHECK: k3.interleave %{{.*}}, %{{.*}} group 4 : tensor<8x4xf32> -> tensor<16x4xf32>
  %0 = k3.interleave %a, %a group 4 : tensor<8x4xf32> -> tensor<16x4xf32>
  // CHECK: k3.interleave %{{.*}}, %{{.*}} group 8 : !k3.mx<8x32, e2m1> -> !k3.mx<16x32, e2m1>
  %1 = k3.interleave %m, %m group 8 : !k3.mx<8x32, e2m1> -> !k3.mx<16x32, e2m1>
  return
}
