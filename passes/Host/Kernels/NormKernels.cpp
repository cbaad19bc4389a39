//===- NormKernels.cpp - rms_norm, l2_norm, gated_norm ---------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One unit per row. Bytes: each reads its row twice (the second time from cache) and writes it once.
//
//===----------------------------------------------------------------------===//

#include "passes/Host/Kernels/KernelBuilder.h"

namespace k3::host {

HostKernel buildRmsNorm(KernelModule &module, const RmsNormParams &p) {
  return module.kernel(kernelSymbol("rms_norm", {p.hidden}, {p.eps}), 8, [&](KernelBuilder &k) {
    View x = k.read("x", {p.hidden}), w = k.weight("w", p.hidden), y = k.write("y", {p.hidden});
    k.grid([&](Index t) {
      F scale = rsqrt(k.sumSquares(x(t), p.hidden) / float(p.hidden) + p.eps);
      k.forLanes(p.hidden, [&](Lane c) { y(t).set(c, x(t)[c] * scale * w()[c]); });
    });
  });
}

HostKernel buildL2Norm(KernelModule &module, const L2NormParams &p) {
  return module.kernel(kernelSymbol("l2_norm", {p.heads, p.dim}, {p.eps, p.scale}), 8, [&](KernelBuilder &k) {
    View x = k.read("x", {p.heads, p.dim}), y = k.write("y", {p.heads, p.dim});
    k.grid([&](Index t) {
      k.forRange(0, p.heads, [&](Index h) {
        F scale = rsqrt(k.sumSquares(x(t, h), p.dim) + p.eps);
        k.forLanes(p.dim, [&](Lane c) { y(t, h).set(c, x(t, h)[c] * scale * p.scale); });
      });
    });
  });
}

HostKernel buildGatedNorm(KernelModule &module, const GatedNormParams &p) {
  return module.kernel(kernelSymbol("gated_norm", {p.heads, p.dim}, {p.eps}), 4, [&](KernelBuilder &k) {
    View o = k.read("o", {p.heads, p.dim}), gate = k.read("gate", {p.heads * p.dim}),
         w = k.weight("w", p.dim), y = k.write("y", {p.heads * p.dim});
    k.grid([&](Index t) {
      k.forRange(0, p.heads, [&](Index h) {
        F scale = rsqrt(k.sumSquares(o(t, h), p.dim) / float(p.dim) + p.eps);
        Row gateHead = gate(t).from(h * p.dim), yHead = y(t).from(h * p.dim);
        k.forLanes(p.dim, [&](Lane c) { yHead.set(c, o(t, h)[c] * scale * w()[c] * sigmoid(gateHead[c])); });
      });
    });
  });
}

} // namespace k3::host
