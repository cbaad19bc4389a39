// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<?x192xf32>) {
  %0 = k3.tap "layer.3.attn_in" %x : tensor<?x192xf32>
  // expected-error@+1 {{name 'layer.3.attn_in' is used twice}}
  %1 = k3.tap "layer.3.attn_in" %x : tensor<?x192xf32>
  return
}

// -----

func.func @f(%x: tensor<?x192xf32>) {
  // expected-error@+1 {{needs a name}}
  %0 = k3.tap "" %x : tensor<?x192xf32>
  return
}
