// RUN: k3-opt %s --k3-graph-decompose | FileCheck %s

// Gate and up are one product; both weights become packed weights in the precision of the activations.

k3.weight @layers.0.gate : tensor<16x8xbf16> from "mlp.gate_proj.weight"
k3.weight @layers.0.up : tensor<16x8xbf16> from "mlp.up_proj.weight"
k3.weight @layers.0.down : tensor<8x16xbf16> from "mlp.down_proj.weight"

// CHECK: k3.packed @layers.0.gate_up : tensor<32x8xf32>
// CHECK:   %[[GATE:.*]] = k3.get @layers.0.gate : tensor<16x8xbf16>
// CHECK:   %[[UP:.*]] = k3.get @layers.0.up : tensor<16x8xbf16>
// CHECK:   %[[ALL:.*]] = k3.concat %[[GATE]], %[[UP]] dim 0
// CHECK:   k3.cast %[[ALL]] : tensor<32x8xbf16> -> tensor<32x8xf32>
// CHECK: k3.packed @layers.0.down.packed : tensor<8x16xf32>

// CHECK-LABEL: func.func @ffn
func.func @ffn(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = k3.linear %{{.*}}, @layers.0.gate_up : tensor<?x8xf32> -> tensor<?x32xf32>
  // CHECK-NEXT: %[[M:.*]] = k3.situ_glu %[[A]] betas 4.0{{.*}}, 2.5{{.*}} : tensor<?x32xf32> -> tensor<?x16xf32>
  // CHECK-NEXT: k3.linear %[[M]], @layers.0.down.packed : tensor<?x16xf32> -> tensor<?x8xf32>
  %y = k3.dense_ffn %x weights {gate = @layers.0.gate, up = @layers.0.up, down = @layers.0.down} betas 4.0, 25.0
       : tensor<?x8xf32> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
