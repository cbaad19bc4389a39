// RUN: k3-opt %s -split-input-file -verify-diagnostics

!h = tensor<?x192xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{weights lack 'kv_b'}}
  %0 = k3.gated_mla %x in %b weights {q_a = @q_a, q_a_norm = @q_a_norm, q_b = @q_b, kv_a = @kv_a, kv_a_norm = @kv_a_norm, g = @g, o = @o} state {latent = @latent} heads 2 nope 128 rope 64 v 128 norm_eps 1.0e-6 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{unknown weight role 'x'}}
  %0 = k3.gated_mla %x in %b weights {q_a = @q_a, q_a_norm = @q_a_norm, q_b = @q_b, kv_a = @kv_a, kv_a_norm = @kv_a_norm, kv_b = @kv_b, g = @g, o = @o, x = @q} state {latent = @latent} heads 2 nope 128 rope 64 v 128 norm_eps 1.0e-6 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{state lacks 'latent'}}
  %0 = k3.gated_mla %x in %b weights {q_a = @q_a, q_a_norm = @q_a_norm, q_b = @q_b, kv_a = @kv_a, kv_a_norm = @kv_a_norm, kv_b = @kv_b, g = @g, o = @o} state {} heads 2 nope 128 rope 64 v 128 norm_eps 1.0e-6 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{nope must be positive, got 0}}
  %0 = k3.gated_mla %x in %b weights {q_a = @q_a, q_a_norm = @q_a_norm, q_b = @q_b, kv_a = @kv_a, kv_a_norm = @kv_a_norm, kv_b = @kv_b, g = @g, o = @o} state {latent = @latent} heads 2 nope 0 rope 64 v 128 norm_eps 1.0e-6 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{rope must not be negative, got -1}}
  %0 = k3.gated_mla %x in %b weights {q_a = @q_a, q_a_norm = @q_a_norm, q_b = @q_b, kv_a = @kv_a, kv_a_norm = @kv_a_norm, kv_b = @kv_b, g = @g, o = @o} state {latent = @latent} heads 2 nope 128 rope -1 v 128 norm_eps 1.0e-6 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @q_a : tensor<64x192xbf16> from "q_a"
k3.weight @q_a_norm : tensor<64xbf16> from "q_a_norm"
k3.weight @q_b : tensor<384x64xbf16> from "q_b"
k3.weight @kv_a : tensor<576x192xbf16> from "kv_a"
k3.weight @kv_a_norm : tensor<512xbf16> from "kv_a_norm"
k3.weight @kv_b : tensor<512x512xbf16> from "kv_b"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @o : tensor<192x256xbf16> from "o"
k3.state @latent paged page 64 : tensor<576xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{q_b @q_b is [384, 64], expected [768, 64]}}
  %0 = k3.gated_mla %x in %b weights {q_a = @q_a, q_a_norm = @q_a_norm, q_b = @q_b, kv_a = @kv_a, kv_a_norm = @kv_a_norm, kv_b = @kv_b, g = @g, o = @o} state {latent = @latent} heads 4 nope 128 rope 64 v 128 norm_eps 1.0e-6 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @q_a : tensor<64x192xbf16> from "q_a"
k3.weight @q_a_norm : tensor<64xbf16> from "q_a_norm"
k3.weight @q_b : tensor<384x64xbf16> from "q_b"
k3.weight @kv_a : tensor<576x192xbf16> from "kv_a"
k3.weight @kv_a_norm : tensor<500xbf16> from "kv_a_norm"
k3.weight @kv_b : tensor<512x512xbf16> from "kv_b"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @o : tensor<192x256xbf16> from "o"
k3.state @latent paged page 64 : tensor<576xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{kv_a_norm @kv_a_norm is [500], expected [512]}}
  %0 = k3.gated_mla %x in %b weights {q_a = @q_a, q_a_norm = @q_a_norm, q_b = @q_b, kv_a = @kv_a, kv_a_norm = @kv_a_norm, kv_b = @kv_b, g = @g, o = @o} state {latent = @latent} heads 2 nope 128 rope 64 v 128 norm_eps 1.0e-6 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @q_a : tensor<64x192xbf16> from "q_a"
k3.weight @q_a_norm : tensor<64xbf16> from "q_a_norm"
k3.weight @q_b : tensor<384x64xbf16> from "q_b"
k3.weight @kv_a : tensor<48x192xbf16> from "kv_a"
k3.weight @kv_a_norm : tensor<512xbf16> from "kv_a_norm"
k3.weight @kv_b : tensor<512x512xbf16> from "kv_b"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @o : tensor<192x256xbf16> from "o"
k3.state @latent paged page 64 : tensor<576xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{kv_a has 48 rows, too few for a latent beside rope 64}}
  %0 = k3.gated_mla %x in %b weights {q_a = @q_a, q_a_norm = @q_a_norm, q_b = @q_b, kv_a = @kv_a, kv_a_norm = @kv_a_norm, kv_b = @kv_b, g = @g, o = @o} state {latent = @latent} heads 2 nope 128 rope 64 v 128 norm_eps 1.0e-6 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @q_a : tensor<64x192xbf16> from "q_a"
k3.weight @q_a_norm : tensor<64xbf16> from "q_a_norm"
k3.weight @q_b : tensor<384x64xbf16> from "q_b"
k3.weight @kv_a : tensor<576x192xbf16> from "kv_a"
k3.weight @kv_a_norm : tensor<512xbf16> from "kv_a_norm"
k3.weight @kv_b : tensor<512x512xbf16> from "kv_b"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @o : tensor<192x256xbf16> from "o"
k3.state @latent paged page 64 : tensor<512xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{latent state width 512 is not kv_lora + rope = 576}}
  %0 = k3.gated_mla %x in %b weights {q_a = @q_a, q_a_norm = @q_a_norm, q_b = @q_b, kv_a = @kv_a, kv_a_norm = @kv_a_norm, kv_b = @kv_b, g = @g, o = @o} state {latent = @latent} heads 2 nope 128 rope 64 v 128 norm_eps 1.0e-6 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @q_a : tensor<64x192xbf16> from "q_a"
k3.weight @q_a_norm : tensor<64xbf16> from "q_a_norm"
k3.weight @q_b : tensor<384x64xbf16> from "q_b"
k3.weight @kv_a : tensor<576x192xbf16> from "kv_a"
k3.weight @kv_a_norm : tensor<512xbf16> from "kv_a_norm"
k3.weight @kv_b : tensor<512x512xbf16> from "kv_b"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @o : tensor<192x256xbf16> from "o"
k3.state @latent conv : tensor<3x576xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{uses state @latent of kind 'conv', needs 'paged'}}
  %0 = k3.gated_mla %x in %b weights {q_a = @q_a, q_a_norm = @q_a_norm, q_b = @q_b, kv_a = @kv_a, kv_a_norm = @kv_a_norm, kv_b = @kv_b, g = @g, o = @o} state {latent = @latent} heads 2 nope 128 rope 64 v 128 norm_eps 1.0e-6 : !h -> !h
  return
}
