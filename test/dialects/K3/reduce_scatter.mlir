// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

module attributes {k3.mesh = #k3.mesh<pp = 1, dp = 1, tp = 2, ep = 1, cp = 1>} {
  func.func @f(%x: tensor<?x64xf32>) {
    // CHECK: k3.reduce_scatter %{{.*}} over ["tp"] {dim = 1 : i64} : tensor<?x64xf32> -> tensor<?x32xf32>
    %0 = k3.reduce_scatter %x over ["tp"] {dim = 1 : i64} : tensor<?x64xf32> -> tensor<?x32xf32>
    return
  }
}
