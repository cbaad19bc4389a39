// RUN: k3-opt %s -split-input-file -verify-diagnostics

k3.weight @w : tensor<4xf32> from "w"
// expected-error@+1 {{region yields 'tensor<4xf32>', the symbol is declared as 'tensor<4xbf16>'}}
k3.packed @p : tensor<4xbf16> {
  %0 = k3.get @w : tensor<4xf32>
  k3.yield %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{needs a static tensor or an MX tensor, got 'f32'}}
k3.packed @p : f32 {
  %0 = k3.get @w : tensor<4xf32>
  k3.yield %0 : tensor<4xf32>
}

// -----

k3.weight @w : tensor<4xf32> from "w"
// expected-error@+1 {{region must end in k3.yield}}
k3.packed @p : tensor<4xf32> {
  %0 = k3.get @w : tensor<4xf32>
  llvm.unreachable
}

// -----

k3.weight @w[16] : tensor<4xf32> from "w.{e}"
// expected-error@+1 {{number of members must be positive, got -1}}
k3.packed @p[-1] : tensor<4xf32> {
  %0 = k3.get @w : tensor<4xf32>
  k3.yield %0 : tensor<4xf32>
}
