// RUN: k3-opt %s | k3-opt | FileCheck %s
// RUN: k3-opt %s -mlir-print-op-generic | k3-opt | FileCheck %s

// CHECK: exec.kernel @gemm "rrw" gpu "gemm_bf16_128x256"
exec.kernel @gemm "rrw" gpu "gemm_bf16_128x256"
exec.kernel @scale "rb" gpu "scale"

// CHECK-LABEL: exec.program @step step on "gpu"
exec.program @step step on "gpu" bucket {T = [0, 8192]} {
  %x = exec.tensor "x" dims [T, 7168] : bf16
  %w = exec.tensor "w" dims [512, 7168] : bf16
  %y = exec.tensor "y" dims [T, 512] : bf16
  %s = exec.tensor "s" dims [T] : f32
  // A half of the columns: rows are further apart than they are long.
  %half = exec.view %x at [3584] dims [T, 3584] row_stride 7168 : !exec.view<bf16> -> bf16

  // CHECK: %[[E:.*]] = exec.gpu_launch @gemm(%{{.*}}, %{{.*}}, %{{.*}}) "rrw"
  // CHECK-SAME: args [map 0 box [128, 64] swizzle 128, map 1 box [256, 64] swizzle 128, step_out 2, i32 [T], i64 [T * 512]]
  // CHECK-SAME: grid [T ceildiv 128, 2] max_ctas [SM] block 384 cluster [2, 1, 1] smem 231424 pdl resident [SM] : !exec.view<bf16>, !exec.view<bf16>, !exec.view<bf16>
  %e = exec.gpu_launch @gemm(%half, %w, %y) "rrw"
         args [map 0 box [128, 64] swizzle 128, map 1 box [256, 64] swizzle 128, step_out 2, i32 [T], i64 [512 * T]]
         grid [T ceildiv 128, 2] max_ctas [SM] block 384 cluster [2, 1, 1] smem 231424 pdl resident [SM]
         : !exec.view<bf16>, !exec.view<bf16>, !exec.view<bf16>
  // CHECK: exec.gpu_launch @scale(%{{.*}}, %{{.*}}) "rb" args [constant 0, step_out 1, map 1 box [256], f32 5.{{0+}}e-01] grid [T] block 256 after(%[[E]]) : !exec.view<f32>, !exec.view<bf16>
  %v = exec.view %y at [0] dims [T * 512] : !exec.view<bf16> -> bf16
  %f = exec.gpu_launch @scale(%s, %v) "rb" args [constant 0, step_out 1, map 1 box [256], f32 0.5] grid [T] block 256 after(%e)
         : !exec.view<f32>, !exec.view<bf16>
}
