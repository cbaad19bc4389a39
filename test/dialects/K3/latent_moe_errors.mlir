// RUN: k3-opt %s -split-input-file -verify-diagnostics

!h = tensor<?x192xf32>
func.func @f(%x: !h) {
  // expected-error@+1 {{weights lack 's_up'}}
  %0 = k3.latent_moe %x weights {router = @router, bias = @bias, down = @down, up = @up, norm = @norm, w1 = @w1, w2 = @w2, w3 = @w3, s_gate = @s_gate, s_down = @s_down} top 4 scale 1.0 renormalize betas 4.0, 25.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
func.func @f(%x: !h) {
  // expected-error@+1 {{unknown weight role 'w13'}}
  %0 = k3.latent_moe %x weights {router = @router, bias = @bias, down = @down, up = @up, norm = @norm, w1 = @w1, w2 = @w2, w3 = @w3, s_gate = @s_gate, s_up = @s_up, s_down = @s_down, w13 = @w1} top 4 scale 1.0 renormalize betas 4.0, 25.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @router : tensor<16x192xbf16> from "router"
k3.weight @bias : tensor<16xf32> from "bias"
k3.weight @down : tensor<128x192xbf16> from "down"
k3.weight @up : tensor<192x128xbf16> from "up"
k3.weight @norm : tensor<128xbf16> from "norm"
k3.weight @w1[16] : !k3.mx<64x128, e2m1> from "w1.{e}"
k3.weight @w2[16] : !k3.mx<128x64, e2m1> from "w2.{e}"
k3.weight @w3[16] : !k3.mx<64x128, e2m1> from "w3.{e}"
k3.weight @s_gate : tensor<128x192xbf16> from "s_gate"
k3.weight @s_up : tensor<128x192xbf16> from "s_up"
k3.weight @s_down : tensor<192x128xbf16> from "s_down"
func.func @f(%x: !h) {
  // expected-error@+1 {{top 17 exceeds 16 experts}}
  %0 = k3.latent_moe %x weights {router = @router, bias = @bias, down = @down, up = @up, norm = @norm, w1 = @w1, w2 = @w2, w3 = @w3, s_gate = @s_gate, s_up = @s_up, s_down = @s_down} top 17 scale 1.0 renormalize betas 4.0, 25.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
func.func @f(%x: !h) {
  // expected-error@+1 {{top must be positive, got 0}}
  %0 = k3.latent_moe %x weights {router = @router, bias = @bias, down = @down, up = @up, norm = @norm, w1 = @w1, w2 = @w2, w3 = @w3, s_gate = @s_gate, s_up = @s_up, s_down = @s_down} top 0 scale 1.0 renormalize betas 4.0, 25.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @router : tensor<16x192xbf16> from "router"
k3.weight @bias : tensor<16xf32> from "bias"
k3.weight @down : tensor<128x192xbf16> from "down"
k3.weight @up : tensor<192x128xbf16> from "up"
k3.weight @norm : tensor<128xbf16> from "norm"
k3.weight @w1[8] : !k3.mx<64x128, e2m1> from "w1.{e}"
k3.weight @w2[16] : !k3.mx<128x64, e2m1> from "w2.{e}"
k3.weight @w3[16] : !k3.mx<64x128, e2m1> from "w3.{e}"
k3.weight @s_gate : tensor<128x192xbf16> from "s_gate"
k3.weight @s_up : tensor<128x192xbf16> from "s_up"
k3.weight @s_down : tensor<192x128xbf16> from "s_down"
func.func @f(%x: !h) {
  // expected-error@+1 {{w1 @w1 has 8 members, the router has 16 rows}}
  %0 = k3.latent_moe %x weights {router = @router, bias = @bias, down = @down, up = @up, norm = @norm, w1 = @w1, w2 = @w2, w3 = @w3, s_gate = @s_gate, s_up = @s_up, s_down = @s_down} top 4 scale 1.0 renormalize betas 4.0, 25.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @router : tensor<16x192xbf16> from "router"
k3.weight @bias : tensor<16xf32> from "bias"
k3.weight @down : tensor<128x192xbf16> from "down"
k3.weight @up : tensor<192x128xbf16> from "up"
k3.weight @norm : tensor<128xbf16> from "norm"
k3.weight @w1[16] : !k3.mx<64x128, e2m1> from "w1.{e}"
k3.weight @w2[16] : !k3.mx<128x64, e2m1> from "w2.{e}"
k3.weight @w3 : tensor<64x128xbf16> from "w3"
k3.weight @s_gate : tensor<128x192xbf16> from "s_gate"
k3.weight @s_up : tensor<128x192xbf16> from "s_up"
k3.weight @s_down : tensor<192x128xbf16> from "s_down"
func.func @f(%x: !h) {
  // expected-error@+1 {{names @w3, a single weight, expected a family}}
  %0 = k3.latent_moe %x weights {router = @router, bias = @bias, down = @down, up = @up, norm = @norm, w1 = @w1, w2 = @w2, w3 = @w3, s_gate = @s_gate, s_up = @s_up, s_down = @s_down} top 4 scale 1.0 renormalize betas 4.0, 25.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @router : tensor<16x192xbf16> from "router"
k3.weight @bias : tensor<16xf32> from "bias"
k3.weight @down : tensor<128x192xbf16> from "down"
k3.weight @up : tensor<192x128xbf16> from "up"
k3.weight @norm : tensor<128xbf16> from "norm"
k3.weight @w1[16] : !k3.mx<64x128, e2m1> from "w1.{e}"
k3.weight @w2[16] : !k3.mx<128x32, e2m1> from "w2.{e}"
k3.weight @w3[16] : !k3.mx<64x128, e2m1> from "w3.{e}"
k3.weight @s_gate : tensor<128x192xbf16> from "s_gate"
k3.weight @s_up : tensor<128x192xbf16> from "s_up"
k3.weight @s_down : tensor<192x128xbf16> from "s_down"
func.func @f(%x: !h) {
  // expected-error@+1 {{w2 @w2 is [128, 32], expected [128, 64]}}
  %0 = k3.latent_moe %x weights {router = @router, bias = @bias, down = @down, up = @up, norm = @norm, w1 = @w1, w2 = @w2, w3 = @w3, s_gate = @s_gate, s_up = @s_up, s_down = @s_down} top 4 scale 1.0 renormalize betas 4.0, 25.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @router : tensor<16x192xbf16> from "router"
k3.weight @bias : tensor<16xf32> from "bias"
k3.weight @down : tensor<128x192xbf16> from "down"
k3.weight @up : tensor<192x128xbf16> from "up"
k3.weight @norm : tensor<192xbf16> from "norm"
k3.weight @w1[16] : !k3.mx<64x128, e2m1> from "w1.{e}"
k3.weight @w2[16] : !k3.mx<128x64, e2m1> from "w2.{e}"
k3.weight @w3[16] : !k3.mx<64x128, e2m1> from "w3.{e}"
k3.weight @s_gate : tensor<128x192xbf16> from "s_gate"
k3.weight @s_up : tensor<128x192xbf16> from "s_up"
k3.weight @s_down : tensor<192x128xbf16> from "s_down"
func.func @f(%x: !h) {
  // expected-error@+1 {{norm @norm is [192], expected [128]}}
  %0 = k3.latent_moe %x weights {router = @router, bias = @bias, down = @down, up = @up, norm = @norm, w1 = @w1, w2 = @w2, w3 = @w3, s_gate = @s_gate, s_up = @s_up, s_down = @s_down} top 4 scale 1.0 renormalize betas 4.0, 25.0 eps 1.0e-5 : !h -> !h
  return
}
