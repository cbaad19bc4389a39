// RUN: k3-opt %s -split-input-file -verify-diagnostics

k3.weight @norm : tensor<192xbf16> from "norm"
k3.weight @head : tensor<256x192xbf16> from "head"
func.func @f(%h: tensor<?x192xf32>, %rows: tensor<?xi32>) {
  // expected-error@+1 {{weight @head is [256, 192], expected [512, 192]}}
  %0 = k3.lm_head %h[%rows], @norm, @head eps 1.0e-5 : tensor<?x192xf32>, tensor<?xi32> -> tensor<?x512xf32>
  return
}

// -----

func.func @f(%h: tensor<?x192xf32>, %rows: tensor<?xi32>) {
  // expected-error@+1 {{logits is [4, 256], expected [?, _]}}
  %0 = k3.lm_head %h[%rows], @norm, @head eps 1.0e-5 : tensor<?x192xf32>, tensor<?xi32> -> tensor<4x256xf32>
  return
}

// -----

k3.state @norm paged page 64 : tensor<192xf32>
k3.weight @head : tensor<256x192xbf16> from "head"
func.func @f(%h: tensor<?x192xf32>, %rows: tensor<?xi32>) {
  // expected-error@+1 {{names @norm, which is a 'k3.state', expected k3.weight or k3.packed}}
  %0 = k3.lm_head %h[%rows], @norm, @head eps 1.0e-5 : tensor<?x192xf32>, tensor<?xi32> -> tensor<?x256xf32>
  return
}
