// RUN: k3-opt %s -split-input-file -verify-diagnostics

!h = tensor<?x192xf32>
func.func @f(%x: !h) {
  // expected-error@+1 {{weights lack 'up'}}
  %0 = k3.dense_ffn %x weights {gate = @gate, down = @down} betas 4.0, 25.0 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
func.func @f(%x: !h) {
  // expected-error@+1 {{unknown weight role 'side'}}
  %0 = k3.dense_ffn %x weights {gate = @gate, up = @up, down = @down, side = @x} betas 4.0, 25.0 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
func.func @f(%x: !h) {
  // expected-error@+1 {{weight role 'up' must name a symbol, got 1 : i64}}
  %0 = k3.dense_ffn %x weights {gate = @gate, up = 1 : i64, down = @down} betas 4.0, 25.0 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @gate : tensor<512x192xbf16> from "gate"
k3.weight @up : tensor<256x192xbf16> from "up"
k3.weight @down : tensor<192x512xbf16> from "down"
func.func @f(%x: !h) {
  // expected-error@+1 {{up @up is [256, 192], expected [512, 192]}}
  %0 = k3.dense_ffn %x weights {gate = @gate, up = @up, down = @down} betas 4.0, 25.0 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
func.func @f(%x: !h) {
  // expected-error@+1 {{beta must be positive and finite, got -4}}
  %0 = k3.dense_ffn %x weights {gate = @gate, up = @up, down = @down} betas -4.0, 25.0 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
func.func @f(%x: !h) {
  // expected-error@+1 {{y is [?, 128], expected [?, 192]}}
  %0 = k3.dense_ffn %x weights {gate = @gate, up = @up, down = @down} betas 4.0, 25.0 : !h -> tensor<?x128xf32>
  return
}
