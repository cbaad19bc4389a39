// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

module attributes {k3.mesh = #k3.mesh<pp = 1, dp = 1, tp = 2, ep = 1, cp = 1>} {
  func.func @f(%x: tensor<?x64xf32>) {
    // CHECK: k3.all_gather %{{.*}} over ["tp"] {dim = 1 : i64} : tensor<?x64xf32> -> tensor<?x128xf32>
    %0 = k3.all_gather %x over ["tp"] {dim = 1 : i64} : tensor<?x64xf32> -> tensor<?x128xf32>
    // CHECK: k3.all_gather %{{.*}} over ["tp"] : tensor<?x64xf32> -> tensor<?x64xf32>
    %1 = k3.all_gather %x over ["tp"] : tensor<?x64xf32> -> tensor<?x64xf32>
    return
  }
}
