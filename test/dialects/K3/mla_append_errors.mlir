// RUN: k3-opt %s -split-input-file -verify-diagnostics

k3.weight @norm : tensor<512xbf16> from "norm"
k3.state @latent paged page 64 : tensor<512xf32>
func.func @f(%kv: tensor<?x576xf32>, %b: !k3.batch) {
  // expected-error@+1 {{state @latent is [512], expected [576]}}
  k3.mla_append %kv in %b, @norm state @latent eps 1.0e-6 : tensor<?x576xf32>
  return
}

// -----

k3.weight @norm : tensor<600xbf16> from "norm"
func.func @f(%kv: tensor<?x576xf32>, %b: !k3.batch) {
  // expected-error@+1 {{norm @norm has 600 entries, kv only 576 columns}}
  k3.mla_append %kv in %b, @norm state @latent eps 1.0e-6 : tensor<?x576xf32>
  return
}

// -----

k3.weight @norm : tensor<512xbf16> from "norm"
k3.state @latent recurrent : tensor<2x128x128xf32>
func.func @f(%kv: tensor<?x576xf32>, %b: !k3.batch) {
  // expected-error@+1 {{'k3.mla_append' op uses state @latent of kind 'recurrent', needs 'paged'}}
  k3.mla_append %kv in %b, @norm state @latent eps 1.0e-6 : tensor<?x576xf32>
  return
}
