// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @f(%r: tensor<?x4xf32>) {
  // expected-error@+1 {{top 5 exceeds 4 experts}}
  %0, %1 = k3.route %r, @bias top 5 scale 1.0 : tensor<?x4xf32> -> tensor<?x5xi32>, tensor<?x5xf32>
  return
}

// -----

func.func @f(%r: tensor<?x16xf32>) {
  // expected-error@+1 {{ids is [?, 3], expected [?, 4]}}
  %0, %1 = k3.route %r, @bias top 4 scale 1.0 : tensor<?x16xf32> -> tensor<?x3xi32>, tensor<?x4xf32>
  return
}

// -----

k3.weight @bias : tensor<8xf32> from "bias"
func.func @f(%r: tensor<?x16xf32>) {
  // expected-error@+1 {{bias @bias is [8], expected [16]}}
  %0, %1 = k3.route %r, @bias top 4 scale 1.0 : tensor<?x16xf32> -> tensor<?x4xi32>, tensor<?x4xf32>
  return
}
