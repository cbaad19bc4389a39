// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @pack(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{needs a permutation of the 2 dimensions}}
  %0 = k3.transpose %a by [1, 1] : tensor<2x3xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @pack(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{result is [2, 3], expected [3, 2]}}
  %0 = k3.transpose %a by [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @pack(%a: !k3.mx<32x32, e2m1>) {
  // expected-error@+1 {{leaves the blocked dimension of an MX tensor last}}
  %0 = k3.transpose %a by [1, 0] : !k3.mx<32x32, e2m1> -> !k3.mx<32x32, e2m1>
  return
}
