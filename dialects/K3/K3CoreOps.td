//===- K3CoreOps.td - The ops that layers decompose into -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_CORE_OPS
#define K3_CORE_OPS

include "dialects/K3/K3Base.td"

//===----------------------------------------------------------------------===//
// Products, norms, shapes
//===----------------------------------------------------------------------===//

def LinearOp : K3_PureOp<"linear", [K3_SymbolUser]> {
  let summary = "y = x W^T";
  let description = "x [T, K], weight [N, K], y [T, N]. Accumulates in f32 in every precision; `shard` with `partial` marks an unreduced sum.";
  let arguments = (ins K3_Float:$x, FlatSymbolRefAttr:$weight, OptionalAttr<K3_ShardAttr>:$sharding);
  let results = (outs K3_Float:$y);
  let assemblyFormat = "$x `,` $weight (`shard` $sharding^)? attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
}

def RmsNormOp : K3_PureOp<"rms_norm", [K3_SymbolUser]> {
  let summary = "y[t, :] = x[t, :] * rsqrt(mean(x[t, :]^2) + eps) * w";
  let arguments = (ins K3_Float:$x, FlatSymbolRefAttr:$weight, F64Attr:$eps);
  let results = (outs K3_Float:$y);
  let assemblyFormat = "$x `,` $weight `eps` $eps attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
}

def L2NormOp : K3_PureOp<"l2_norm", [SameOperandsAndResultShape]> {
  let summary = "y = x * rsqrt(sum(x^2) + eps) * scale over the last dimension";
  let arguments = (ins K3_Float:$x, F64Attr:$eps, F64Attr:$scale);
  let results = (outs K3_Float:$y);
  let assemblyFormat = "$x `eps` $eps `scale` $scale attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
}

def SplitOp : K3_PureOp<"split"> {
  let summary = "consecutive column ranges of a [T, N] tensor, each as [T, ...] of its own static shape";
  let description = "A view: no data moves. The parts' columns add up to N.";
  let arguments = (ins K3_Float:$input);
  let results = (outs Variadic<K3_Float>:$parts);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($parts)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def ReshapeOp : K3_PureOp<"reshape"> {
  let summary = "the same elements in row-major order; dimension 0 of an activation stays";
  let arguments = (ins K3_WeightValue:$input);
  let results = (outs K3_WeightValue:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def GatherRowsOp : K3_PureOp<"gather_rows"> {
  let summary = "out[r, :] = x[rows[r], :]; a row of -1 gives zeros";
  let arguments = (ins K3_Float:$x, K3_I32:$rows);
  let results = (outs K3_Float:$out);
  let assemblyFormat = "$x `[` $rows `]` attr-dict `:` type($x) `,` type($rows) `->` type($out)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Kimi Delta Attention
//===----------------------------------------------------------------------===//

def ShortConvOp : K3_Op<"short_conv", [K3_SymbolUser, K3_StateEffects]> {
  let summary = "causal depthwise convolution of width 4, then SiLU; moves the window";
  let description = [{
    y[t, c] = SiLU(sum_i w[c, i] u[t - 3 + i, c]); rows before the sequence come from the state's window, which then holds
    the last 3 raw rows. u [T, C], weight [C, 4], state conv [3, C]. Accumulates in f32.
  }];
  let arguments = (ins K3_Float:$u, K3_Batch:$batch, FlatSymbolRefAttr:$weight, FlatSymbolRefAttr:$state);
  let results = (outs K3_Float:$y);
  let assemblyFormat = "$u `in` $batch `,` $weight `state` $state attr-dict `:` type($u) `->` type($y)";
  let hasVerifier = 1;
}

def KdaGateOp : K3_PureOp<"kda_gate", [K3_SymbolUser]> {
  let summary = "log decay and write strength of KDA";
  let description = [{
    g[t, h, c] = bound * sigmoid(exp(a_log[h]) * (f[t, h K + c] + dt_bias[h K + c])), in (bound, 0);
    beta[t, h] = sigmoid(b[t, h]). Results are always f32.
  }];
  let arguments = (ins K3_Float:$f, K3_Float:$b, FlatSymbolRefAttr:$a_log, FlatSymbolRefAttr:$dt_bias, F64Attr:$bound);
  let results = (outs K3_F32:$g, K3_F32:$beta);
  let assemblyFormat = [{
    $f `,` $b `,` $a_log `,` $dt_bias `bound` $bound attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def KdaCoreOp : K3_Op<"kda_core", [K3_SymbolUser, K3_StateEffects]> {
  let summary = "the gated delta rule over a ragged batch";
  let description = [{
    Preconditions: q, k [T, H, K] normalised, q scaled; v [T, H, V]; g [T, H, K] and beta [T, H] f32; state recurrent [H, V, K].

    Semantics, per sequence, head and token: S = S diag(exp(g)); u = beta (v - S k); S = S + u k^T; o = S q.

    Numerics: f32. `chunk`: tokens of the chunked form; chunk * -bound stays below 88, so that exp(-G) is finite.
  }];
  let arguments = (ins K3_Float:$q, K3_Float:$k, K3_Float:$v, K3_F32:$g, K3_F32:$beta, K3_Batch:$batch, FlatSymbolRefAttr:$state,
                   DefaultValuedAttr<K3_KdaFormAttr, "::k3::KdaForm::Auto">:$form, DefaultValuedAttr<I64Attr, "16">:$chunk);
  let results = (outs K3_Float:$o);
  let assemblyFormat = [{
    $q `,` $k `,` $v `,` $g `,` $beta `in` $batch `state` $state attr-dict `:`
    type($q) `,` type($k) `,` type($v) `,` type($g) `,` type($beta) `->` type($o)
  }];
  let hasVerifier = 1;
}

def GatedNormOp : K3_PureOp<"gated_norm", [K3_SymbolUser]> {
  let summary = "per-head RMSNorm, times weight, times sigmoid of a gate";
  let description = "y[t, h, :] = o * rsqrt(mean(o^2) + eps) * w * sigmoid(gate[t, h, :]). o, gate, y [T, H, V], w [V].";
  let arguments = (ins K3_Float:$o, K3_Float:$gate, FlatSymbolRefAttr:$weight, F64Attr:$eps);
  let results = (outs K3_Float:$y);
  let assemblyFormat = "$o `,` $gate `,` $weight `eps` $eps attr-dict `:` type($o) `,` type($gate) `->` type($y)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Gated MLA
//===----------------------------------------------------------------------===//

def MlaAppendOp : K3_Op<"mla_append", [K3_SymbolUser, K3_StateEffects]> {
  let summary = "writes the normed latent and the shared key of new tokens to the paged cache";
  let description = [{
    kv [T, C + R]: columns 0..C-1 are RMS-normed with `norm` [C] and `eps`, the last R are stored as they are. Token t of a sequence
    goes to position context_len + t, page block_table[s, position / page].
  }];
  let arguments = (ins K3_Float:$kv, K3_Batch:$batch, FlatSymbolRefAttr:$norm, FlatSymbolRefAttr:$state, F64Attr:$eps);
  let assemblyFormat = "$kv `in` $batch `,` $norm `state` $state `eps` $eps attr-dict `:` type($kv)";
  let hasVerifier = 1;
}

def MlaCoreOp : K3_Op<"mla_core", [K3_SymbolUser, K3_StateEffects]> {
  let summary = "softmax attention of new tokens over the latent cache, causal";
  let description = [{
    q [T, H, N + R]; kv_b [H, N + V, C], rows W_uk (N) then W_uv (V) of each head; cache rows (c, k_r). o [T, H, V].
    k = (W_uk c, k_r), v = W_uv c, logits scaled by (N + R)^-0.5, keys are the positions up to the token's own.
    `form absorbed` moves W_uk into the query and W_uv behind the sum; `unabsorbed` expands keys and values; `auto` chooses per
    sequence by cost, a pure function of (new tokens, total tokens).
  }];
  let arguments = (ins K3_Float:$q, K3_Batch:$batch, FlatSymbolRefAttr:$kv_b, FlatSymbolRefAttr:$state,
                   DefaultValuedAttr<K3_MlaFormAttr, "::k3::MlaForm::Auto">:$form);
  let results = (outs K3_Float:$o);
  let assemblyFormat = "$q `in` $batch `,` $kv_b `state` $state attr-dict `:` type($q) `->` type($o)";
  let hasVerifier = 1;
}

def SigmoidGateOp : K3_PureOp<"sigmoid_gate", [SameOperandsAndResultType]> {
  let summary = "y = o * sigmoid(gate)";
  let arguments = (ins K3_Float:$o, K3_Float:$gate);
  let results = (outs K3_Float:$y);
  let assemblyFormat = "$o `,` $gate attr-dict `:` type($o)";
}

//===----------------------------------------------------------------------===//
// Feed-forward and experts
//===----------------------------------------------------------------------===//

def SituGluOp : K3_PureOp<"situ_glu"> {
  let summary = "SiTU-GLU: beta tanh(a / beta) sigmoid(a) * linear_beta tanh(u / linear_beta)";
  let description = "x [T, 2 I], a = columns 0..I-1 (gate), u = columns I..2I-1 (up). The sigmoid takes the uncapped a.";
  let arguments = (ins K3_Float:$x, F64Attr:$beta, F64Attr:$linear_beta);
  let results = (outs K3_Float:$y);
  let assemblyFormat = "$x `betas` $beta `,` $linear_beta attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
}

def RouteOp : K3_PureOp<"route", [K3_SymbolUser]> {
  let summary = "chooses experts and their weights";
  let description = [{
    s = sigmoid(logits) [T, E]; the `top` largest of s + bias, ties to the smaller id, listed in ascending id;
    weights = s of the chosen, without bias, divided by (sum + 1e-20) with `renormalize`, times `scale`.
  }];
  let arguments = (ins K3_F32:$logits, FlatSymbolRefAttr:$bias, I64Attr:$top, F64Attr:$scale, UnitAttr:$renormalize);
  let results = (outs K3_I32:$ids, K3_F32:$weights);
  let assemblyFormat = [{
    $logits `,` $bias `top` $top `scale` $scale (`renormalize` $renormalize^)? attr-dict `:` type($logits) `->` type($ids) `,` type($weights)
  }];
  let hasVerifier = 1;
}

def ExpertsOp : K3_PureOp<"experts", [K3_SymbolUser]> {
  let summary = "routed MX experts: y[t] = sum_j weights[t, j] * w2 SiTU(w1 z[t], w3 z[t]) of expert ids[t, j]";
  let description = [{
    z [T, L]; w13 a family of [2 I, L] (rows w1, then w3), w2 a family of [L, I]. The sum runs over ascending j in f32; the
    routing weight multiplies after w2.
  }];
  let arguments = (ins K3_Float:$z, K3_I32:$ids, K3_F32:$weights, FlatSymbolRefAttr:$w13, FlatSymbolRefAttr:$w2, F64Attr:$beta,
                   F64Attr:$linear_beta, OptionalAttr<K3_ShardAttr>:$sharding);
  let results = (outs K3_Float:$y);
  let assemblyFormat = [{
    $z `,` $ids `,` $weights `,` $w13 `,` $w2 `betas` $beta `,` $linear_beta (`shard` $sharding^)? attr-dict
    `:` type($z) `,` type($ids) `,` type($weights) `->` type($y)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Collectives over mesh axes
//===----------------------------------------------------------------------===//

class K3_Collective<string opMnemonic, string what> : K3_PureOp<opMnemonic, [K3_SymbolUser]> {
  let summary = what;
  let arguments = (ins K3_Float:$input, StrArrayAttr:$axes, DefaultValuedAttr<I64Attr, "0">:$dim);
  let results = (outs K3_Float:$result);
  let assemblyFormat = "$input `over` $axes attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def AllReduceOp : K3_Collective<"all_reduce", "sum over the ranks of the axes, on every rank">;
def AllGatherOp : K3_Collective<"all_gather", "parts of the ranks of the axes one after another along `dim`">;
def ReduceScatterOp : K3_Collective<"reduce_scatter", "sum over the ranks of the axes, each rank keeps its part of `dim`">;

//===----------------------------------------------------------------------===//
// Around the step
//===----------------------------------------------------------------------===//

// Taps are ordered among themselves and keep their tensor observable.
def TapOp : K3_Op<"tap", [SameOperandsAndResultType, K3_StateEffects]> {
  let summary = "a named point where a tensor can be read or replaced";
  let description = "An identity that nothing is fused across. Names are unique in a function.";
  let arguments = (ins StrAttr:$name, AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$name $input attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def CopyStateOp : K3_Op<"copy_state", [K3_SymbolUser, K3_StateEffects]> {
  let summary = "copies slots (recurrent, conv) or pages (paged) of one state symbol";
  let description = "state[dst[i]] = state[src[i]] for every i; -1 is padding. No index occurs both in src and dst.";
  let arguments = (ins K3_I32:$src, K3_I32:$dst, FlatSymbolRefAttr:$state);
  let assemblyFormat = "$src `to` $dst `,` $state attr-dict `:` type($src) `,` type($dst)";
  let hasVerifier = 1;
}

def SampleOp : K3_PureOp<"sample"> {
  let summary = "one token id a row of logits";
  let description = [{
    Temperature 0 is the largest logit, ties to the smaller id. A positive temperature draws from softmax(logits / temperature)
    cut to the smallest set of mass top_p, with the counter-based generator (seed[r], step[r]).
  }];
  let arguments = (ins K3_F32:$logits, K3_F32:$temperature, K3_F32:$top_p, K3_I32:$seed, K3_I32:$step);
  let results = (outs K3_I32:$ids);
  let assemblyFormat = [{
    $logits `,` $temperature `,` $top_p `,` $seed `,` $step attr-dict `:`
    type($logits) `,` type($temperature) `,` type($top_p) `,` type($seed) `,` type($step) `->` type($ids)
  }];
  let hasVerifier = 1;
}

def StorePackedOp : K3_Op<"store_packed", [K3_SymbolUser, K3_StateEffects]> {
  let summary = "inside @pack: the value becomes the packed weight of that name";
  let description = "For a family the value is that of the current member.";
  let arguments = (ins K3_WeightValue:$value, FlatSymbolRefAttr:$packed);
  let assemblyFormat = "$value `,` $packed attr-dict `:` type($value)";
}

#endif // K3_CORE_OPS
