// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<?x2x128xf32>) {
  // expected-error@+1 {{requires the same shape for all operands and results}}
  %0 = k3.l2_norm %x eps 1.0e-6 scale 1.0 : tensor<?x2x128xf32> -> tensor<?x256xf32>
  return
}

// -----

func.func @f(%x: tensor<?x2x128xf32>) {
  // expected-error@+1 {{eps must be positive and finite, got 0}}
  %0 = k3.l2_norm %x eps 0.0 scale 1.0 : tensor<?x2x128xf32> -> tensor<?x2x128xf32>
  return
}

// -----

func.func @f(%x: tensor<?x2x128xf32>) {
  // expected-error@+1 {{scale must be finite}}
  %0 = k3.l2_norm %x eps 1.0e-6 scale 0x7FF0000000000000 : tensor<?x2x128xf32> -> tensor<?x2x128xf32>
  return
}
