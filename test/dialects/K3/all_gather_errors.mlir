// RUN: k3-opt %s -split-input-file -verify-diagnostics

module attributes {k3.mesh = #k3.mesh<pp = 1, dp = 1, tp = 2, ep = 1, cp = 1>} {
  func.func @f(%x: tensor<?x64xf32>) {
    // expected-error@+1 {{result is [?, 64], expected [?, 128]}}
    %0 = k3.all_gather %x over ["tp"] {dim = 1 : i64} : tensor<?x64xf32> -> tensor<?x64xf32>
    return
  }
}

// -----

func.func @f(%x: tensor<?x64xf32>) {
  // expected-error@+1 {{dim 2 is not a dimension of 'tensor<?x64xf32>'}}
  %0 = k3.all_gather %x over ["tp"] {dim = 2 : i64} : tensor<?x64xf32> -> tensor<?x64xf32>
  return
}

// -----

func.func @f(%x: tensor<?x64xf32>) {
  // expected-error@+1 {{changes elements from 'f32' to 'bf16'}}
  %0 = k3.all_gather %x over ["tp"] : tensor<?x64xf32> -> tensor<?x64xbf16>
  return
}
