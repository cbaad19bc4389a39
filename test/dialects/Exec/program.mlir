// RUN: k3-opt %s | k3-opt | FileCheck %s
// RUN: k3-opt %s --mlir-print-op-generic | k3-opt | FileCheck %s

// A program prints as it was written: extents by symbol name, defaults left out.

exec.kernel @rms_norm_4 "rrw"
k3.packed @norm : tensor<4xf32> {
  %w = k3.get @norm.raw : tensor<4xf32>
  k3.yield %w : tensor<4xf32>
}
k3.weight @norm.raw : tensor<4xf32> from "model.norm.weight"
k3.state @layers.0.s recurrent : tensor<2x4x4xf32>

// CHECK-LABEL: exec.program @step.decode step variant decode on "host" bucket {S = [0, 8], T = [0, 8]} streams 2
exec.program @step.decode step variant decode on "host" bucket {S = [0, 8], T = [0, 8]} streams 2 {
  // CHECK: %[[X:.*]] = exec.io "x" dims [T, 4] padding -1 : f32
  %x = exec.io "x" dims [T, 4] padding -1 : f32
  // CHECK: %[[Y:.*]] = exec.io "y" output dims [T, 4] : f32
  %y = exec.io "y" output dims [T, 4] : f32
  // CHECK: exec.io "cu_seqlens" dims [S + 1] : i32
  %cu = exec.io "cu_seqlens" dims [S + 1] : i32
  // CHECK: %[[W:.*]] = exec.packed @norm dims [4] : f32
  %w = exec.packed @norm dims [4] : f32
  // CHECK: exec.state @layers.0.s dims [1, 2, 4, 4] : f32
  %s = exec.state @layers.0.s dims [1, 2, 4, 4] : f32
  // CHECK: %[[T:.*]] = exec.tensor "t" dims [T, 8] : f32
  %t = exec.tensor "t" dims [T, 8] : f32
  // CHECK: exec.view %[[T]] at [4] dims [T, 4] row_stride 8 : !exec.view<f32> -> f32
  %v = exec.view %t at [4] dims [T, 4] row_stride 8 : !exec.view<f32> -> f32
  // CHECK: %[[E:.*]] = exec.launch @rms_norm_4(%[[X]], %[[W]], %{{.*}}) "rrw" units [T] grain 8
  %e = exec.launch @rms_norm_4(%x, %w, %v) "rrw" units [T] grain 8 : !exec.view<f32>, !exec.view<f32>, !exec.view<f32>
  // CHECK: exec.copy %{{.*}} -> %[[Y]] stream 1 after(%[[E]]) : <f32> -> <f32>
  %c = exec.copy %v -> %y stream 1 after(%e) : !exec.view<f32> -> !exec.view<f32>
  // CHECK: exec.tap "t" %{{.*}} writable : <f32>
  exec.tap "t" %v writable : !exec.view<f32>
  // CHECK: exec.tap_state "layer.0.kda_state" @layers.0.s
  exec.tap_state "layer.0.kda_state" @layers.0.s
}
