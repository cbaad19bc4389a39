// RUN: k3-opt %s -split-input-file -verify-diagnostics

module attributes {k3.mesh = #k3.mesh<pp = 1, dp = 1, tp = 2, ep = 1, cp = 1>} {
  func.func @f(%x: tensor<?x65xf32>) {
    // expected-error@+1 {{dimension 1 (65) is not divisible by 2 ranks}}
    %0 = k3.reduce_scatter %x over ["tp"] {dim = 1 : i64} : tensor<?x65xf32> -> tensor<?x32xf32>
    return
  }
}

// -----

k3.weight @w : tensor<64x64xf32> from "w"
func.func @f(%x: tensor<?x64xf32>) {
  %0 = k3.linear %x, @w shard <[[], []], partial = ["dp"]> : tensor<?x64xf32> -> tensor<?x64xf32>
  // expected-error@+1 {{operand is not partial over [tp]}}
  %1 = k3.reduce_scatter %0 over ["tp"] : tensor<?x64xf32> -> tensor<?x64xf32>
  return
}
