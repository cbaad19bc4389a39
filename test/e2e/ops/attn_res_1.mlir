// Attention residuals over 1 source, with and without the norm that follows.
// REQUIRES: golden, compiler
// RUN: k3-compile %s -o %t.k3x --max-tokens=16 --max-seqs=1
// RUN: %python %S/ops.py attnres.L1 %t.k3x %golden/ops/ops.safetensors %t

!h = tensor<?x256xf32>
!w = tensor<256xf32>
module attributes {k3.version = 1 : i64} {
  k3.weight @query : !w from "attnres.L1.query"
  k3.weight @norm_weight : !w from "attnres.L1.norm_weight"
  k3.weight @prenorm_weight : !w from "attnres.L1.prenorm_weight"
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
  func.func @attn_res(%p: !h {k3.name = "source0"}) -> (!h {k3.name = "out"}, !h {k3.name = "out_prenorm"}) {
    %0 = k3.attn_res [] %p, @packed.query eps 1.0e-5 : [] !h -> !h
    %1 = k3.attn_res [] %p, @packed.query norm @packed.prenorm eps 1.0e-5 : [] !h -> !h
    return %0, %1 : !h, !h
  }
}
