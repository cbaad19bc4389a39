// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

func.func @pack(%a: tensor<1154x192xbf16>) {
  // CHECK: k3.pad %{{.*}} dim 0 : tensor<1154x192xbf16> -> tensor<1168x192xbf16>
  %0 = k3.pad %a dim 0 : tensor<1154x192xbf16> -> tensor<1168x192xbf16>
  return
}
