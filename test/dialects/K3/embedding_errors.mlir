// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @f(%tokens: tensor<?xi32>) {
  // expected-error@+1 {{names @embed, which does not exist}}
  %0 = k3.embedding %tokens, @embed : tensor<?xi32> -> tensor<?x192xf32>
  return
}

// -----

k3.weight @embed : tensor<256x128xbf16> from "embed"
func.func @f(%tokens: tensor<?xi32>) {
  // expected-error@+1 {{table @embed is [256, 128], expected [_, 192]}}
  %0 = k3.embedding %tokens, @embed : tensor<?xi32> -> tensor<?x192xf32>
  return
}

// -----

k3.weight @embed : tensor<256x192xbf16> from "embed"
func.func @f(%tokens: tensor<?xi32>) {
  // expected-error@+1 {{out is [8, 192], expected [?, _]}}
  %0 = k3.embedding %tokens, @embed : tensor<?xi32> -> tensor<8x192xf32>
  return
}
