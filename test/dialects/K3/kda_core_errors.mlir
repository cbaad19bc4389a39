// RUN: k3-opt %s -split-input-file -verify-diagnostics

!c = tensor<?x2x128xf32>
!s = tensor<?x2xf32>
func.func @f(%q: !c, %k: tensor<?x2x64xf32>, %beta: !s, %b: !k3.batch) {
  // expected-error@+1 {{q, k and g must be [T, H, K], v [T, H, V]; got q [?, 2, 128], k [?, 2, 64], g [?, 2, 128], v [?, 2, 128]}}
  %o = k3.kda_core %q, %k, %q, %q, %beta in %b state @s : !c, tensor<?x2x64xf32>, !c, !c, !s -> !c
  return
}

// -----

!c = tensor<?x2x128xbf16>
!s = tensor<?x2xf32>
func.func @f(%q: !c, %beta: !s, %b: !k3.batch) {
  // expected-error@+1 {{operand #3 must be ranked tensor of 32-bit float values}}
  %o = k3.kda_core %q, %q, %q, %q, %beta in %b state @s : !c, !c, !c, !c, !s -> !c
  return
}

// -----

!c = tensor<?x2x128xf32>
!s = tensor<?x2xf32>
k3.weight @a : tensor<2xf32> from "a"
k3.weight @d : tensor<256xf32> from "d"
func.func @f(%q: !c, %f: tensor<?x256xf32>, %w: !s, %b: !k3.batch) {
  %g, %beta = k3.kda_gate %f, %w, @a, @d bound -5.0 : (tensor<?x256xf32>, !s) -> (!c, !s)
  // expected-error@+1 {{chunk 32 with bound -5 overflows f32 (32 * 5 > 88)}}
  %o = k3.kda_core %q, %q, %q, %g, %beta in %b state @s {chunk = 32 : i64} : !c, !c, !c, !c, !s -> !c
  return
}

// -----

!c = tensor<?x2x128xf32>
!s = tensor<?x2xf32>
func.func @f(%q: !c, %beta: !s, %b: !k3.batch) attributes {k3.variant = "ragged"} {
  // expected-error@+1 {{form 'recurrent' outside a decode program}}
  %o = k3.kda_core %q, %q, %q, %q, %beta in %b state @s {form = #k3<kda_form recurrent>} : !c, !c, !c, !c, !s -> !c
  return
}

// -----

!c = tensor<?x2x128xf32>
!s = tensor<?x2xf32>
k3.state @s conv : tensor<3x768xf32>
func.func @f(%q: !c, %beta: !s, %b: !k3.batch) {
  // expected-error@+1 {{'k3.kda_core' op uses state @s of kind 'conv', needs 'recurrent'}}
  %o = k3.kda_core %q, %q, %q, %q, %beta in %b state @s : !c, !c, !c, !c, !s -> !c
  return
}

// -----

!c = tensor<?x2x128xf32>
!s = tensor<?x2xf32>
k3.state @s recurrent : tensor<2x128x64xf32>
func.func @f(%q: !c, %beta: !s, %b: !k3.batch) {
  // expected-error@+1 {{state @s is [2, 128, 64], expected [2, 128, 128]}}
  %o = k3.kda_core %q, %q, %q, %q, %beta in %b state @s : !c, !c, !c, !c, !s -> !c
  return
}

// -----

!c = tensor<?x2x128xf32>
!s = tensor<?x2xf32>
func.func @f(%q: !c, %beta: !s, %b: !k3.batch) {
  // expected-error@+1 {{chunk must be positive, got 0}}
  %o = k3.kda_core %q, %q, %q, %q, %beta in %b state @s {chunk = 0 : i64} : !c, !c, !c, !c, !s -> !c
  return
}
