// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<?x255xf32>) {
  // expected-error@+1 {{input width 255 is odd}}
  %0 = k3.situ_glu %x betas 4.0, 25.0 : tensor<?x255xf32> -> tensor<?x127xf32>
  return
}

// -----

func.func @f(%x: tensor<?x256xf32>) {
  // expected-error@+1 {{y is [?, 256], expected [?, 128]}}
  %0 = k3.situ_glu %x betas 4.0, 25.0 : tensor<?x256xf32> -> tensor<?x256xf32>
  return
}

// -----

func.func @f(%x: tensor<?x256xf32>) {
  // expected-error@+1 {{linear_beta must be positive and finite, got 0}}
  %0 = k3.situ_glu %x betas 4.0, 0.0 : tensor<?x256xf32> -> tensor<?x128xf32>
  return
}
