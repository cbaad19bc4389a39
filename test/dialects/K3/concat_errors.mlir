// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @pack(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{inputs sum to 8 along dimension 0, the result has 9}}
  %0 = k3.concat %a, %a dim 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @pack(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{dim 2 is not a dimension of 'tensor<8x8xf32>'}}
  %0 = k3.concat %a, %a dim 2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @pack(%a: tensor<4x8xf32>, %b: tensor<4x7xf32>) {
  // expected-error@+1 {{gives [8, 8], expected [_, 7], only dimension 0 may change}}
  %0 = k3.concat %a, %b dim 0 : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @pack(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{changes elements from 'tensor<4x8xf32>' to 'tensor<8x8xbf16>', that is k3.cast's work}}
  %0 = k3.concat %a, %a dim 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xbf16>
  return
}

// -----

func.func @pack(%a: !k3.mx<4x32, e2m1>) {
  // expected-error@+1 {{joins MX tensors along rows only, not along the blocked dimension}}
  %0 = k3.concat %a, %a dim 1 : (!k3.mx<4x32, e2m1>, !k3.mx<4x32, e2m1>) -> !k3.mx<4x64, e2m1>
  return
}

// -----

func.func @step_part(%a: !k3.mx<4x32, e2m1>) {
  // expected-error@+1 {{mx tensors occur only in weights and packing, got a step value}}
  %0 = k3.concat %a, %a dim 0 : (!k3.mx<4x32, e2m1>, !k3.mx<4x32, e2m1>) -> !k3.mx<8x32, e2m1>
  return
}
