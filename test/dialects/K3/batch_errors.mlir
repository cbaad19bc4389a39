// RUN: k3-opt %s -split-input-file -verify-diagnostics

!i = tensor<?xi32>
func.func @f(%v: !i) {
  // expected-error@+1 {{block_table is [?], expected 2 dimensions}}
  %b = k3.batch %v, %v, %v, %v, %v, %v, %v, %v, %v : !i, !i, !i, !i, !i, !i, !i, !i, !i
  return
}

// -----

!i = tensor<?xi32>
func.func @f(%v: !i, %t: tensor<?x16xi32>) {
  // expected-error@+1 {{accepted is [?, 16], expected 1 dimension}}
  %b = k3.batch %v, %v, %v, %v, %t, %v, %t, %v, %v : !i, !i, !i, !i, tensor<?x16xi32>, !i, tensor<?x16xi32>, !i, !i
  return
}

// -----

!i = tensor<2xi32>
func.func @f(%v: !i, %t: tensor<2x16xi32>) {
  // expected-error@+1 {{cu_seqlens has 2 entries, expected sequences + 1 = 3}}
  %b = k3.batch %v, %v, %v, %v, %t, %v, %v, %v, %v : !i, !i, !i, !i, tensor<2x16xi32>, !i, !i, !i, !i
  return
}

// -----

func.func @f(%cu: tensor<3xi32>, %v: tensor<2xi32>, %w: tensor<4xi32>, %t: tensor<2x16xi32>) {
  // expected-error@+1 {{write_slots is [4], expected [2]}}
  %b = k3.batch %cu, %v, %v, %w, %t, %v, %v, %v, %v : tensor<3xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<2x16xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
  return
}
