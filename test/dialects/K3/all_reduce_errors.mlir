// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<?x64xf32>) {
  // expected-error@+1 {{axis 'x' is not in the mesh}}
  %0 = k3.all_reduce %x over ["x"] : tensor<?x64xf32> -> tensor<?x64xf32>
  return
}

// -----

func.func @f(%x: tensor<?x64xf32>) {
  // expected-error@+1 {{needs at least one mesh axis}}
  %0 = k3.all_reduce %x over [] : tensor<?x64xf32> -> tensor<?x64xf32>
  return
}

// -----

func.func @f(%x: tensor<?x64xf32>) {
  // expected-error@+1 {{result is 'tensor<?x32xf32>', expected 'tensor<?x64xf32>'}}
  %0 = k3.all_reduce %x over ["tp"] : tensor<?x64xf32> -> tensor<?x32xf32>
  return
}

// -----

k3.weight @w : tensor<64x64xf32> from "w"
func.func @f(%x: tensor<?x64xf32>) {
  %0 = k3.linear %x, @w : tensor<?x64xf32> -> tensor<?x64xf32>
  // expected-error@+1 {{operand is not partial over [tp]}}
  %1 = k3.all_reduce %0 over ["tp"] : tensor<?x64xf32> -> tensor<?x64xf32>
  return
}
