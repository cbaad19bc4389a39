// RUN: k3-opt %s --k3-host-lower-to-exec | FileCheck %s

// A product is a gemm, anything else a launch; parts of a split are views; what is returned is written in place; two equal
// norms are one kernel.

!h = tensor<?x32xf32>
module attributes {k3.version = 1 : i64, k3.limits = {max_tokens = 16 : i64, max_seqs = 2 : i64}} {
  k3.weight @w : tensor<32x16xf32> from "w"
  k3.weight @n : tensor<16xf32> from "n"
  k3.packed @w.packed : tensor<32x16xf32> { %0 = k3.get @w : tensor<32x16xf32>  k3.yield %0 : tensor<32x16xf32> }
  k3.packed @n.packed : tensor<16xf32> { %0 = k3.get @n : tensor<16xf32>  k3.yield %0 : tensor<16xf32> }

  // CHECK: exec.program @graph aux on "host" bucket {C = [0, 2], R = [0, 2], S = [0, 2], T = [0, 16]}
  // CHECK-NEXT: %[[X:.*]] = exec.io "x" dims [T, 16] : f32
  // CHECK-NEXT: %[[OUT:.*]] = exec.io "y" output dims [T, 16] : f32
  func.func @graph(%x: tensor<?x16xf32> {k3.name = "x"}) -> (tensor<?x16xf32> {k3.name = "y"}) {
    // CHECK: %[[A:.*]] = exec.tensor "linear" dims [T, 32] : f32
    // CHECK: exec.gemm %[[X]], %{{.*}} -> %[[A]] mnk [T, 32, 16]
    %a = k3.linear %x, @w.packed : tensor<?x16xf32> -> !h
    // CHECK: %[[P:.*]] = exec.view %[[A]] at [0] dims [T, 16] row_stride 32
    // CHECK: %[[Q:.*]] = exec.view %[[A]] at [16] dims [T, 16] row_stride 32
    %p, %q = k3.split %a : !h -> tensor<?x16xf32>, tensor<?x16xf32>
    // CHECK: exec.launch @[[NORM:rms_norm[^(]*]](%[[P]], %[[W:.*]], %[[U:.*]]) "rrw" units [T]
    // CHECK: exec.launch @[[NORM]](%[[Q]], %[[W]], %[[V:.*]]) "rrw" units [T]
    %u = k3.rms_norm %p, @n.packed eps 1.0e-5 : tensor<?x16xf32> -> tensor<?x16xf32>
    %v = k3.rms_norm %q, @n.packed eps 1.0e-5 : tensor<?x16xf32> -> tensor<?x16xf32>
    // CHECK: exec.launch @add_16(%[[U]], %[[V]], %[[OUT]]) "rrw" units [T]
    %y = arith.addf %u, %v : tensor<?x16xf32>
    return %y : tensor<?x16xf32>
  }
}
// CHECK: exec.kernel @[[NORM]] "rrw"
// CHECK: module @host_kernels
// CHECK-COUNT-1: func.func @rms_norm
