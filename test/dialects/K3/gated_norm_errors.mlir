// RUN: k3-opt %s -split-input-file -verify-diagnostics

!c = tensor<?x2x128xf32>
func.func @f(%o: !c, %gate: tensor<?x2x64xf32>) {
  // expected-error@+1 {{gate is [?, 2, 64], expected [?, 2, 128]}}
  %0 = k3.gated_norm %o, %gate, @w eps 1.0e-5 : !c, tensor<?x2x64xf32> -> !c
  return
}

// -----

!c = tensor<?x2x128xf32>
k3.weight @w : tensor<256xf32> from "w"
func.func @f(%o: !c) {
  // expected-error@+1 {{weight @w is [256], expected [128]}}
  %0 = k3.gated_norm %o, %o, @w eps 1.0e-5 : !c, !c -> !c
  return
}
