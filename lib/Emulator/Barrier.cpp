//===- Barrier.cpp - mbarriers, named barriers, cluster barriers ----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Barrier.h"

#include <algorithm>

namespace k3::emu {

Mbarrier::Look Mbarrier::look(int64_t want) const {
  bool odd = (phase - want) % 2 != 0;
  if (want < 0)
    return Look::Done; // the producer's first pass
  if (phase > want)
    return odd ? Look::Done : Look::Missed;
  return odd ? Look::Aliased : Look::Wait;
}

bool Mbarrier::arrive(uint32_t count, const Clocks &clocks) {
  gathered.join(clocks);
  pending -= count;
  bool fits = pending >= 0;
  endPhase();
  return fits;
}

void Mbarrier::complete(int64_t bytes, const Clocks &clocks) {
  gathered.join(clocks);
  tx -= bytes;
  endPhase();
}

void Mbarrier::endPhase() {
  if (pending > 0 || tx != 0)
    return;
  ended[phase % ended.size()] = std::move(gathered);
  gathered = Clocks();
  pending = arrivals;
  ++phase;
}

const Clocks &Mbarrier::phaseClocks(int64_t n) const {
  // Of phases long past the oldest kept one; a later phase's waiters have seen more, never less.
  int64_t oldest = std::max<int64_t>(0, phase - static_cast<int64_t>(ended.size()));
  return ended[std::max(n, oldest) % ended.size()];
}

std::string Mbarrier::state() const {
  std::string text = "is in phase " + std::to_string(phase) + ": " + std::to_string(pending) + " of " +
                     std::to_string(arrivals) + " arrivals missing";
  if (tx > 0)
    text += ", " + std::to_string(tx) + " bytes missing";
  if (tx < 0)
    text += ", " + std::to_string(-tx) + " bytes more than announced";
  return text;
}

void ClusterBarrier::update() {
  if (arrived == 0 || arrived < expected)
    return;
  released[phase % released.size()] = std::move(gathered);
  gathered = Clocks();
  arrived = 0;
  ++phase;
}

} // namespace k3::emu
