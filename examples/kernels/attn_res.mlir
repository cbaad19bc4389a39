// Attention residuals of the model's width: the prefix sum takes a layer's output, is stored and mixed with the block sums, and
// the mix is normalised. Nine sources at the end of the model, three near its beginning.
!h = tensor<?x7168xbf16>
!w = tensor<7168xf32>
module attributes {k3.version = 1 : i64} {
  k3.weight @query : !w from "query" init "normal(0, 0.02)"
  k3.packed @packed.query : !w {
    %0 = k3.get @query : !w
    k3.yield %0 : !w
  }
  k3.weight @norm : !w from "norm" init "uniform(0.5, 1.5)"
  k3.packed @packed.norm : !w {
    %0 = k3.get @norm : !w
    k3.yield %0 : !w
  }
  func.func @attn_res_9(%b0: !h {k3.name = "b0"}, %b1: !h {k3.name = "b1"}, %b2: !h {k3.name = "b2"}, %b3: !h {k3.name = "b3"}, %b4: !h {k3.name = "b4"}, %b5: !h {k3.name = "b5"}, %b6: !h {k3.name = "b6"}, %b7: !h {k3.name = "b7"}, %prefix: !h {k3.name = "prefix"}, %delta: !h {k3.name = "delta"})
      -> (!h {k3.name = "y"}, !h {k3.name = "p"}) {
    %y, %p = k3.attn_res [%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7] %prefix plus %delta, @packed.query norm @packed.norm eps 1.0e-5
        : [!h, !h, !h, !h, !h, !h, !h, !h] !h plus !h -> !h, !h
    return %y, %p : !h, !h
  }
  func.func @attn_res_3(%b0: !h {k3.name = "b0"}, %b1: !h {k3.name = "b1"}, %prefix: !h {k3.name = "prefix"}, %delta: !h {k3.name = "delta"})
      -> (!h {k3.name = "y"}, !h {k3.name = "p"}) {
    %y, %p = k3.attn_res [%b0, %b1] %prefix plus %delta, @packed.query norm @packed.norm eps 1.0e-5
        : [!h, !h] !h plus !h -> !h, !h
    return %y, %p : !h, !h
  }
}
