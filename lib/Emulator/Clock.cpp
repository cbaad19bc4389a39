//===- Clock.cpp - Vector clocks of agents -------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Clock.h"

#include <algorithm>

namespace k3::emu {

const Clock::Chunk *Clock::find(uint32_t cta) const {
  auto at = std::lower_bound(chunks.begin(), chunks.end(), cta,
                             [](const Chunk &c, uint32_t n) { return c.cta < n; });
  return at != chunks.end() && at->cta == cta ? &*at : nullptr;
}

Clock::Chunk &Clock::obtain(uint32_t cta) {
  auto at = std::lower_bound(chunks.begin(), chunks.end(), cta,
                             [](const Chunk &c, uint32_t n) { return c.cta < n; });
  if (at == chunks.end() || at->cta != cta)
    at = chunks.insert(at, Chunk{cta, {}});
  return *at;
}

uint32_t Clock::at(AgentId agent) const {
  const Chunk *chunk = find(ctaOf(agent));
  uint32_t local = localOf(agent);
  return chunk && local < chunk->times.size() ? chunk->times[local] : 0;
}

void Clock::set(AgentId agent, uint32_t time) {
  Chunk &chunk = obtain(ctaOf(agent));
  uint32_t local = localOf(agent);
  if (local >= chunk.times.size())
    chunk.times.resize(local + 1);
  chunk.times[local] = time;
}

void Clock::raise(AgentId agent, uint32_t time) {
  if (at(agent) < time)
    set(agent, time);
}

void Clock::join(const Clock &other) {
  for (const Chunk &from : other.chunks) {
    Chunk &to = obtain(from.cta);
    if (to.times.size() < from.times.size())
      to.times.resize(from.times.size());
    for (size_t i = 0; i < from.times.size(); ++i)
      to.times[i] = std::max(to.times[i], from.times[i]);
  }
}

Clock Clock::meet(std::span<const Clock *const> clocks) {
  Clock result = *clocks[0];
  for (Chunk &chunk : result.chunks)
    for (const Clock *other : clocks.subspan(1)) {
      const Chunk *theirs = other->find(chunk.cta);
      for (size_t i = 0; i < chunk.times.size(); ++i)
        chunk.times[i] = std::min(chunk.times[i], theirs && i < theirs->times.size() ? theirs->times[i] : 0);
    }
  return result;
}

} // namespace k3::emu
