//===- NameTable.h - Names to consecutive numbers ---------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Half a million names to consecutive numbers: the characters lie in a few large blocks and the hash table
// holds only numbers, so that the index of the released checkpoint is read without half a million
// allocations.
//
//===----------------------------------------------------------------------===//

#ifndef K3_SAFETENSORS_NAMETABLE_H
#define K3_SAFETENSORS_NAMETABLE_H

#include "lib/Support/Hash.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace k3 {

class NameTable {
public:
  /// The number of `name`, and whether it is new. Numbers count from 0 in order of insertion.
  std::pair<uint32_t, bool> insert(std::string_view name) {
    if ((names.size() + 1) * 2 > slots.size())
      grow();
    size_t slot = find(name);
    if (slots[slot] != empty)
      return {slots[slot], false};
    slots[slot] = static_cast<uint32_t>(names.size());
    names.push_back(store(name));
    return {slots[slot], true};
  }

  std::optional<uint32_t> lookup(std::string_view name) const {
    if (slots.empty())
      return std::nullopt;
    uint32_t number = slots[find(name)];
    return number == empty ? std::nullopt : std::optional<uint32_t>(number);
  }

  /// In order of insertion; views stay valid as long as the table lives, moves included.
  const std::vector<std::string_view> &list() const { return names; }
  size_t size() const { return names.size(); }

private:
  static constexpr uint32_t empty = ~0u;

  /// The slot that holds `name`, or the one where it belongs.
  size_t find(std::string_view name) const {
    size_t mask = slots.size() - 1;
    size_t slot = hash64(name) & mask;
    while (slots[slot] != empty && names[slots[slot]] != name)
      slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    slots.assign(std::max<size_t>(64, slots.size() * 2), empty);
    for (uint32_t number = 0; number < names.size(); ++number)
      slots[find(names[number])] = number;
  }

  std::string_view store(std::string_view name) {
    if (name.size() > room) {
      room = std::max<size_t>(1 << 20, name.size());
      blocks.push_back(std::make_unique<char[]>(room));
      next = blocks.back().get();
    }
    char *start = next;
    std::copy(name.begin(), name.end(), start);
    next += name.size();
    room -= name.size();
    return {start, name.size()};
  }

  std::vector<std::string_view> names;
  std::vector<uint32_t> slots; ///< A power of two of them, at most half full.
  std::vector<std::unique_ptr<char[]>> blocks;
  char *next = nullptr;
  size_t room = 0;
};

} // namespace k3

#endif // K3_SAFETENSORS_NAMETABLE_H
