// RUN: k3-opt %s -split-input-file -verify-diagnostics

!q = tensor<?x2x192xf32>
!o = tensor<?x2x128xf32>
k3.weight @kv_b : tensor<2x256x512xbf16> from "kv_b"
k3.state @latent paged page 64 : tensor<512xf32>
func.func @f(%q: !q, %b: !k3.batch) {
  // expected-error@+1 {{latent state width 512 is not kv_lora + rope = 576}}
  %0 = k3.mla_core %q in %b, @kv_b state @latent : !q -> !o
  return
}

// -----

!q = tensor<?x2x192xf32>
!o = tensor<?x2x128xf32>
k3.weight @kv_b : tensor<4x256x512xbf16> from "kv_b"
func.func @f(%q: !q, %b: !k3.batch) {
  // expected-error@+1 {{kv_b @kv_b is [4, 256, 512], expected [2, _, _]}}
  %0 = k3.mla_core %q in %b, @kv_b state @latent : !q -> !o
  return
}

// -----

!q = tensor<?x2x192xf32>
!o = tensor<?x2x128xf32>
k3.weight @kv_b : tensor<2x128x512xbf16> from "kv_b"
func.func @f(%q: !q, %b: !k3.batch) {
  // expected-error@+1 {{kv_b @kv_b has 128 rows a head, expected nope + v with v = 128 and nope at most 192}}
  %0 = k3.mla_core %q in %b, @kv_b state @latent : !q -> !o
  return
}

// -----

func.func @f(%q: tensor<?x2x192xf32>, %b: !k3.batch) {
  // expected-error@+1 {{o is [?, 4, 128], expected [?, 2, _]}}
  %0 = k3.mla_core %q in %b, @kv_b state @latent : tensor<?x2x192xf32> -> tensor<?x4x128xf32>
  return
}
