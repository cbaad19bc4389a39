// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{'k3.yield' op expects parent op 'k3.packed'}}
  k3.yield %x : tensor<4xf32>
}
