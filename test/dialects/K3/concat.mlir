// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

func.func @pack(%a: tensor<4x8xbf16>, %b: tensor<2x8xbf16>, %m: !k3.mx<4x32, e2m1>) {
  // CHECK: k3.concat %{{.*}}, %{{.*}} dim 0 : (tensor<4x8xbf16>, tensor<2x8xbf16>) -> tensor<6x8xbf16>
  %0 = k3.concat %a, %b dim 0 : (tensor<4x8xbf16>, tensor<2x8xbf16>) -> tensor<6x8xbf16>
  // CHECK: k3.concat %{{.*}}, %{{.*}} dim 1 : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x16xbf16>
  %1 = k3.concat %a, %a dim 1 : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x16xbf16>
  // CHECK: k3.concat %{{.*}}, %{{.*}} dim 0 : (!k3.mx<4x32, e2m1>, !k3.mx<4x32, e2m1>) -> !k3.mx<8x32, e2m1>
  %2 = k3.concat %m, %m dim 0 : (!k3.mx<4x32, e2m1>, !k3.mx<4x32, e2m1>) -> !k3.mx<8x32, e2m1>
  return
}
