// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @pack(%a: tensor<8x4xbf16>) {
  // expected-error@+1 {{result is [4, 8], expected [8, 4]}}
  %0 = k3.cast %a : tensor<8x4xbf16> -> tensor<4x8xf32>
  return
}

// -----

func.func @pack(%a: tensor<8x32xbf16>) {
  // expected-error@+1 {{gives an MX tensor, packing never quantises}}
  %0 = k3.cast %a : tensor<8x32xbf16> -> !k3.mx<8x32, e2m1>
  return
}
