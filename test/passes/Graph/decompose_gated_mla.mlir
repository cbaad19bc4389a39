// RUN: k3-opt %s --k3-graph-decompose | FileCheck %s

// Query and latent projections are one product; kv_b keeps its rows, a head at a time; the gate comes last.

!h = tensor<?x192xf32>
k3.weight @q_a : tensor<64x192xbf16> from "q_a"
k3.weight @q_a_norm : tensor<64xbf16> from "q_a_norm"
k3.weight @q_b : tensor<384x64xbf16> from "q_b"
k3.weight @kv_a : tensor<576x192xbf16> from "kv_a"
k3.weight @kv_a_norm : tensor<512xbf16> from "kv_a_norm"
k3.weight @kv_b : tensor<512x512xbf16> from "kv_b"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @o : tensor<192x256xbf16> from "o"
k3.state @latent paged page 64 : tensor<576xf32>

// CHECK: k3.packed @qkv_a : tensor<640x192xf32>
// CHECK: k3.packed @kv_b.packed : tensor<2x256x512xf32>
// CHECK: k3.reshape {{.*}} : tensor<512x512xbf16> -> tensor<2x256x512xbf16>

// CHECK: func.func @f(%[[X:.*]]: tensor<?x192xf32>, %[[B:.*]]: 
func.func @f(%x: !h, %b: !k3.batch) -> !h {
  // CHECK-NEXT: %[[V0:.*]] = k3.linear %[[X]], @qkv_a : tensor<?x192xf32> -> tensor<?x640xf32>
  // CHECK-NEXT: %[[V1:.*]]:2 = k3.split %[[V0]] : tensor<?x640xf32> -> tensor<?x64xf32>, tensor<?x576xf32>
  // CHECK-NEXT: %[[V2:.*]] = k3.rms_norm %[[V1]]#0, @q_a_norm.packed eps 9.9{{[0-9E-]+}} : tensor<?x64xf32> -> tensor<?x64xf32>
  // CHECK-NEXT: %[[V3:.*]] = k3.linear %[[V2]], @q_b.packed : tensor<?x64xf32> -> tensor<?x384xf32>
  // CHECK-NEXT: %[[V4:.*]] = k3.reshape %[[V3]] : tensor<?x384xf32> -> tensor<?x2x192xf32>
  // CHECK-NEXT: k3.mla_append %[[V1]]#1 in %[[B]], @kv_a_norm.packed state @latent eps 9.9{{[0-9E-]+}} : tensor<?x576xf32>
  // CHECK-NEXT: %[[V5:.*]] = k3.mla_core %[[V4]] in %[[B]], @kv_b.packed state @latent : tensor<?x2x192xf32> -> tensor<?x2x128xf32>
  // CHECK-NEXT: %[[V6:.*]] = k3.reshape %[[V5]] : tensor<?x2x128xf32> -> tensor<?x256xf32>
  // CHECK-NEXT: %[[V7:.*]] = k3.linear %[[X]], @g.packed : tensor<?x192xf32> -> tensor<?x256xf32>
  // CHECK-NEXT: %[[V8:.*]] = k3.sigmoid_gate %[[V6]], %[[V7]] : tensor<?x256xf32>
  // CHECK-NEXT: %[[V9:.*]] = k3.linear %[[V8]], @o.packed : tensor<?x256xf32> -> tensor<?x192xf32>
  // CHECK-NEXT: return %[[V9]] : tensor<?x192xf32>
  %0 = k3.gated_mla %x in %b weights {q_a = @q_a, q_a_norm = @q_a_norm, q_b = @q_b, kv_a = @kv_a, kv_a_norm = @kv_a_norm, kv_b = @kv_b, g = @g, o = @o} state {latent = @latent} heads 2 nope 128 rope 64 v 128 norm_eps 1.0e-6 : !h -> !h
  return %0 : !h
}
