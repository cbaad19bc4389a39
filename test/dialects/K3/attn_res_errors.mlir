// RUN: k3-opt %s -split-input-file -verify-diagnostics

!h = tensor<?x192xf32>
k3.weight @query : tensor<192xf32> from "query"
func.func @f(%b: tensor<?x128xf32>, %p: !h) {
  // expected-error@+1 {{all sources must have the type of 'partial', 'tensor<?x192xf32>'}}
  %0 = k3.attn_res [%b] %p, @query eps 1.0e-5 : [tensor<?x128xf32>] !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @query : tensor<192xf32> from "query"
func.func @f(%b: !h, %p: !h) {
  // expected-error@+1 {{'sum' is present exactly when 'plus' is}}
  %0 = k3.attn_res [%b] %p plus %p, @query eps 1.0e-5 : [!h] !h plus !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @query : tensor<192xf32> from "query"
func.func @f(%b: !h, %p: !h) {
  // expected-error@+1 {{'sum' is present exactly when 'plus' is}}
  %0, %1 = k3.attn_res [%b] %p, @query eps 1.0e-5 : [!h] !h -> !h, !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @query : tensor<192xbf16> from "query"
func.func @f(%b: !h, %p: !h) {
  // expected-error@+1 {{query @query is 'tensor<192xbf16>', expected 'tensor<192xf32>'}}
  %0 = k3.attn_res [%b] %p, @query eps 1.0e-5 : [!h] !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @query : tensor<192xf32> from "query"
k3.weight @norm : tensor<64xf32> from "norm"
func.func @f(%b: !h, %p: !h) {
  // expected-error@+1 {{norm @norm is [64], expected [192]}}
  %0 = k3.attn_res [%b] %p, @query norm @norm eps 1.0e-5 : [!h] !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @query : tensor<192xf32> from "query"
func.func @f(%b: !h, %p: !h) {
  // expected-error@+1 {{eps must be positive and finite, got 0}}
  %0 = k3.attn_res [%b] %p, @query eps 0.0 : [!h] !h -> !h
  return
}
