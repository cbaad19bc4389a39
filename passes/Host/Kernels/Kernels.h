//===- Kernels.h - The CPU kernels of the host target -----------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One builder function per kernel family. Each adds one grid function (lib/Package/GridAbi.h) to the module
// and says how to launch it; the same parameters give the same symbol, added once. All constants are baked
// in.
//
// Notation of the comments: `name(buffers in argument order; baked constants) units N`. Everything is f32
// unless it says i32 or i8. In [T, H, K] dimension 0 takes its extent and stride from the buffer table, the
// others are static and contiguous. Buffers of one dimension that hold weights (w, query, bias, A_log,
// dt_bias) must have row_stride 1; so must the batch arrays (cu, context, slots, ckpt_*), which are i32. The
// equations are those of the k3 ops (dialects/K3) with f32 arithmetic: reductions have 8 lane accumulators
// over the ascending index, the lanes are added in one fixed order, the tail follows. A row's bits depend on
// its own inputs only.
//
// Batch arrays: cu[S+1] first row of each sequence, context[S] tokens committed before this step, read_slots
// / write_slots[S] (-1: the sequence is padding), ckpt_slots / ckpt_rows[N] (row -1: padding; the state after
// that row also goes to that slot). An empty sequence with context > 0 copies its state from the read to the
// write slot.
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_HOST_KERNELS_KERNELS_H
#define K3_PASSES_HOST_KERNELS_KERNELS_H

#include <cstdint>
#include <string>

namespace k3::host {

class KernelModule;

/// What a launch needs to know of a kernel.
struct HostKernel {
  std::string symbol;       ///< exported C symbol, a k3_grid_function
  int64_t scratchBytes = 0; ///< scratch of one thread
  int64_t grain = 1;        ///< suggested units of one work item
  std::string access;       ///< one letter per buffer: r read, w written, b both
};

/// embedding(tokens[T] i32, table[V, D], out[T, D]) units T. A token id < 0 (padding) writes zeros.
struct EmbeddingParams {
  int64_t hidden;
};
HostKernel buildEmbedding(KernelModule &module, const EmbeddingParams &params);

/// rms_norm(x[T, D], w[D], y[T, D]; eps) units T: y = x rsqrt(mean x^2 + eps) w.
struct RmsNormParams {
  int64_t hidden;
  float eps;
};
HostKernel buildRmsNorm(KernelModule &module, const RmsNormParams &params);

/// l2_norm(x[T, H, K], y[T, H, K]; eps, scale) units T: y = x rsqrt(sum x^2 + eps) scale per head.
struct L2NormParams {
  int64_t heads, dim;
  float eps, scale;
};
HostKernel buildL2Norm(KernelModule &module, const L2NormParams &params);

/// gated_norm(o[T, H, V], gate[T, H*V], w[V], y[T, H*V]; eps) units T: y = o rsqrt(mean_V o^2 + eps) w
/// sigmoid(gate).
struct GatedNormParams {
  int64_t heads, dim;
  float eps;
};
HostKernel buildGatedNorm(KernelModule &module, const GatedNormParams &params);

/// short_conv(u[T, C], w[C, 4], cu, context, read_slots, write_slots, ckpt_slots, ckpt_rows, state[slots, 3,
/// C], y[T, C]) units S * shortConvBlocks(C): causal depthwise convolution (tap 3 = current row), then SiLU.
/// The state is the last 3 rows of u, oldest first; rows before the start of the sequence are zero.
struct ShortConvParams {
  int64_t channels;
};
HostKernel buildShortConv(KernelModule &module, const ShortConvParams &params);
/// Channel blocks of one sequence.
inline int64_t shortConvBlocks(int64_t channels) { return (channels + 63) / 64; }

/// kda_gate(f[T, H*K], b[T, H], A_log[H or more], dt_bias[H*K], g[T, H, K], beta[T, H]; bound) units T:
/// g = bound sigmoid(exp(A_log[h]) (f + dt_bias)), beta = sigmoid(b).
struct KdaGateParams {
  int64_t heads, dim;
  float bound;
};
HostKernel buildKdaGate(KernelModule &module, const KdaGateParams &params);

/// How kda_core walks a sequence. Auto: the recurrence where a sequence has one new row, else chunks.
enum class KdaForm { Auto, Chunked, Recurrent };

/// kda_core(q[T, H, K], k[T, H, K], v[T, H, V], g[T, H, K], beta[T, H], cu, context, read_slots, write_slots,
/// ckpt_slots, ckpt_rows, state[slots, H, V, K], o[T, H, V]) units S * H. q is normalised and scaled, k
/// normalised, g the log decay. A chunk ends at an absolute position that `chunk` divides, after a checkpoint
/// row, at the end.
struct KdaCoreParams {
  int64_t heads, keyDim, valueDim;
  int64_t chunk = 16;
  KdaForm form = KdaForm::Auto;
};
HostKernel buildKdaCore(KernelModule &module, const KdaCoreParams &params);

/// attn_res(source_0[T, D] .. source_{m-1}[T, D], partial[T, D], [delta[T, D]], query[D], [norm_w[D]],
/// mixed[T, D], [sum[T, D]]; eps) units T: p = partial (+ delta, stored to sum, which is present iff delta
/// is); logits <v_i, query> rsqrt(mean v_i^2 + eps) over the sources and p; mixed = softmax-weighted sum,
/// then rms_norm with norm_w where present. m = 0: mixed = p (normed) exactly. sum may be the same memory as
/// partial or delta.
struct AttnResParams {
  int64_t hidden;
  int64_t sources; ///< m, without the partial sum
  bool delta = false, norm = false;
  float eps = 1e-5f; ///< of the logits and of the norm
};
HostKernel buildAttnRes(KernelModule &module, const AttnResParams &params);

/// situ_glu(x[T, 2I], y[T, I]; beta, linearBeta) units T: gate a = x[:, :I], up u = x[:, I:],
/// y = beta tanh(a / beta) sigmoid(a) linearBeta tanh(u / linearBeta).
struct SituGluParams {
  int64_t width; ///< I
  float beta, linearBeta;
};
HostKernel buildSituGlu(KernelModule &module, const SituGluParams &params);

/// sigmoid_gate(o[T, N], g[T, N], y[T, N]) units T: y = o sigmoid(g).
struct SigmoidGateParams {
  int64_t width;
};
HostKernel buildSigmoidGate(KernelModule &module, const SigmoidGateParams &params);

/// route(r[T, E], bias[E], ids[T, k] i32, w[T, k]; scale, renormalize) units T: s = sigmoid(r), the k largest
/// of s + bias (ties: smaller id; NaN counts as -inf), ids ascending, w = s / (sum + 1e-20) scale (s scale
/// without renormalize).
struct RouteParams {
  int64_t experts, top;
  float scale = 1.0f;
  bool renormalize = true;
};
HostKernel buildRoute(KernelModule &module, const RouteParams &params);

/// The four launches of the routed experts. `slot` = t * k + j; order lists the slots by expert, ascending
/// inside. L (latent) and I (width) are multiples of 32. Weights: one member of bytes per expert, w13:
/// nibbles [2I, L/2] (rows of w1, then w3; low nibble first), then scale bytes [2I, L/32]; w2: nibbles [L,
/// I/2], then scale bytes [L, I/32].
struct ExpertsParams {
  int64_t experts, top, latent, width;
  float beta, linearBeta;
};
/// experts_group(ids[T, k] i32, offsets[E+1] i32, order[T*k] i32) units 1.
HostKernel buildExpertsGroup(KernelModule &module, const ExpertsParams &params);
/// experts_up(z[T, L], order[T*k] i32, offsets[E+1] i32, w13[E, bytes] i8, h[T*k, I]) units E * I / 16.
HostKernel buildExpertsUp(KernelModule &module, const ExpertsParams &params);
/// experts_down(h[T*k, I], order i32, offsets i32, w2[E, bytes] i8, ys[T*k, L]) units E * L / 16.
HostKernel buildExpertsDown(KernelModule &module, const ExpertsParams &params);
/// experts_combine(ys[T*k, L], w[T, k], y[T, L]) units T, j ascending.
HostKernel buildExpertsCombine(KernelModule &module, const ExpertsParams &params);
inline int64_t expertsUpUnits(const ExpertsParams &p) { return p.experts * ((p.width + 15) / 16); }
inline int64_t expertsDownUnits(const ExpertsParams &p) { return p.experts * ((p.latent + 15) / 16); }
/// Bytes of a member.
inline int64_t expertsW13Bytes(const ExpertsParams &p) {
  return 2 * p.width * (p.latent / 2 + p.latent / 32);
}
inline int64_t expertsW2Bytes(const ExpertsParams &p) { return p.latent * (p.width / 2 + p.width / 32); }

/// mla_append(kv[T, C+R], w[C], cu, context, block_table[S, P] i32, latent[pages, 64, C+R]; eps) units T: row
/// t of sequence s goes to position context[s] + t - cu[s]: the first C columns normed times w, then R raw
/// columns. Rows from cu[S] on are padding, and so are rows whose block-table entry is negative.
struct MlaAppendParams {
  int64_t latent, rope; ///< C, R
  float eps;
};
HostKernel buildMlaAppend(KernelModule &module, const MlaAppendParams &params);

/// How mla_core forms the products. Auto: per sequence, by operation count, from (new rows, total length)
/// alone.
enum class MlaForm { Auto, Absorbed, Unabsorbed };

/// mla_core(q[T, H, N+R], kv_b[H, N+V, C], cu, context, block_table[S, P] i32, latent[pages, 64, C+R], o[T,
/// H, V]) units S * H. Runs after mla_append of the same rows. Scale (N+R)^-0.5; causal softmax in f32 over
/// all positions.
struct MlaCoreParams {
  int64_t heads, nope, rope, value, latent; ///< H, N, R, V, C
  MlaForm form = MlaForm::Auto;
};
HostKernel buildMlaCore(KernelModule &module, const MlaCoreParams &params);

/// gather_rows(h[T, D], rows[R] i32, out[R, D]) units R. Row -1 writes zeros.
struct GatherRowsParams {
  int64_t hidden;
};
HostKernel buildGatherRows(KernelModule &module, const GatherRowsParams &params);

/// add(a[T, D], b[T, D], y[T, D]) units T.
struct AddParams {
  int64_t hidden;
};
HostKernel buildAdd(KernelModule &module, const AddParams &params);

/// copy_rows(src_idx[N] i32, dst_idx[N] i32, state[slots, M]) units N. A pair with a -1 is skipped.
struct CopyRowsParams {
  int64_t elements; ///< M, elements of one slot or page
};
HostKernel buildCopyRows(KernelModule &module, const CopyRowsParams &params);

/// sample_greedy(logits[R, V], ids[R] i32) units R. Ties: smaller id; NaN is never chosen over a number.
struct SampleGreedyParams {
  int64_t vocab;
};
HostKernel buildSampleGreedy(KernelModule &module, const SampleGreedyParams &params);

} // namespace k3::host

#endif // K3_PASSES_HOST_KERNELS_KERNELS_H
