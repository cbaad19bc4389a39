// An attention residual over four finished blocks and the running sum, with and without the norm behind it. The query
// is folded once, when weights are loaded: c = norm weight * pseudo-query.
!h = tensor<?x256xf32>
module {
  k3.weight @query : tensor<256xf32> from "attnres.L5.query" init "normal(0, 0.0625)"
  k3.weight @norm_weight : tensor<256xf32> from "attnres.L5.norm_weight" init "ones"
  k3.weight @prenorm_weight : tensor<256xf32> from "attnres.L5.prenorm_weight" init "ones"
  k3.packed @folded : tensor<256xf32> {
    %q = k3.get @query : tensor<256xf32>
    %n = k3.get @norm_weight : tensor<256xf32>
    %c = arith.mulf %n, %q : tensor<256xf32>
    k3.yield %c : tensor<256xf32>
  }

  func.func @attn_res(%b0: !h {k3.name = "b0"}, %b1: !h {k3.name = "b1"}, %b2: !h {k3.name = "b2"},
                      %b3: !h {k3.name = "b3"}, %p: !h {k3.name = "p"})
      -> (!h {k3.name = "out"}, !h {k3.name = "out_prenorm"}) {
    %mixed = k3.attn_res [%b0, %b1, %b2, %b3] %p, @folded eps 1.0e-5 : [!h, !h, !h, !h] !h -> !h
    %normed = k3.attn_res [%b0, %b1, %b2, %b3] %p, @folded norm @prenorm_weight eps 1.0e-5 : [!h, !h, !h, !h] !h -> !h
    return %mixed, %normed : !h, !h
  }
}
