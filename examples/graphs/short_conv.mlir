// Causal convolution of width 4 over 16 channels, then SiLU; the window of a sequence is state.
!x = tensor<?x16xf32>
!i = tensor<?xi32>
module {
  k3.weight @weight : tensor<16x1x4xf32> from "conv.weight" init "normal(0, 0.5)"
  k3.packed @taps : tensor<16x4xf32> {
    %w = k3.get @weight : tensor<16x1x4xf32>
    %r = k3.reshape %w : tensor<16x1x4xf32> -> tensor<16x4xf32>
    k3.yield %r : tensor<16x4xf32>
  }
  k3.state @window conv : tensor<3x16xf32>

  func.func @short_conv(%x: !x {k3.name = "x"},
                        %cu_seqlens: !i {k3.name = "cu_seqlens"}, %context_lens: !i {k3.name = "context_lens"},
                        %read_slots: !i {k3.name = "read_slots"}, %write_slots: !i {k3.name = "write_slots"},
                        %block_table: tensor<?x1xi32> {k3.name = "block_table"}, %draft_lens: !i {k3.name = "draft_lens"},
                        %accepted: !i {k3.name = "accepted"}, %ckpt_slots: !i {k3.name = "ckpt_slots"},
                        %ckpt_rows: !i {k3.name = "ckpt_rows"}) -> (!x {k3.name = "out"}) {
    %batch = k3.batch %cu_seqlens, %context_lens, %read_slots, %write_slots, %block_table, %draft_lens, %accepted,
                      %ckpt_slots, %ckpt_rows : !i, !i, !i, !i, tensor<?x1xi32>, !i, !i, !i, !i
    %y = k3.short_conv %x in %batch, @taps state @window : !x -> !x
    return %y : !x
  }
}
