// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @pack(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{8 rows are not a multiple of group 3}}
  %0 = k3.interleave %a, %a group 3 : tensor<8x4xf32> -> tensor<16x4xf32>
  return
}

// -----

func.func @pack(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{result is [8, 4], expected [16, 4]}}
  %0 = k3.interleave %a, %a group 4 : tensor<8x4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @pack(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{group must be positive, got 0}}
  %0 = k3.interleave %a, %a group 0 : tensor<8x4xf32> -> tensor<16x4xf32>
  return
}
