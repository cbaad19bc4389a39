// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

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
func.func @f(%x: !h, %b: !k3.batch) -> !h {
  // CHECK: k3.gated_mla %{{.*}} in %{{.*}} weights {g = @g, kv_a = @kv_a, {{.*}}} state {latent = @latent} heads 2 nope 128 rope 64 v 128 norm_eps 9.9{{.*}} : tensor<?x192xf32> -> tensor<?x192xf32>
  %0 = k3.gated_mla %x in %b weights {q_a = @q_a, q_a_norm = @q_a_norm, q_b = @q_b, kv_a = @kv_a, kv_a_norm = @kv_a_norm, kv_b = @kv_b, g = @g, o = @o} state {latent = @latent} heads 2 nope 128 rope 64 v 128 norm_eps 1.0e-6 : !h -> !h
  return %0 : !h
}
