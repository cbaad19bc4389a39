//===- RowKernels.cpp - Norms and elementwise kernels, one unit per row ----===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

} // namespace k3::host
