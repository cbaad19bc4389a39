// RMS norm per head times weight times sigmoid(gate).
// REQUIRES: golden, compiler
// RUN: k3-compile %s -o %t.k3x --max-tokens=16 --max-seqs=1
// RUN: %python %S/ops.py gated_norm %t.k3x %golden/ops/ops.safetensors %t

!c = tensor<?x2x128xf32>
module attributes {k3.version = 1 : i64} {
  k3.weight @w : tensor<128xf32> from "gated_norm.weight"
  k3.packed @packed.w : tensor<128xf32> {
    %0 = k3.get @w : tensor<128xf32>
    k3.yield %0 : tensor<128xf32>
  }
  func.func @gated_norm(%x: !c {k3.name = "x"}, %gate: !c {k3.name = "gate"}) -> (!c {k3.name = "out"}) {
    %y = k3.gated_norm %x, %gate, @packed.w eps 1.0e-5 : !c, !c -> !c
    return %y : !c
  }
}
