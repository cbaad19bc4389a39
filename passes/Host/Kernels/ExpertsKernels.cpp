//===- ExpertsKernels.cpp - Routed experts, grouped by expert, MXFP4 weights ===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// group: slots t*k+j sorted by expert.  up: h = SiTU(z W1^T, z W3^T).  down: ys = h W2^T.  combine: y = sum_j
// w_j ys_j. A unit of up and down is an expert by 16 output columns: the panel is decoded once to f32 [K][16]
// in scratch, then all slots of the expert run over it, one fma chain over ascending K per element. So a
// row's bits do not depend on how many rows share its expert, and an expert without rows costs nothing.
//
//===----------------------------------------------------------------------===//

#include "passes/Host/Kernels/KernelBuilder.h"

namespace k3::host {

static constexpr int64_t panel = 16;

HostKernel buildExpertsGroup(KernelModule &module, const ExpertsParams &p) {
  return module.kernel(kernelSymbol("experts_group", {p.experts, p.top}), 1, [&](KernelBuilder &k) {
    View ids = k.buffer("ids", Access::Read, {p.top}, Element::I32),
         offsets = k.integers("offsets", Access::Write), order = k.integers("order", Access::Write);
    auto forSlots = [&](llvm::function_ref<void(Index, Index)> body) {
      k.forRange(k.index(0), ids.rows(), [&](Index t) {
        k.forRange(0, p.top, [&](Index j) {
          Index e = ids(t).integer(j);
          k.when(e >= 0 && e < p.experts, [&] { body(e, t * p.top + j); });
        });
      });
    };
    k.grid([&](Index) {
      // offsets[e] serves as the cursor of e while slots are placed, so afterwards it holds the start of e
      // + 1.
      k.forRange(0, p.experts + 1, [&](Index e) { offsets().setInteger(e, k.index(0)); });
      forSlots([&](Index e, Index) { offsets().setInteger(e + 1, offsets().integer(e + 1) + 1); });
      k.forRange(0, p.experts, [&](Index e) {
        offsets().setInteger(e + 1, offsets().integer(e + 1) + offsets().integer(e));
      });
      forSlots([&](Index e, Index slot) {
        Index place = offsets().integer(e);
        order().setInteger(place, slot);
        offsets().setInteger(e, place + 1);
      });
      k.foldIndex(k.index(0), k.index(p.experts), k.index(0), [&](Index e, Index start) {
        Index next = offsets().integer(e);
        offsets().setInteger(e, start);
        return next;
      });
    });
  });
}

/// Decodes rows row0 .. row0+15 of an MXFP4 matrix [rows, depth] (nibbles, then scales, in `member`) to the
/// columns column0 .. column0+15 of target [depth][...]: 8 rows at once, so that a vector holds one element
/// of each and the transposition is in the loads of 4 bytes a row.
static void decodePanel(KernelBuilder &k, Row member, int64_t rows, int64_t depth, Index row0, View target,
                        int64_t column0) {
  k.forRange(
      0, panel,
      [&](Index group) {
        Index first = row0 + group, column = group + column0;
        Row nibbles = member.from(first * (depth / 2));
        Row scales = member.from(first * (depth / 32) + rows * (depth / 2));
        k.forRange(0, depth / 32, [&](Index block) {
          // Half the scale, since decodeE2M1Twice gives twice the element; exact down to 2^-128.
          F half = scaleE8M0(scales.gatherBytes(block, depth / 32)) * 0.5f;
          k.forRange(0, 4, [&](Index word) {
            I32 packed = nibbles.gatherWords(block * 16 + word * 4, depth / 2);
            Index element = block * 32 + word * 8;
            for (int64_t i = 0; i < 8; ++i)
              target(element + i).set({column, lanes}, decodeE2M1Twice(packed, i) * half);
          });
        });
      },
      lanes);
}

/// The slots of an expert: [first, last) in order.
static void forExpert(KernelBuilder &k, View offsets, Index expert,
                      llvm::function_ref<void(Index, Index)> body) {
  Index first = offsets().integer(expert), last = offsets().integer(expert + 1);
  k.when(first < last, [&] { body(first, last); });
}

HostKernel buildExpertsUp(KernelModule &module, const ExpertsParams &p) {
  std::string symbol =
      kernelSymbol("experts_up", {p.experts, p.top, p.latent, p.width}, {p.beta, p.linearBeta});
  return module.kernel(symbol, 1, [&](KernelBuilder &k) {
    constexpr int64_t groupRows = 64;
    View z = k.read("z", {p.latent}), order = k.integers("order"), offsets = k.integers("offsets"),
         w13 = k.buffer("w13", Access::Read, {expertsW13Bytes(p)}, Element::I8), h = k.write("h", {p.width});
    View weights = k.scratch({p.latent, 2 * panel}), sums = k.scratch({groupRows, 2 * panel});
    int64_t panels = p.width / panel;
    k.grid([&](Index unit) {
      Index expert = unit / panels, row0 = unit % panels * panel;
      forExpert(k, offsets, expert, [&](Index first, Index last) {
        decodePanel(k, w13(expert), 2 * p.width, p.latent, row0, weights, 0);
        decodePanel(k, w13(expert), 2 * p.width, p.latent, row0 + p.width, weights, panel);
        k.forRange(
            first, last,
            [&](Index group) {
              Index rows = min(last - group, k.index(groupRows));
              auto slot = [&](Index i) { return order().integer(group + i); };
              k.product({rows, 2 * panel, k.index(p.latent), [&](Index i) { return z(slot(i) / p.top); },
                         [&](Index d) { return weights(d); }, nullptr,
                         [&](Index i, Lane c, F sum) { sums(i).set(c, sum); }});
              k.forRange(k.index(0), rows, [&](Index i) {
                Row gate = sums(i), up = sums(i).from(panel), out = h(slot(i)).from(row0);
                k.forLanes(panel, [&](Lane c) { out.set(c, situ(gate[c], up[c], p.beta, p.linearBeta)); });
              });
            },
            groupRows);
      });
    });
  });
}

HostKernel buildExpertsDown(KernelModule &module, const ExpertsParams &p) {
  return module.kernel(
      kernelSymbol("experts_down", {p.experts, p.latent, p.width}), 1, [&](KernelBuilder &k) {
        View h = k.read("h", {p.width}), order = k.integers("order"), offsets = k.integers("offsets"),
             w2 = k.buffer("w2", Access::Read, {expertsW2Bytes(p)}, Element::I8),
             ys = k.write("ys", {p.latent});
        View weights = k.scratch({p.width, panel});
        int64_t panels = p.latent / panel;
        k.grid([&](Index unit) {
          Index expert = unit / panels, row0 = unit % panels * panel;
          forExpert(k, offsets, expert, [&](Index first, Index last) {
            decodePanel(k, w2(expert), p.latent, p.width, row0, weights, 0);
            auto slot = [&](Index i) { return order().integer(first + i); };
            k.product({last - first, panel, k.index(p.width), [&](Index i) { return h(slot(i)); },
                       [&](Index d) { return weights(d); }, nullptr,
                       [&](Index i, Lane c, F sum) { ys(slot(i)).from(row0).set(c, sum); }});
          });
        });
      });
}

HostKernel buildExpertsCombine(KernelModule &module, const ExpertsParams &p) {
  return module.kernel(kernelSymbol("experts_combine", {p.top, p.latent}), 4, [&](KernelBuilder &k) {
    View ys = k.read("ys", {p.latent}), w = k.read("w", {p.top}), y = k.write("y", {p.latent});
    k.grid([&](Index t) {
      k.forLanes(p.latent, [&](Lane c) {
        F sum = w(t)[int64_t(0)] * ys(t * p.top)[c];
        for (int64_t j = 1; j < p.top; ++j)
          sum = fma(w(t)[j], ys(t * p.top + j)[c], sum);
        y(t).set(c, sum);
      });
    });
  });
}

} // namespace k3::host
