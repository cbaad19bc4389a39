//===- Memory.cpp - A block of emulated memory ----------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Memory.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace k3::emu {

Block::Block(std::string name, Space space, uint64_t bytes, bool trackRaces)
    : name(std::move(name)), space(space), size(bytes), owned(bytes), memory(owned.data()) {
  if (trackRaces)
    races.emplace(bytes);
  setPoison(0, bytes, 0);
}

Block::Block(std::string name, Space space, uint8_t *memory, uint64_t bytes, bool trackRaces)
    : name(std::move(name)), space(space), size(bytes), memory(memory) {
  if (trackRaces)
    races.emplace(bytes);
}

void Block::nameRegion(uint64_t offset, uint64_t bytes, std::string region) {
  regions.push_back({offset, bytes, std::move(region)});
}

std::string Block::describe(uint64_t offset, uint64_t bytes) const {
  const Region *best = nullptr;
  for (const Region &region : regions)
    if (offset >= region.offset && offset < region.offset + region.bytes &&
        (!best || region.bytes <= best->bytes))
      best = &region;
  uint64_t base = best ? best->offset : 0;
  return "bytes [" + std::to_string(offset - base) + ", " + std::to_string(offset - base + bytes) + ") of '" +
         (best ? best->name : name) + "'";
}

void Block::mark(uint64_t offset, uint64_t bytes, bool value) {
  uint64_t end = offset + bytes;
  while (offset < end) {
    uint64_t word = offset / 64, low = offset % 64, high = std::min<uint64_t>(64, low + end - offset);
    uint64_t mask = (high == 64 ? ~0ull : (1ull << high) - 1) & ~((1ull << low) - 1);
    if (value)
      poison[word] |= mask;
    else
      poison[word] &= ~mask;
    offset += high - low;
  }
}

void Block::setPoison(uint64_t offset, uint64_t bytes, uint32_t origin) {
  if (bytes == 0)
    return;
  if (poison.empty())
    poison.resize((size + 63) / 64);
  mark(offset, bytes, true);
  if (origin == 0 && origins.empty())
    return;
  for (uint64_t granule = offset / 16; granule <= (offset + bytes - 1) / 16; ++granule)
    origins[granule] = origin;
}

void Block::clearPoison(uint64_t offset, uint64_t bytes) {
  if (!poison.empty())
    mark(offset, bytes, false);
}

std::optional<uint64_t> Block::firstPoison(uint64_t offset, uint64_t bytes) const {
  if (poison.empty())
    return std::nullopt;
  uint64_t end = offset + bytes;
  while (offset < end) {
    uint64_t low = offset % 64, bits = poison[offset / 64] >> low;
    if (bits != 0) {
      uint64_t at = offset + std::countr_zero(bits);
      return at < end ? std::optional<uint64_t>(at) : std::nullopt;
    }
    offset += 64 - low;
  }
  return std::nullopt;
}

bool Block::poisoned(uint64_t offset, uint64_t bytes) const { return firstPoison(offset, bytes).has_value(); }

uint32_t Block::origin(uint64_t offset) const {
  auto at = origins.find(offset / 16);
  return at == origins.end() ? 0 : at->second;
}

void Block::copyFrom(uint64_t offset, const Block &from, uint64_t fromOffset, uint64_t bytes) {
  std::memcpy(memory + offset, from.memory + fromOffset, bytes);
  clearPoison(offset, bytes);
  uint64_t at = fromOffset, end = fromOffset + bytes;
  while (std::optional<uint64_t> bad = from.firstPoison(at, end - at)) {
    setPoison(offset + (*bad - fromOffset), 1, from.origin(*bad));
    at = *bad + 1;
  }
}

void Block::renew() {
  if (races)
    races->reset();
  origins.clear();
  setPoison(0, size, 0);
}

} // namespace k3::emu
