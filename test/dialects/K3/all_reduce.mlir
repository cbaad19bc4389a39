// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

module attributes {k3.mesh = #k3.mesh<pp = 1, dp = 2, tp = 2, ep = 4, cp = 1>} {
  func.func @f(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
    // CHECK: k3.all_reduce %{{.*}} over ["tp", "dp"] : tensor<?x64xf32> -> tensor<?x64xf32>
    %0 = k3.all_reduce %x over ["tp", "dp"] : tensor<?x64xf32> -> tensor<?x64xf32>
    return %0 : tensor<?x64xf32>
  }
}
