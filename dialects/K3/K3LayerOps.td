//===- K3LayerOps.td - The model as a reader of the technical report would write it -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_LAYER_OPS
#define K3_LAYER_OPS

include "dialects/K3/K3Base.td"

// Weights and state of a layer op are dictionaries role -> symbol; the set of roles is closed per op and verified.
class K3_LayerOp<string opMnemonic, list<Trait> traits = []> : K3_Op<opMnemonic, !listconcat([K3_SymbolUser], traits)> {
  let hasVerifier = 1;
}

def BatchOp : K3_PureOp<"batch"> {
  let summary = "bundles the arrays of the step ABI that describe sequences";
  let description = [{
    S sequences, C checkpoints, P pages a sequence.
    - cu_seqlens[S+1]: first token of each sequence; the last entry is the actual number of tokens.
    - context_lens[S]: tokens committed before this step; 0 starts from zero state, the read slot is not read.
    - read_slots[S], write_slots[S]: where recurrent and conv state comes from and goes to; -1 is a padded sequence.
    - block_table[S, P]: page numbers of the paged state; -1 is none.
    - draft_lens[S]: how many of the last tokens are speculative. accepted[S]: how many drafts of the step before count.
    - ckpt_slots[C], ckpt_rows[C]: the state after token row ckpt_rows[c] also goes to ckpt_slots[c]; -1 is padding.
  }];
  let arguments = (ins K3_I32:$cu_seqlens, K3_I32:$context_lens, K3_I32:$read_slots, K3_I32:$write_slots, K3_I32:$block_table,
                   K3_I32:$draft_lens, K3_I32:$accepted, K3_I32:$ckpt_slots, K3_I32:$ckpt_rows);
  let results = (outs K3_Batch:$batch);
  let assemblyFormat = [{
    $cu_seqlens `,` $context_lens `,` $read_slots `,` $write_slots `,` $block_table `,` $draft_lens `,` $accepted `,`
    $ckpt_slots `,` $ckpt_rows attr-dict `:` type($cu_seqlens) `,` type($context_lens) `,` type($read_slots) `,`
    type($write_slots) `,` type($block_table) `,` type($draft_lens) `,` type($accepted) `,` type($ckpt_slots) `,` type($ckpt_rows)
  }];
  let hasVerifier = 1;
}

def EmbeddingOp : K3_PureOp<"embedding", [K3_SymbolUser]> {
  let summary = "rows of the embedding table, unscaled";
  let description = "Semantics: out[t, :] = table[tokens[t], :]. A token id below 0 is padding and gives zeros.";
  let arguments = (ins K3_I32:$tokens, FlatSymbolRefAttr:$table);
  let results = (outs K3_Float:$out);
  let assemblyFormat = "$tokens `,` $table attr-dict `:` type($tokens) `->` type($out)";
  let hasVerifier = 1;
}

def KdaOp : K3_LayerOp<"kda", [K3_StateEffects]> {
  let summary = "Kimi Delta Attention layer, from the normed input to the output projection";
  let description = [{
    Preconditions: x [T, D]; projections q, k, v, g are [heads * head_dim, D].

    Semantics (per head; S is [V, K], alpha = exp(g)): q, k, v = SiLU(causal conv of width 4 of the projections);
    q, k are L2-normalised (eps 1e-6), q scaled by head_dim^-0.5;
    g = bound * sigmoid(exp(A_log) (f_b(f_a(x)) + dt_bias)), beta = sigmoid(b(x));
    S = S diag(alpha); u = beta (v - S k); S = S + u k^T; o = S q;
    y = o_proj(RMSNorm(o; o_norm, eps) * sigmoid(g(x))).

    Numerics: gates, decay, state and norms in f32. Source: Kimi Linear technical report; released modeling code.

    Roles: weights q k v g f_a f_b b conv_q conv_k conv_v a_log dt_bias o_norm o; state s (recurrent) and conv.
  }];
  let arguments = (ins K3_Float:$x, K3_Batch:$batch, DictionaryAttr:$weights, DictionaryAttr:$state, I64Attr:$heads,
                   I64Attr:$head_dim, F64Attr:$bound, F64Attr:$eps);
  let results = (outs K3_Float:$y);
  let assemblyFormat = [{
    $x `in` $batch `weights` $weights `state` $state `heads` $heads `x` $head_dim `bound` $bound `eps` $eps attr-dict
    `:` type($x) `->` type($y)
  }];
}

def GatedMlaOp : K3_LayerOp<"gated_mla", [K3_StateEffects]> {
  let summary = "multi-head latent attention without positions, with an output gate";
  let description = [{
    Preconditions: x [T, D]; the latent cache holds per token the normed latent (kv_lora) and the shared key (rope).

    Semantics: q = q_b(RMSNorm(q_a(x))) as [heads, nope + rope]; (c, k_r) = kv_a(x), c = RMSNorm(c) joins the cache with k_r;
    k_h = (W_uk,h c, k_r), v_h = W_uv,h c; o_h = softmax(q_h k_h / sqrt(nope + rope)) v_h over tokens up to this one;
    y = o_proj(o * sigmoid(g(x))). Nothing is rotated.

    Numerics: softmax in f32. The two low-rank norms use norm_eps (1e-6 in the released code).

    Roles: weights q_a q_a_norm q_b kv_a kv_a_norm kv_b g o; state latent (paged).
  }];
  let arguments = (ins K3_Float:$x, K3_Batch:$batch, DictionaryAttr:$weights, DictionaryAttr:$state, I64Attr:$heads,
                   I64Attr:$nope, I64Attr:$rope, I64Attr:$v_dim, F64Attr:$norm_eps);
  let results = (outs K3_Float:$y);
  let assemblyFormat = [{
    $x `in` $batch `weights` $weights `state` $state `heads` $heads `nope` $nope `rope` $rope `v` $v_dim `norm_eps` $norm_eps
    attr-dict `:` type($x) `->` type($y)
  }];
}

def AttnResOp : K3_PureOp<"attn_res", [AttrSizedOperandSegments, K3_SymbolUser]> {
  let summary = "attention residual: a softmax mix of the block sources and the running sum";
  let description = [{
    Preconditions: bank entries and `partial` are [T, D]; `query` is the folded vector c = norm weight * pseudo-query, [D].

    Semantics: p = partial (+ delta, which is then the second result); v = bank entries in order, then p;
    logit_i = (v_i . c) * rsqrt(mean(v_i^2) + eps); a = softmax(logit); mixed = sum_i a_i v_i (raw sources);
    with `norm`: mixed = RMSNorm(mixed; norm, eps).

    Numerics: f32. With an empty bank a = 1 exactly. Source: Block Attention Residuals, technical report.
  }];
  let arguments = (ins Variadic<K3_Float>:$bank, K3_Float:$partial, Optional<K3_Float>:$delta, FlatSymbolRefAttr:$query,
                   OptionalAttr<FlatSymbolRefAttr>:$norm, F64Attr:$eps);
  let results = (outs K3_Float:$mixed, Optional<K3_Float>:$sum);
  let assemblyFormat = [{
    ` ` `[` $bank `]` $partial (`plus` $delta^)? `,` $query (`norm` $norm^)? `eps` $eps attr-dict `:`
    custom<BracketedTypes>(type($bank)) type($partial) (`plus` type($delta)^)? `->` type($mixed) (`,` type($sum)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

def LatentMoeOp : K3_LayerOp<"latent_moe", [Pure]> {
  let summary = "Stable LatentMoE: routed experts in a latent space plus shared experts";
  let description = [{
    Preconditions: x [T, D]; w1, w2, w3 are families of as many members as the router has rows.

    Semantics: s = sigmoid(router(x)); the `top` experts of largest s + bias (ties: smaller id); weights s / (sum + 1e-20) * scale;
    z = down(x); e(z) = w2 SiTU(w1 z, w3 z); y = up(RMSNorm(sum of weight * e(z); norm, eps)) + s_down SiTU(s_gate x, s_up x).

    Numerics: router in f32; the sum over experts in f32, before the norm and over all ranks.

    Roles: router bias down up norm w1 w2 w3 s_gate s_up s_down.
  }];
  let arguments = (ins K3_Float:$x, DictionaryAttr:$weights, I64Attr:$top, F64Attr:$scale, UnitAttr:$renormalize, F64Attr:$beta,
                   F64Attr:$linear_beta, F64Attr:$eps);
  let results = (outs K3_Float:$y);
  let assemblyFormat = [{
    $x `weights` $weights `top` $top `scale` $scale (`renormalize` $renormalize^)? `betas` $beta `,` $linear_beta `eps` $eps attr-dict
    `:` type($x) `->` type($y)
  }];
}

def DenseFfnOp : K3_LayerOp<"dense_ffn", [Pure]> {
  let summary = "gated feed-forward layer: down(SiTU(gate(x), up(x)))";
  let description = "Roles: gate up down. SiTU-GLU as in `k3.situ_glu`.";
  let arguments = (ins K3_Float:$x, DictionaryAttr:$weights, F64Attr:$beta, F64Attr:$linear_beta);
  let results = (outs K3_Float:$y);
  let assemblyFormat = "$x `weights` $weights `betas` $beta `,` $linear_beta attr-dict `:` type($x) `->` type($y)";
}

def LmHeadOp : K3_PureOp<"lm_head", [K3_SymbolUser]> {
  let summary = "final norm and vocabulary projection of chosen rows";
  let description = "Semantics: logits[r, :] = W RMSNorm(h[rows[r], :]; norm, eps). A row of -1 is padding, its logits are unspecified.";
  let arguments = (ins K3_Float:$h, K3_I32:$rows, FlatSymbolRefAttr:$norm, FlatSymbolRefAttr:$weight, F64Attr:$eps);
  let results = (outs K3_Float:$logits);
  let assemblyFormat = [{
    $h `[` $rows `]` `,` $norm `,` $weight `eps` $eps attr-dict `:` type($h) `,` type($rows) `->` type($logits)
  }];
  let hasVerifier = 1;
}

#endif // K3_LAYER_OPS
