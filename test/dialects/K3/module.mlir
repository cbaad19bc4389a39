// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

// The smallest whole model module: attributes and the three functions that the runtime calls.

!i = tensor<?xi32>
!f = tensor<?xf32>
// CHECK: module @tiny attributes {k3.mesh = #k3.mesh<pp = 1, dp = 1, tp = 2, ep = 2, cp = 2>, k3.precision = "bf16", k3.version = 1 : i64}
module @tiny attributes {k3.version = 1 : i64, k3.mesh = #k3.mesh<pp = 1, dp = 1, tp = 2, ep = 2, cp = 2>, k3.precision = "bf16"} {
  k3.weight @embed : tensor<256x192xbf16> from "embed"
  k3.weight @norm : tensor<192xbf16> from "norm"
  k3.state @s recurrent : tensor<2x128x128xf32>
  // CHECK: func.func @step(
  func.func @step(%tokens: !i, %cu_seqlens: !i, %context_lens: !i, %read_slots: !i, %write_slots: !i, %block_table: tensor<?x16xi32>,
                  %logit_rows: !i, %draft_lens: !i, %accepted: !i, %ckpt_slots: !i, %ckpt_rows: !i) -> tensor<?x256xf32> {
    %h = k3.embedding %tokens, @embed : !i -> tensor<?x192xf32>
    %l = k3.lm_head %h[%logit_rows], @norm, @embed eps 1.0e-5 : tensor<?x192xf32>, !i -> tensor<?x256xf32>
    return %l : tensor<?x256xf32>
  }
  // CHECK: func.func @copy_state(
  func.func @copy_state(%src_slots: !i, %dst_slots: !i, %src_pages: !i, %dst_pages: !i) {
    k3.copy_state %src_slots to %dst_slots, @s : !i, !i
    return
  }
  // CHECK: func.func @sample(
  func.func @sample(%logits: tensor<?x256xf32>, %temperature: !f, %top_p: !f, %seed: !i, %step: !i) -> !i {
    %ids = k3.sample %logits, %temperature, %top_p, %seed, %step : tensor<?x256xf32>, !f, !f, !i, !i -> !i
    return %ids : !i
  }
}
