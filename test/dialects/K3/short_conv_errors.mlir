// RUN: k3-opt %s -split-input-file -verify-diagnostics

k3.weight @w : tensor<768x3xf32> from "w"
func.func @f(%u: tensor<?x768xf32>, %b: !k3.batch) {
  // expected-error@+1 {{weight @w is [768, 3], expected [768, 4]}}
  %0 = k3.short_conv %u in %b, @w state @conv : tensor<?x768xf32> -> tensor<?x768xf32>
  return
}

// -----

k3.weight @w : tensor<768x4xf32> from "w"
k3.state @conv conv : tensor<3x256xf32>
func.func @f(%u: tensor<?x768xf32>, %b: !k3.batch) {
  // expected-error@+1 {{state @conv is [3, 256], expected [3, 768]}}
  %0 = k3.short_conv %u in %b, @w state @conv : tensor<?x768xf32> -> tensor<?x768xf32>
  return
}

// -----

k3.weight @w : tensor<768x4xf32> from "w"
k3.state @conv conv : tensor<3x768xf32>
func.func @f(%u: tensor<?x768xf32>, %b: !k3.batch) {
  // expected-note@+1 {{the first is here}}
  %0 = k3.short_conv %u in %b, @w state @conv : tensor<?x768xf32> -> tensor<?x768xf32>
  // expected-error@+1 {{state @conv is written by two ops of @f}}
  %1 = k3.short_conv %0 in %b, @w state @conv : tensor<?x768xf32> -> tensor<?x768xf32>
  return
}

// -----

k3.weight @w : tensor<768x4xf32> from "w"
func.func @f(%u: tensor<?x768xf32>, %b: !k3.batch) {
  // expected-error@+1 {{names @w, which is a 'k3.weight', expected k3.state}}
  %0 = k3.short_conv %u in %b, @w state @w : tensor<?x768xf32> -> tensor<?x768xf32>
  return
}
