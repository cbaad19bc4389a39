// A product becomes one program per range of rows, a launch each; kernels are shared by problem and range.
// RUN: k3-opt %s --k3-kernels-lower-to-exec=target=h200 | FileCheck %s

// CHECK: exec.program @linear.b0 aux on "h200" bucket {{.*}}T = [0, 8]
// CHECK: exec.packed @w dims [512, 256] : bf16
// CHECK: exec.gpu_launch @gemm_512x256_r1({{.*}}) "rrw" args [step_in 0, constant 1, step_out 2, i32 [T]{{.*}}] grid [T ceildiv
// CHECK: exec.kernel @gemm_512x256_r1 "rrw" gpu "gemm_512x256_r1" {exec.problem = "{{.*}}family{{.*}}gemm
// CHECK: exec.program @linear.b1 aux on "h200" bucket {{.*}}T = [9,
// CHECK: exec.program @pack pack
// CHECK: exec.fetch @weight "" -> %
// CHECK: module @gpu_kernels
// CHECK: tile.kernel @gemm_512x256_r1
module attributes {k3.version = 1 : i64, k3.limits = {max_tokens = 8192 : i64, max_seqs = 8 : i64}} {
  k3.weight @weight : tensor<512x256xbf16> from "w"
  k3.packed @w : tensor<512x256xbf16> {
    %0 = k3.get @weight : tensor<512x256xbf16>
    k3.yield %0 : tensor<512x256xbf16>
  }
  func.func @linear(%x: tensor<?x256xbf16> {k3.name = "x"}) -> (tensor<?x512xbf16> {k3.name = "y"}) {
    %y = k3.linear %x, @w : tensor<?x256xbf16> -> tensor<?x512xbf16>
    return %y : tensor<?x512xbf16>
  }
  func.func @pack() {
    %0 = k3.get @weight : tensor<512x256xbf16>
    k3.store_packed %0, @w : tensor<512x256xbf16>
    return
  }
}
