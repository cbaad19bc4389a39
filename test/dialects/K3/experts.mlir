// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

!z = tensor<?x128xf32>
!i = tensor<?x4xi32>
!w = tensor<?x4xf32>
k3.weight @w13[16] : !k3.mx<128x128, e2m1> from "w13.{e}"
k3.weight @w2[16] : !k3.mx<128x64, e2m1> from "w2.{e}"
func.func @f(%z: !z, %ids: !i, %w: !w) {
  // CHECK: k3.experts %{{.*}}, %{{.*}}, %{{.*}}, @w13, @w2 betas 4.000000e+00, 2.500000e+01 : tensor<?x128xf32>, tensor<?x4xi32>, tensor<?x4xf32> -> tensor<?x128xf32>
  %0 = k3.experts %z, %ids, %w, @w13, @w2 betas 4.0, 25.0 : !z, !i, !w -> !z
  // CHECK: shard <{{\[}}[], []], partial = ["ep"]> :
  %1 = k3.experts %z, %ids, %w, @w13, @w2 betas 4.0, 25.0 shard <[[], []], partial = ["ep"]> : !z, !i, !w -> !z
  return
}
