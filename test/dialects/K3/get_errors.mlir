// RUN: k3-opt %s -split-input-file -verify-diagnostics

k3.packed @p : tensor<4xf32> {
  // expected-error@+1 {{names @w, which does not exist}}
  %0 = k3.get @w : tensor<4xf32>
  k3.yield %0 : tensor<4xf32>
}

// -----

k3.state @s paged page 64 : tensor<4xf32>
k3.packed @p : tensor<4xf32> {
  // expected-error@+1 {{'k3.get' op names @s, which is not a k3.weight}}
  %0 = k3.get @s : tensor<4xf32>
  k3.yield %0 : tensor<4xf32>
}

// -----

k3.weight @w : tensor<8xf32> from "w" used 4
k3.packed @p : tensor<8xf32> {
  // expected-error@+1 {{of @w gives 'tensor<4xf32>', the result is 'tensor<8xf32>'}}
  %0 = k3.get @w : tensor<8xf32>
  k3.yield %0 : tensor<8xf32>
}

// -----

k3.weight @w[16] : tensor<4xf32> from "w.{e}"
k3.packed @p[8] : tensor<4xf32> {
  // expected-error@+1 {{member region reads family @w of 16 members, the packed family has 8}}
  %0 = k3.get @w : tensor<4xf32>
  k3.yield %0 : tensor<4xf32>
}

// -----

k3.weight @w[16] : tensor<4xf32> from "w.{e}"
k3.packed @p : tensor<4xf32> {
  // expected-error@+1 {{reads family @w of 16 members, @p is a single weight}}
  %0 = k3.get @w : tensor<4xf32>
  k3.yield %0 : tensor<4xf32>
}

// -----

k3.weight @w : tensor<4xf32> from "w"
func.func @step_part() -> tensor<4xf32> {
  // expected-error@+1 {{reads a checkpoint weight outside packing; a step names weights by symbol}}
  %0 = k3.get @w : tensor<4xf32>
  return %0 : tensor<4xf32>
}
