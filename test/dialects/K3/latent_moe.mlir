// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

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
func.func @f(%x: !h) -> !h {
  // CHECK: k3.latent_moe %{{.*}} weights {bias = @bias, down = @down, {{.*}}} top 4 scale 1.000000e+00 renormalize betas 4.000000e+00, 2.500000e+01 eps {{.*}} : tensor<?x192xf32> -> tensor<?x192xf32>
  %0 = k3.latent_moe %x weights {router = @router, bias = @bias, down = @down, up = @up, norm = @norm, w1 = @w1, w2 = @w2, w3 = @w3, s_gate = @s_gate, s_up = @s_up, s_down = @s_down} top 4 scale 1.0 renormalize betas 4.0, 25.0 eps 1.0e-5 : !h -> !h
  return %0 : !h
}
