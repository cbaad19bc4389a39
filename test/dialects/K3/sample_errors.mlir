// RUN: k3-opt %s -split-input-file -verify-diagnostics

!f = tensor<?xf32>
!i = tensor<?xi32>
func.func @f(%l: tensor<?x256xf32>, %t: tensor<4xf32>, %p: !f, %seed: !i) {
  // expected-error@+1 {{temperature is [4], expected [?]}}
  %ids = k3.sample %l, %t, %p, %seed, %seed : tensor<?x256xf32>, tensor<4xf32>, !f, !i, !i -> !i
  return
}

// -----

!f = tensor<?xf32>
!i = tensor<?xi32>
func.func @f(%l: !f, %p: !f, %seed: !i) {
  // expected-error@+1 {{logits is [?], expected 2 dimensions}}
  %ids = k3.sample %l, %p, %p, %seed, %seed : !f, !f, !f, !i, !i -> !i
  return
}
