// RMSNorm over the channels of each head, times a weight, times the sigmoid of a gate.
!heads = tensor<?x2x128xf32>
module {
  k3.weight @weight : tensor<128xf32> from "gated_norm.weight" init "ones"

  func.func @gated_norm(%x: !heads {k3.name = "x"}, %gate: !heads {k3.name = "gate"}) -> (!heads {k3.name = "out"}) {
    %y = k3.gated_norm %x, %gate, @weight eps 1.0e-5 : !heads, !heads -> !heads
    return %y : !heads
  }
}
