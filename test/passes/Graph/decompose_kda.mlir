// RUN: k3-opt %s --k3-graph-decompose | FileCheck %s

// The six projections of the input are one product, rows padded to a multiple of 16; the parts are views of its columns.

!h = tensor<?x192xf32>
k3.weight @q : tensor<256x192xbf16> from "q"
k3.weight @k : tensor<256x192xbf16> from "k"
k3.weight @v : tensor<256x192xbf16> from "v"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @f_a : tensor<128x192xbf16> from "f_a"
k3.weight @f_b : tensor<256x128xbf16> from "f_b"
k3.weight @b : tensor<2x192xbf16> from "b"
k3.weight @conv_q : tensor<256x1x4xf32> from "conv_q"
k3.weight @conv_k : tensor<256x1x4xf32> from "conv_k"
k3.weight @conv_v : tensor<256x1x4xf32> from "conv_v"
k3.weight @a_log : tensor<128xf32> from "a_log" used 2
k3.weight @dt_bias : tensor<256xf32> from "dt_bias"
k3.weight @o_norm : tensor<128xf32> from "o_norm"
k3.weight @o : tensor<192x256xbf16> from "o"
k3.state @s recurrent : tensor<2x128x128xf32>
k3.state @conv conv : tensor<3x768xf32>

// CHECK: k3.packed @in_proj : tensor<1168x192xf32>
// CHECK: k3.concat {{.*}} dim 0 : ({{.*}}) -> tensor<1154x192xbf16>
// CHECK: k3.pad {{.*}} dim 0 : tensor<1154x192xbf16> -> tensor<1168x192xbf16>
// CHECK: k3.packed @conv_w : tensor<768x4xf32>
// CHECK: k3.reshape {{.*}} : tensor<768x1x4xf32> -> tensor<768x4xf32>
// CHECK: k3.packed @f_b.packed : tensor<256x128xf32>
// CHECK: k3.packed @a_log.packed : tensor<2xf32>

// CHECK: func.func @f(%[[X:.*]]: tensor<?x192xf32>, %[[B:.*]]: 
func.func @f(%x: !h, %b: !k3.batch) -> !h {
  // CHECK-NEXT: %[[V0:.*]] = k3.linear %[[X]], @in_proj : tensor<?x192xf32> -> tensor<?x1168xf32>
  // CHECK-NEXT: %[[V1:.*]]:5 = k3.split %[[V0]] : tensor<?x1168xf32> -> tensor<?x768xf32>, tensor<?x2x128xf32>, tensor<?x128xf32>, tensor<?x2xf32>, tensor<?x14xf32>
  // CHECK-NEXT: %[[V2:.*]] = k3.linear %[[V1]]#2, @f_b.packed : tensor<?x128xf32> -> tensor<?x256xf32>
  // CHECK-NEXT: %[[V3:.*]] = k3.short_conv %[[V1]]#0 in %[[B]], @conv_w state @conv : tensor<?x768xf32> -> tensor<?x768xf32>
  // CHECK-NEXT: %[[V4:.*]]:3 = k3.split %[[V3]] : tensor<?x768xf32> -> tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>
  // CHECK-NEXT: %[[V5:.*]] = k3.l2_norm %[[V4]]#0 eps 9.9{{[0-9E-]+}} scale 0.0883{{[0-9]+}} : tensor<?x2x128xf32> -> tensor<?x2x128xf32>
  // CHECK-NEXT: %[[V6:.*]] = k3.l2_norm %[[V4]]#1 eps 9.9{{[0-9E-]+}} scale 1.0{{.*}} : tensor<?x2x128xf32> -> tensor<?x2x128xf32>
  // CHECK-NEXT: %[[G:.*]], %[[BETA:.*]] = k3.kda_gate %[[V2]], %[[V1]]#3, @a_log.packed, @dt_bias.packed bound -5.0{{.*}} : (tensor<?x256xf32>, tensor<?x2xf32>) -> (tensor<?x2x128xf32>, tensor<?x2xf32>)
  // CHECK-NEXT: %[[V7:.*]] = k3.kda_core %[[V5]], %[[V6]], %[[V4]]#2, %[[G]], %[[BETA]] in %[[B]] state @s : tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2xf32> -> tensor<?x2x128xf32>
  // CHECK-NEXT: %[[V8:.*]] = k3.gated_norm %[[V7]], %[[V1]]#1, @o_norm.packed eps 1.0{{0*}}e-05 : tensor<?x2x128xf32>, tensor<?x2x128xf32> -> tensor<?x2x128xf32>
  // CHECK-NEXT: %[[V9:.*]] = k3.reshape %[[V8]] : tensor<?x2x128xf32> -> tensor<?x256xf32>
  // CHECK-NEXT: %[[V10:.*]] = k3.linear %[[V9]], @o.packed : tensor<?x256xf32> -> tensor<?x192xf32>
  // CHECK-NEXT: return %[[V10]] : tensor<?x192xf32>
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  return %0 : !h
}
