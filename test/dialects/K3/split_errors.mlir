// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<?x272xf32>) {
  // expected-error@+1 {{parts sum to 258, the input has 272}}
  %0:2 = k3.split %x : tensor<?x272xf32> -> tensor<?x2x128xf32>, tensor<?x2xf32>
  return
}

// -----

func.func @f(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{part 1 is [4, 2], expected the rows of the input and static columns}}
  %0:2 = k3.split %x : tensor<?x4xf32> -> tensor<?x2xf32>, tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{part 0 has another element type than the input}}
  %0:2 = k3.split %x : tensor<?x4xf32> -> tensor<?x2xbf16>, tensor<?x2xf32>
  return
}
