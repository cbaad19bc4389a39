// RUN: k3-opt %s | k3-opt | FileCheck %s

k3.weight @w1[16] : !k3.mx<64x64, e2m1> from "model.experts.{e}.w1"
exec.kernel @relayout "rw"

// CHECK-LABEL: exec.program @step step
exec.program @step step on "host" bucket {T = [0, 8]} {
  %x = exec.tensor "x" dims [T, 4] : f32
  %w = exec.tensor "w" dims [6, 4] : f32
  %y = exec.tensor "y" dims [T, 6] : f32
  // CHECK: %[[F:.*]] = exec.fill %{{.*}} with 255 : <f32>
  %0 = exec.fill %x with 255 : !exec.view<f32>
  // CHECK: exec.gemm %{{.*}}, %{{.*}} -> %{{.*}} mnk [T, 6, 4] after(%[[F]]) : <f32>, <f32> -> <f32>
  %1 = exec.gemm %x, %w -> %y mnk [T, 6, 4] after(%0) : !exec.view<f32>, !exec.view<f32> -> !exec.view<f32>
  // CHECK: exec.gemm {{.*}} accumulate
  %2 = exec.gemm %x, %w -> %y mnk [T, 6, 4] accumulate : !exec.view<f32>, !exec.view<f32> -> !exec.view<f32>
  // CHECK: exec.collective all_reduce over ["tp"] %{{.*}} -> %{{.*}} : <f32> -> <f32>
  %3 = exec.collective all_reduce over ["tp"] %y -> %y : !exec.view<f32> -> !exec.view<f32>
}

// CHECK-LABEL: exec.program @pack pack
exec.program @pack pack on "host" streams 2 {
  %stage = exec.buffer staging "stage" bytes [8192]
  %out = exec.tensor "out" dims [64, 34] : i8
  // CHECK: exec.members 16 slots 2 {
  %m = exec.members 16 slots 2 {
    %v = exec.view %stage at [slot * 2048] dims [64, 32] : !exec.buffer -> i8
    // CHECK: exec.fetch @w1 ".weight_packed" -> %{{.*}} : <i8>
    %f = exec.fetch @w1 ".weight_packed" -> %v : !exec.view<i8>
    // CHECK: exec.fetch @w1 ".weight_packed" slice 0 from 32 length 32 -> %{{.*}} stream 1
    %g = exec.fetch @w1 ".weight_packed" slice 0 from 32 length 32 -> %v stream 1 : !exec.view<i8>
    %h = exec.launch @relayout(%v, %out) "rw" units [8] stream 1 after(%f, %g) : !exec.view<i8>, !exec.view<i8>
  }
}
