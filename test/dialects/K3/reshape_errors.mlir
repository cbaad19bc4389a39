// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<?x256xf32>) {
  // expected-error@+1 {{has 256 elements a row, the result 192}}
  %0 = k3.reshape %x : tensor<?x256xf32> -> tensor<?x192xf32>
  return
}

// -----

func.func @f(%x: tensor<?x256xf32>) {
  // expected-error@+1 {{dimension 0 of an activation stays, got [?, 256] to [4, 256]}}
  %0 = k3.reshape %x : tensor<?x256xf32> -> tensor<4x256xf32>
  return
}

// -----

func.func @f(%x: tensor<?x256xf32>) {
  // expected-error@+1 {{only dimension 0 may be dynamic}}
  %0 = k3.reshape %x : tensor<?x256xf32> -> tensor<?x?xf32>
  return
}

// -----

func.func @pack(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{has 32 elements, the result 16}}
  %0 = k3.reshape %x : tensor<4x8xf32> -> tensor<16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x256xf32>) {
  // expected-error@+1 {{that is k3.cast's work}}
  %0 = k3.reshape %x : tensor<?x256xf32> -> tensor<?x256xbf16>
  return
}

// -----

func.func @f(%x: !k3.mx<8x64, e2m1>) {
  // expected-error@+1 {{mx tensors occur only in weights and packing, got a step value}}
  %0 = k3.reshape %x : !k3.mx<8x64, e2m1> -> !k3.mx<2x4x64, e2m1>
  return
}
