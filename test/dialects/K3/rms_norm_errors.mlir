// RUN: k3-opt %s -split-input-file -verify-diagnostics

k3.weight @w : tensor<128xbf16> from "w"
func.func @f(%x: tensor<?x192xf32>) {
  // expected-error@+1 {{weight @w is [128], expected [192]}}
  %0 = k3.rms_norm %x, @w eps 1.0e-5 : tensor<?x192xf32> -> tensor<?x192xf32>
  return
}

// -----

func.func @f(%x: tensor<?x192xf32>) {
  // expected-error@+1 {{eps must be positive and finite, got -1}}
  %0 = k3.rms_norm %x, @w eps -1.0 : tensor<?x192xf32> -> tensor<?x192xf32>
  return
}

// -----

func.func @f(%x: tensor<?x192xf32>) {
  // expected-error@+1 {{y is [?, 64], expected [?, 192]}}
  %0 = k3.rms_norm %x, @w eps 1.0e-5 : tensor<?x192xf32> -> tensor<?x64xf32>
  return
}
