//===- RouteKernel.cpp - Choice of experts and their weights ---------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Host/Kernels/KernelBuilder.h"

#include <cmath>

namespace k3::host {

using Carried = KernelBuilder::Carried;

/// One unit per row: s = sigmoid(r); `top` times the largest s + bias not yet taken; the taken in ascending
/// order. A NaN score counts as -inf, so that garbage in a padding row still names experts that exist.
HostKernel buildRoute(KernelModule &module, const RouteParams &p) {
  std::string family = p.renormalize ? "route" : "route_raw";
  return module.kernel(kernelSymbol(family, {p.experts, p.top}, {p.scale}), 4, [&](KernelBuilder &k) {
    View r = k.read("r", {p.experts}), bias = k.weight("bias", p.experts),
         ids = k.buffer("ids", Access::Write, {p.top}, Element::I32), w = k.write("w", {p.top});
    View prob = k.scratch({p.experts}), score = k.scratch({p.experts}), taken = k.scratch({p.experts});
    k.grid([&](Index t) {
      k.forLanes(p.experts, [&](Lane e) {
        F s = sigmoid(r(t)[e]), biased = s + bias()[e];
        prob().set(e, s);
        score().set(e, select(isNan(biased), k.like(biased, -INFINITY), biased));
        taken().set(e, k.constant(0));
      });
      k.forRange(0, p.top, [&](Index) {
        // Strictly greater, ascending: a tie stays with the smaller id.
        Index none = k.index(-1);
        auto best = k.fold(k.index(0), k.index(p.experts), {k.constant(-INFINITY), F{{&k, none.v}}},
                           [&](Index e, const Carried &best) -> Carried {
                             Index chosen{{&k, best[1].v}};
                             F value = score()[e];
                             Bool better = chosen == -1 || value > best[0];
                             Bool take = better && taken()[e] < k.constant(0.5f);
                             return {select(take, value, best[0]), F{{&k, select(take, e, chosen).v}}};
                           });
        taken().set(Index{{&k, best[1].v}}, k.constant(1));
      });
      F sum = k.fold(k.index(0), k.index(p.experts), k.constant(0), [&](Index e, F acc) {
        return select(taken()[e] > k.constant(0.5f), acc + prob()[e], acc);
      });
      F denominator = sum + 1e-20f;
      k.foldIndex(k.index(0), k.index(p.experts), k.index(0), [&](Index e, Index j) {
        Bool chosen = taken()[e] > k.constant(0.5f);
        k.when(chosen, [&] {
          F weight = prob()[e];
          if (p.renormalize)
            weight = weight / denominator;
          ids(t).setInteger(j, e);
          w(t).set(j, weight * p.scale);
        });
        return select(chosen, j + 1, j);
      });
    });
  });
}

} // namespace k3::host
