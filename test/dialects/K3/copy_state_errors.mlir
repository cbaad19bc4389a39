// RUN: k3-opt %s -split-input-file -verify-diagnostics

k3.weight @w : tensor<4xf32> from "w"
func.func @f(%src: tensor<?xi32>, %dst: tensor<?xi32>) {
  // expected-error@+1 {{names @w, which is a 'k3.weight', expected k3.state}}
  k3.copy_state %src to %dst, @w : tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @f(%src: tensor<2xi32>, %dst: tensor<3xi32>) {
  // expected-error@+1 {{dst is [3], expected [2]}}
  k3.copy_state %src to %dst, @s : tensor<2xi32>, tensor<3xi32>
  return
}
