// RUN: k3-opt %s -split-input-file -verify-diagnostics

!z = tensor<?x128xf32>
!i = tensor<?x4xi32>
!w = tensor<?x4xf32>
k3.weight @w13[16] : !k3.mx<64x128, e2m1> from "w13.{e}"
k3.weight @w2[16] : !k3.mx<128x64, e2m1> from "w2.{e}"
func.func @f(%z: !z, %ids: !i, %w: !w) {
  // expected-error@+1 {{w13 @w13 has rows 64, expected 2 * 64 with w2 [128, 64]}}
  %0 = k3.experts %z, %ids, %w, @w13, @w2 betas 4.0, 25.0 : !z, !i, !w -> !z
  return
}

// -----

!z = tensor<?x128xf32>
!i = tensor<?x4xi32>
!w = tensor<?x4xf32>
k3.weight @bias : tensor<32xf32> from "bias"
k3.weight @w13[16] : !k3.mx<128x128, e2m1> from "w13.{e}"
k3.weight @w2[16] : !k3.mx<128x64, e2m1> from "w2.{e}"
func.func @f(%z: !z, %r: tensor<?x32xf32>) {
  %ids, %w = k3.route %r, @bias top 4 scale 1.0 : tensor<?x32xf32> -> !i, !w
  // expected-error@+1 {{family @w13 has 16 members, router logits have 32}}
  %0 = k3.experts %z, %ids, %w, @w13, @w2 betas 4.0, 25.0 : !z, !i, !w -> !z
  return
}

// -----

!z = tensor<?x128xf32>
!i = tensor<?x4xi32>
!w = tensor<?x4xf32>
k3.weight @w13[8] : !k3.mx<128x128, e2m1> from "w13.{e}"
k3.weight @w2[16] : !k3.mx<128x64, e2m1> from "w2.{e}"
func.func @f(%z: !z, %ids: !i, %w: !w) {
  // expected-error@+1 {{family @w13 has 8 members, @w2 has 16}}
  %0 = k3.experts %z, %ids, %w, @w13, @w2 betas 4.0, 25.0 : !z, !i, !w -> !z
  return
}

// -----

!z = tensor<?x128xf32>
!i = tensor<?x4xi32>
!w = tensor<?x4xf32>
func.func @f(%z: !z, %ids: !i, %w: tensor<?x3xf32>) {
  // expected-error@+1 {{weights is [?, 3], expected [?, 4]}}
  %0 = k3.experts %z, %ids, %w, @w13, @w2 betas 4.0, 25.0 : !z, !i, tensor<?x3xf32> -> !z
  return
}
