// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

module attributes {k3.mesh = #k3.mesh<pp = 1, dp = 1, tp = 2, ep = 1, cp = 1>} {
  k3.weight @w : tensor<64x192xbf16> from "w"
  func.func @f(%x: tensor<?x192xbf16>) -> (tensor<?x64xf32>, tensor<?x64xbf16>) {
    // CHECK: k3.linear %{{.*}}, @w : tensor<?x192xbf16> -> tensor<?x64xf32>
    %0 = k3.linear %x, @w : tensor<?x192xbf16> -> tensor<?x64xf32>
    // CHECK: k3.linear %{{.*}}, @w shard <{{\[}}[], []], partial = ["tp"]> : tensor<?x192xbf16> -> tensor<?x64xbf16>
    %1 = k3.linear %x, @w shard <[[], []], partial = ["tp"]> : tensor<?x192xbf16> -> tensor<?x64xbf16>
    %2 = k3.all_reduce %1 over ["tp"] : tensor<?x64xbf16> -> tensor<?x64xbf16>
    return %0, %2 : tensor<?x64xf32>, tensor<?x64xbf16>
  }
}
