// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @f(%o: tensor<?x256xi32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of 32-bit float or bfloat16 type values}}
  %0 = k3.sigmoid_gate %o, %o : tensor<?x256xi32>
  return
}
