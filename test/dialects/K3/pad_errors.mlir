// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @pack(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{pads dimension 0 from 8 down to 6}}
  %0 = k3.pad %a dim 0 : tensor<8x4xf32> -> tensor<6x4xf32>
  return
}

// -----

func.func @pack(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{gives [16, 8], expected [_, 4], only dimension 0 may change}}
  %0 = k3.pad %a dim 0 : tensor<8x4xf32> -> tensor<16x8xf32>
  return
}

// -----

func.func @pack(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{dim -1 is not a dimension of 'tensor<8x4xf32>'}}
  %0 = k3.pad %a dim -1 : tensor<8x4xf32> -> tensor<16x4xf32>
  return
}
