// KDA from raw q and k to the new state, against the golden operators: short, chunk-sized and longer sequences, strong decay.
// REQUIRES: golden, compiler
// RUN: k3-compile %s -o %t.k3x --max-tokens=256 --max-seqs=1
// RUN: %python %S/ops.py kda %t.k3x %golden/ops/ops.safetensors %t

!i = tensor<?xi32>
!c = tensor<?x2x128xf32>
!s = tensor<?x2xf32>
module attributes {k3.version = 1 : i64} {
  k3.state @state recurrent : tensor<2x128x128xf32>
  k3.weight @A_log : tensor<2xf32> from "kda.A_log"
  k3.weight @dt_bias : tensor<256xf32> from "kda.dt_bias"
  k3.packed @packed.A_log : tensor<2xf32> {
    %0 = k3.get @A_log : tensor<2xf32>
    k3.yield %0 : tensor<2xf32>
  }
  k3.packed @packed.dt_bias : tensor<256xf32> {
    %0 = k3.get @dt_bias : tensor<256xf32>
    k3.yield %0 : tensor<256xf32>
  }
  func.func @kda(%q: !c {k3.name = "q_raw"}, %k: !c {k3.name = "k_raw"}, %v: !c {k3.name = "v"}, %z: !c {k3.name = "z"}, %b: !s {k3.name = "b"},
                 %cu: !i {k3.name = "cu_seqlens"}, %context: !i {k3.name = "context_lens"}, %read: !i {k3.name = "read_slots"},
                 %write: !i {k3.name = "write_slots"}, %table: tensor<?x1xi32> {k3.name = "block_table"}, %drafts: !i {k3.name = "draft_lens"},
                 %accepted: !i {k3.name = "accepted"}, %slots: !i {k3.name = "ckpt_slots"}, %rows: !i {k3.name = "ckpt_rows"})
      -> (!c {k3.name = "o"}, !c {k3.name = "g"}, !s {k3.name = "beta"}, !c {k3.name = "k_norm"}) {
    %batch = k3.batch %cu, %context, %read, %write, %table, %drafts, %accepted, %slots, %rows : !i, !i, !i, !i, tensor<?x1xi32>, !i, !i, !i, !i
    %qn = k3.l2_norm %q eps 1.0e-6 scale 0.08838834764831845 : !c -> !c
    %kn = k3.l2_norm %k eps 1.0e-6 scale 1.0 : !c -> !c
    %f = k3.reshape %z : !c -> tensor<?x256xf32>
    %g, %beta = k3.kda_gate %f, %b, @packed.A_log, @packed.dt_bias bound -5.0 : (tensor<?x256xf32>, !s) -> (!c, !s)
    %o = k3.kda_core %qn, %kn, %v, %g, %beta in %batch state @state : !c, !c, !c, !c, !s -> !c
    return %o, %g, %beta, %kn : !c, !c, !s, !c
  }
}
