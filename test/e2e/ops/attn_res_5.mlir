// Attention residuals over 5 sources, with and without the norm that follows.
// REQUIRES: golden, compiler
// RUN: k3-compile %s -o %t.k3x --max-tokens=16 --max-seqs=1
// RUN: %python %S/ops.py attnres.L5 %t.k3x %golden/ops/ops.safetensors %t

!h = tensor<?x256xf32>
!w = tensor<256xf32>
module attributes {k3.version = 1 : i64} {
  k3.weight @query : !w from "attnres.L5.query"
  k3.weight @norm_weight : !w from "attnres.L5.norm_weight"
  k3.weight @prenorm_weight : !w from "attnres.L5.prenorm_weight"
  k3.packed @packed.query : !w {
    %0 = k3.get @query : !w
    %1 = k3.get @norm_weight : !w
    %2 = arith.mulf %0, %1 : !w
    k3.yield %2 : !w
  }
  k3.packed @packed.prenorm : !w {
    %0 = k3.get @prenorm_weight : !w
    k3.yield %0 : !w
  }
  func.func @attn_res(%b0: !h {k3.name = "source0"}, %b1: !h {k3.name = "source1"}, %b2: !h {k3.name = "source2"}, %b3: !h {k3.name = "source3"}, %p: !h {k3.name = "source4"}) -> (!h {k3.name = "out"}, !h {k3.name = "out_prenorm"}) {
    %0 = k3.attn_res [%b0, %b1, %b2, %b3] %p, @packed.query eps 1.0e-5 : [!h, !h, !h, !h] !h -> !h
    %1 = k3.attn_res [%b0, %b1, %b2, %b3] %p, @packed.query norm @packed.prenorm eps 1.0e-5 : [!h, !h, !h, !h] !h -> !h
    return %0, %1 : !h, !h
  }
}
