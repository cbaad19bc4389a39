// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @pack(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{takes [6, 10) of dimension 0, which has 8}}
  %0 = k3.slice %a dim 0 at 6 : tensor<8x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @pack(%a: !k3.mx<4x64, e2m1>) {
  // expected-error@+1 {{offset 16 is not a multiple of the MX block 32}}
  %0 = k3.slice %a dim 1 at 16 : !k3.mx<4x64, e2m1> -> !k3.mx<4x32, e2m1>
  return
}
