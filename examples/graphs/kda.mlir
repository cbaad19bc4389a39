// The heart of Kimi Delta Attention as a graph of its own: normalised queries and keys, decay and write strength, the
// gated delta rule over a ragged batch. Two heads of 128; weights kda.A_log and kda.dt_bias come from --weights.
!heads = tensor<?x2x128xf32>
!i = tensor<?xi32>
module {
  k3.weight @A_log : tensor<2xf32> from "kda.A_log" init "uniform(-1, 0.5)"
  k3.weight @dt_bias : tensor<256xf32> from "kda.dt_bias" init "uniform(-4, -1)"
  k3.state @state recurrent : tensor<2x128x128xf32>

  func.func @kda(%q_raw: !heads {k3.name = "q_raw"}, %k_raw: !heads {k3.name = "k_raw"}, %v: !heads {k3.name = "v"},
                 %z: !heads {k3.name = "z"}, %b: tensor<?x2xf32> {k3.name = "b"},
                 %cu_seqlens: !i {k3.name = "cu_seqlens"}, %context_lens: !i {k3.name = "context_lens"},
                 %read_slots: !i {k3.name = "read_slots"}, %write_slots: !i {k3.name = "write_slots"},
                 %block_table: tensor<?x1xi32> {k3.name = "block_table"}, %draft_lens: !i {k3.name = "draft_lens"},
                 %accepted: !i {k3.name = "accepted"}, %ckpt_slots: !i {k3.name = "ckpt_slots"},
                 %ckpt_rows: !i {k3.name = "ckpt_rows"}) -> (!heads {k3.name = "o"}) {
    %batch = k3.batch %cu_seqlens, %context_lens, %read_slots, %write_slots, %block_table, %draft_lens, %accepted,
                      %ckpt_slots, %ckpt_rows : !i, !i, !i, !i, tensor<?x1xi32>, !i, !i, !i, !i
    %q = k3.l2_norm %q_raw eps 1.0e-6 scale 0.08838834764831845 : !heads -> !heads
    %k = k3.l2_norm %k_raw eps 1.0e-6 scale 1.0 : !heads -> !heads
    %f = k3.reshape %z : !heads -> tensor<?x256xf32>
    %g, %beta = k3.kda_gate %f, %b, @A_log, @dt_bias bound -5.0
        : (tensor<?x256xf32>, tensor<?x2xf32>) -> (!heads, tensor<?x2xf32>)
    %o = k3.kda_core %q, %k, %v, %g, %beta in %batch state @state : !heads, !heads, !heads, !heads, tensor<?x2xf32> -> !heads
    return %o : !heads
  }
}
