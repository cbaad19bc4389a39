// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

module attributes {k3.mesh = #k3.mesh<pp = 1, dp = 1, tp = 2, ep = 1, cp = 1>} {
  func.func @pack(%a: tensor<256x192xbf16>) {
    // CHECK: k3.rank_slice %{{.*}} dim 0 over "tp" : tensor<256x192xbf16> -> tensor<128x192xbf16>
    %0 = k3.rank_slice %a dim 0 over "tp" : tensor<256x192xbf16> -> tensor<128x192xbf16>
    return
  }
}
