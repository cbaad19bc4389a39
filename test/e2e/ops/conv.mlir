// Causal convolution and SiLU with a window from before, at lengths below, at and above the window's.
// REQUIRES: golden, compiler
// RUN: k3-compile %s -o %t.k3x --max-tokens=16 --max-seqs=1
// RUN: %python %S/ops.py conv %t.k3x %golden/ops/ops.safetensors %t

!i = tensor<?xi32>
!u = tensor<?x16xf32>
module attributes {k3.version = 1 : i64} {
  k3.state @state conv : tensor<3x16xf32>
  k3.weight @w : tensor<16x1x4xf32> from "conv.weight"
  k3.packed @packed.w : tensor<16x4xf32> {
    %0 = k3.get @w : tensor<16x1x4xf32>
    %1 = k3.reshape %0 : tensor<16x1x4xf32> -> tensor<16x4xf32>
    k3.yield %1 : tensor<16x4xf32>
  }
  func.func @conv(%x: !u {k3.name = "x"},
                  %cu: !i {k3.name = "cu_seqlens"}, %context: !i {k3.name = "context_lens"}, %read: !i {k3.name = "read_slots"},
                  %write: !i {k3.name = "write_slots"}, %table: tensor<?x1xi32> {k3.name = "block_table"}, %drafts: !i {k3.name = "draft_lens"},
                  %accepted: !i {k3.name = "accepted"}, %slots: !i {k3.name = "ckpt_slots"}, %rows: !i {k3.name = "ckpt_rows"})
      -> (!u {k3.name = "out"}) {
    %batch = k3.batch %cu, %context, %read, %write, %table, %drafts, %accepted, %slots, %rows : !i, !i, !i, !i, tensor<?x1xi32>, !i, !i, !i, !i
    %y = k3.short_conv %x in %batch, @packed.w state @state : !u -> !u
    return %y : !u
  }
}
