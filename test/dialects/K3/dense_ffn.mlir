// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

!h = tensor<?x192xf32>
k3.weight @gate : tensor<512x192xbf16> from "gate"
k3.weight @up : tensor<512x192xbf16> from "up"
k3.weight @down : tensor<192x512xbf16> from "down"
func.func @f(%x: !h) -> !h {
  // CHECK: k3.dense_ffn %{{.*}} weights {down = @down, gate = @gate, up = @up} betas 4.000000e+00, 2.500000e+01 : tensor<?x192xf32> -> tensor<?x192xf32>
  %0 = k3.dense_ffn %x weights {gate = @gate, up = @up, down = @down} betas 4.0, 25.0 : !h -> !h
  return %0 : !h
}
