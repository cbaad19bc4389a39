// RUN: k3-opt %s --k3-graph-decompose | FileCheck %s

// Router, routed experts in the latent space, and the shared experts on a stream of their own.

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

// CHECK: k3.packed @w13[16] : !k3.mx<128x128, e2m1>
// CHECK: k3.get @w1 : !k3.mx<64x128, e2m1>
// CHECK: k3.get @w3 : !k3.mx<64x128, e2m1>
// CHECK: k3.packed @w2.packed[16] : !k3.mx<128x64, e2m1>
// CHECK: k3.packed @s_gate_up : tensor<256x192xf32>

// CHECK: func.func @f(%[[X:.*]]: tensor<?x192xf32>
func.func @f(%x: !h) -> !h {
  // CHECK-NEXT: %[[V0:.*]] = k3.linear %[[X]], @router.packed : tensor<?x192xf32> -> tensor<?x16xf32>
  // CHECK-NEXT: %[[IDS:.*]], %[[WEIGHTS:.*]] = k3.route %[[V0]], @bias.packed top 4 scale 1.0{{.*}} renormalize : tensor<?x16xf32> -> tensor<?x4xi32>, tensor<?x4xf32>
  // CHECK-NEXT: %[[V1:.*]] = k3.linear %[[X]], @down.packed : tensor<?x192xf32> -> tensor<?x128xf32>
  // CHECK-NEXT: %[[V2:.*]] = k3.experts %[[V1]], %[[IDS]], %[[WEIGHTS]], @w13, @w2.packed betas 4.0{{[0-9e+]*}}, 2.5{{[0-9e+]*}} : tensor<?x128xf32>, tensor<?x4xi32>, tensor<?x4xf32> -> tensor<?x128xf32>
  // CHECK-NEXT: %[[V3:.*]] = k3.rms_norm %[[V2]], @norm.packed eps 1.0{{0*}}e-05 : tensor<?x128xf32> -> tensor<?x128xf32>
  // CHECK-NEXT: %[[V4:.*]] = k3.linear %[[V3]], @up.packed : tensor<?x128xf32> -> tensor<?x192xf32>
  // CHECK-NEXT: %[[V5:.*]] = k3.linear %[[X]], @s_gate_up {k3.stream = 1 : i64} : tensor<?x192xf32> -> tensor<?x256xf32>
  // CHECK-NEXT: %[[V6:.*]] = k3.situ_glu %[[V5]] betas 4.0{{[0-9e+]*}}, 2.5{{[0-9e+]*}} {k3.stream = 1 : i64} : tensor<?x256xf32> -> tensor<?x128xf32>
  // CHECK-NEXT: %[[V7:.*]] = k3.linear %[[V6]], @s_down.packed {k3.stream = 1 : i64} : tensor<?x128xf32> -> tensor<?x192xf32>
  // CHECK-NEXT: %[[V8:.*]] = arith.addf %[[V4]], %[[V7]] : tensor<?x192xf32>
  // CHECK-NEXT: return %[[V8]] : tensor<?x192xf32>
  %0 = k3.latent_moe %x weights {router = @router, bias = @bias, down = @down, up = @up, norm = @norm, w1 = @w1, w2 = @w2, w3 = @w3, s_gate = @s_gate, s_up = @s_up, s_down = @s_down} top 4 scale 1.0 renormalize betas 4.0, 25.0 eps 1.0e-5 : !h -> !h
  return %0 : !h
}
