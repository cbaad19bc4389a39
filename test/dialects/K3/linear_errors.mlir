// RUN: k3-opt %s -split-input-file -verify-diagnostics

k3.weight @w : tensor<64x128xbf16> from "w"
func.func @f(%x: tensor<?x192xf32>) {
  // expected-error@+1 {{weight @w is [64, 128], x has 192 columns}}
  %0 = k3.linear %x, @w : tensor<?x192xf32> -> tensor<?x64xf32>
  return
}

// -----

k3.weight @w : tensor<64x192xbf16> from "w"
func.func @f(%x: tensor<?x192xf32>) {
  // expected-error@+1 {{weight @w is [64, 192], y has 32 columns}}
  %0 = k3.linear %x, @w : tensor<?x192xf32> -> tensor<?x32xf32>
  return
}

// -----

k3.weight @w : tensor<192xbf16> from "w"
func.func @f(%x: tensor<?x192xf32>) {
  // expected-error@+1 {{weight @w is [192], expected a matrix}}
  %0 = k3.linear %x, @w : tensor<?x192xf32> -> tensor<?x1xf32>
  return
}

// -----

func.func @f(%x: tensor<?x2x96xf32>) {
  // expected-error@+1 {{x is [?, 2, 96], expected 2 dimensions}}
  %0 = k3.linear %x, @w : tensor<?x2x96xf32> -> tensor<?x64xf32>
  return
}

// -----

func.func @f(%x: tensor<?x192xf32>) {
  // expected-error@+1 {{y is [4, 64], expected [?, _]}}
  %0 = k3.linear %x, @w : tensor<?x192xf32> -> tensor<4x64xf32>
  return
}

// -----

module attributes {k3.mesh = #k3.mesh<pp = 1, dp = 1, tp = 2, ep = 1, cp = 1>} {
  k3.weight @w : tensor<64x192xbf16> from "w"
  k3.weight @n : tensor<64xf32> from "n"
  func.func @f(%x: tensor<?x192xf32>) {
    %0 = k3.linear %x, @w shard <[[], []], partial = ["tp"]> : tensor<?x192xf32> -> tensor<?x64xf32>
    // expected-error@+1 {{a partial value reaches 'k3.rms_norm', reduce it over [tp] first}}
    %1 = k3.rms_norm %0, @n eps 1.0e-5 : tensor<?x64xf32> -> tensor<?x64xf32>
    return
  }
}
