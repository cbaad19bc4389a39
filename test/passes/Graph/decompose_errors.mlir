// RUN: k3-opt %s --k3-graph-decompose -split-input-file -verify-diagnostics

k3.weight @gate : tensor<16x8xbf16> from "gate"
k3.weight @down : tensor<8x16xbf16> from "down"
k3.packed @up : tensor<16x8xf32> {
  %0 = k3.get @gate : tensor<16x8xbf16>
  %1 = k3.cast %0 : tensor<16x8xbf16> -> tensor<16x8xf32>
  k3.yield %1 : tensor<16x8xf32>
}
func.func @ffn(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{weight role 'up' names the packed weight @up, expected a checkpoint weight (k3.weight)}}
  %y = k3.dense_ffn %x weights {gate = @gate, up = @up, down = @down} betas 4.0, 25.0 : tensor<?x8xf32> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
