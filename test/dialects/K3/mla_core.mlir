// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

!q = tensor<?x2x192xf32>
!o = tensor<?x2x128xf32>
k3.weight @kv_b : tensor<2x256x512xbf16> from "kv_b"
k3.state @latent paged page 64 : tensor<576xf32>
func.func @f(%q: !q, %b: !k3.batch) {
  // CHECK: k3.mla_core %{{.*}} in %{{.*}}, @kv_b state @latent : tensor<?x2x192xf32> -> tensor<?x2x128xf32>
  %0 = k3.mla_core %q in %b, @kv_b state @latent : !q -> !o
  // CHECK: state @latent {form = #k3<mla_form absorbed>}
  %1 = k3.mla_core %q in %b, @kv_b state @latent {form = #k3<mla_form absorbed>} : !q -> !o
  // CHECK: state @latent {form = #k3<mla_form unabsorbed>}
  %2 = k3.mla_core %q in %b, @kv_b state @latent {form = #k3<mla_form unabsorbed>} : !q -> !o
  return
}
