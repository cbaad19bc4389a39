// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

func.func @pack(%a: tensor<2x256x512xbf16>, %m: !k3.mx<4x64, e2m1>) {
  // CHECK: k3.slice %{{.*}} dim 1 at 128 : tensor<2x256x512xbf16> -> tensor<2x128x512xbf16>
  %0 = k3.slice %a dim 1 at 128 : tensor<2x256x512xbf16> -> tensor<2x128x512xbf16>
  // CHECK: k3.slice %{{.*}} dim 1 at 32 : !k3.mx<4x64, e2m1> -> !k3.mx<4x32, e2m1>
  %1 = k3.slice %m dim 1 at 32 : !k3.mx<4x64, e2m1> -> !k3.mx<4x32, e2m1>
  return
}
