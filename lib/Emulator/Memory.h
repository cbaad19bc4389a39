//===- Memory.h - A block of emulated memory --------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes with a bit of poison each (the byte was never written, or was written with an undefined value) and,
// if wanted, their race state. Named regions of a block are what messages speak of.
//
//===----------------------------------------------------------------------===//

#ifndef K3_EMULATOR_MEMORY_H
#define K3_EMULATOR_MEMORY_H

#include "lib/Emulator/Shadow.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace k3::emu {

enum class Space { Shared, Global };

class Block {
public:
  /// `bytes` poisoned bytes of its own.
  Block(std::string name, Space space, uint64_t bytes, bool trackRaces);
  /// Memory of the caller, whose content counts as written.
  Block(std::string name, Space space, uint8_t *memory, uint64_t bytes, bool trackRaces);
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  const std::string name;
  const Space space;
  const uint64_t size;
  /// A `constant` argument: a write by a kernel is an error, reads need no order.
  bool constant = false;

  uint8_t *data() { return memory; }
  const uint8_t *data() const { return memory; }
  Shadow *shadow() { return races ? &*races : nullptr; }

  bool inside(uint64_t offset, uint64_t bytes) const { return offset <= size && bytes <= size - offset; }
  void nameRegion(uint64_t offset, uint64_t bytes, std::string region);
  /// "bytes [64, 80) of 'A'", by the innermost region.
  std::string describe(uint64_t offset, uint64_t bytes) const;

  // Poison. `origin` is the operation that made the value, 0 for never written.
  bool poisoned(uint64_t offset, uint64_t bytes) const;
  void setPoison(uint64_t offset, uint64_t bytes, uint32_t origin);
  void clearPoison(uint64_t offset, uint64_t bytes);
  /// The first poisoned byte of a range.
  std::optional<uint64_t> firstPoison(uint64_t offset, uint64_t bytes) const;
  uint32_t origin(uint64_t offset) const;
  /// Calls `visit(offset)` for every poisoned byte of a range, ascending.
  template <typename Visit>
  void eachPoison(uint64_t offset, uint64_t bytes, Visit visit) const {
    uint64_t end = offset + bytes;
    while (std::optional<uint64_t> bad = firstPoison(offset, end - offset)) {
      visit(*bad);
      offset = *bad + 1;
    }
  }
  /// Whether anything was ever poisoned; a cheap test before looking at ranges.
  bool mayHavePoison() const { return !poison.empty(); }
  /// Copies bytes and their poison.
  void copyFrom(uint64_t offset, const Block &from, uint64_t fromOffset, uint64_t bytes);
  /// All bytes are poison again and nobody has touched them.
  void renew();

private:
  std::vector<uint8_t> owned;
  uint8_t *memory;
  std::vector<uint64_t> poison;                   ///< a bit per byte; empty where nothing is poisoned
  std::unordered_map<uint64_t, uint32_t> origins; ///< by granule of 16 bytes
  std::optional<Shadow> races;
  struct Region {
    uint64_t offset, bytes;
    std::string name;
  };
  std::vector<Region> regions;
  void mark(uint64_t offset, uint64_t bytes, bool value);
};

} // namespace k3::emu

#endif // K3_EMULATOR_MEMORY_H
