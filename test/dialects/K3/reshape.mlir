// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

func.func @f(%x: tensor<?x256xf32>) -> tensor<?x2x128xf32> {
  // CHECK: k3.reshape %{{.*}} : tensor<?x256xf32> -> tensor<?x2x128xf32>
  %0 = k3.reshape %x : tensor<?x256xf32> -> tensor<?x2x128xf32>
  return %0 : tensor<?x2x128xf32>
}
func.func @pack(%w: tensor<512x512xbf16>, %m: !k3.mx<8x64, e2m1>) {
  // CHECK: k3.reshape %{{.*}} : tensor<512x512xbf16> -> tensor<2x256x512xbf16>
  %0 = k3.reshape %w : tensor<512x512xbf16> -> tensor<2x256x512xbf16>
  // CHECK: k3.reshape %{{.*}} : !k3.mx<8x64, e2m1> -> !k3.mx<2x4x64, e2m1>
  %1 = k3.reshape %m : !k3.mx<8x64, e2m1> -> !k3.mx<2x4x64, e2m1>
  return
}
