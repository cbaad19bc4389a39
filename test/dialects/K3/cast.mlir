// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

func.func @pack(%a: tensor<8x4xbf16>, %m: !k3.mx<8x32, e2m1>) {
  // CHECK: k3.cast %{{.*}} : tensor<8x4xbf16> -> tensor<8x4xf32>
  %0 = k3.cast %a : tensor<8x4xbf16> -> tensor<8x4xf32>
  // CHECK: k3.cast %{{.*}} : !k3.mx<8x32, e2m1> -> tensor<8x32xbf16>
  %1 = k3.cast %m : !k3.mx<8x32, e2m1> -> tensor<8x32xbf16>
  return
}
