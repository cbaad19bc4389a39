// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<?x192xf32>, %rows: tensor<4xi32>) {
  // expected-error@+1 {{out is [?, 192], expected [4, 192]}}
  %0 = k3.gather_rows %x[%rows] : tensor<?x192xf32>, tensor<4xi32> -> tensor<?x192xf32>
  return
}

// -----

func.func @f(%x: tensor<?x192xf32>, %rows: tensor<?x2xi32>) {
  // expected-error@+1 {{rows is [?, 2], expected 1 dimension}}
  %0 = k3.gather_rows %x[%rows] : tensor<?x192xf32>, tensor<?x2xi32> -> tensor<?x192xf32>
  return
}
