// RUN: k3-opt %s -split-input-file -verify-diagnostics

k3.weight @w : tensor<4xf32> from "w"
func.func @pack(%x: tensor<4xf32>) {
  // expected-error@+1 {{names @w, which is not a k3.packed}}
  k3.store_packed %x, @w : tensor<4xf32>
  return
}

// -----

k3.weight @w : tensor<4xf32> from "w"
k3.packed @p : tensor<4xf32> {
  %0 = k3.get @w : tensor<4xf32>
  k3.yield %0 : tensor<4xf32>
}
func.func @pack(%x: tensor<5xf32>) {
  // expected-error@+1 {{stores 'tensor<5xf32>', @p is declared as 'tensor<4xf32>'}}
  k3.store_packed %x, @p : tensor<5xf32>
  return
}
