//===- ShortConvKernel.cpp - Causal convolution of width 4 with state ------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y[t, c] = SiLU(sum_i w[c, i] u[t - 3 + i, c]); one unit is a sequence by 64 channels. The last three rows
// travel in registers along the sequence; the old window is kept in scratch, since read and write slot may be
// the same.
//
//===----------------------------------------------------------------------===//

#include "passes/Host/Kernels/KernelBuilder.h"

namespace k3::host {

using Carried = KernelBuilder::Carried;
static constexpr int64_t blockWidth = 64;

HostKernel buildShortConv(KernelModule &module, const ShortConvParams &p) {
  return module.kernel(kernelSymbol("short_conv", {p.channels}), 1, [&](KernelBuilder &k) {
    View u = k.read("u", {p.channels}), w = k.read("w", {4}), cu = k.integers("cu"),
         context = k.integers("context"), readSlots = k.integers("read_slots"),
         writeSlots = k.integers("write_slots"), ckptSlots = k.integers("ckpt_slots"),
         ckptRows = k.integers("ckpt_rows"), state = k.buffer("state", Access::Both, {3, p.channels}),
         y = k.write("y", {p.channels});
    View taps = k.scratch({4, blockWidth}), old = k.scratch({3, blockWidth});
    int64_t blocks = shortConvBlocks(p.channels);

    k.grid([&](Index unit) {
      Index s = unit / blocks, first = unit % blocks * blockWidth;
      Index width = min(k.index(blockWidth), k.index(p.channels) - first);
      Index begin = cu().integer(s), end = cu().integer(s + 1);
      Index source = readSlots().integer(s), target = writeSlots().integer(s);
      Bool continued = context().integer(s) >= 1 && source >= 0;

      // The window whose newest row is `last`, to a slot: rows before the sequence's first come from the old
      // window.
      auto store = [&](Index slot, Index last) {
        k.forRange(0, 3, [&](Index i) {
          Index row = last + i - 2;
          Row to = state(slot, i).from(first);
          k.when(
              row < begin, [&] { k.forLanes(width, [&](Lane c) { to.set(c, old(row - begin + 3)[c]); }); },
              [&] { k.forLanes(width, [&](Lane c) { to.set(c, u(row).from(first)[c]); }); });
        });
      };

      k.when(target >= 0 && (begin < end || continued), [&] {
        k.forRange(0, 3, [&](Index i) {
          k.when(
              continued,
              [&] { k.forLanes(width, [&](Lane c) { old(i).set(c, state(source, i).from(first)[c]); }); },
              [&] { k.fill(old(i), blockWidth, 0); });
        });
        k.forRange(k.index(0), width, [&](Index c) {
          for (int64_t i = 0; i < 4; ++i)
            taps(i).set(c, w(first + c)[i]);
        });
        k.forLanes(width, [&](Lane c) {
          F w0 = taps(0)[c], w1 = taps(1)[c], w2 = taps(2)[c], w3 = taps(3)[c];
          k.fold(begin, end, Carried{old(0)[c], old(1)[c], old(2)[c]}, [&](Index t, const Carried &rows) {
            F now = u(t).from(first)[c];
            F sum = fma(w3, now, fma(w2, rows[2], fma(w1, rows[1], w0 * rows[0])));
            y(t).from(first).set(c, silu(sum));
            return Carried{rows[1], rows[2], now};
          });
        });
        k.forRange(k.index(0), ckptRows.rows(), [&](Index n) {
          Index row = ckptRows().integer(n), slot = ckptSlots().integer(n);
          k.when(slot >= 0 && !(row < begin) && row < end, [&] { store(slot, row); });
        });
        store(target, end - 1);
      });
    });
  });
}

} // namespace k3::host
