//===- RegLayout.h - Which lane holds which element of a tile ---*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register layout is a function (register r, lane l, warp w of the team) -> coordinates of a tile. On a
// core of powers of two it is linear over GF(2): bit i of r, l or w contributes basis i by XOR. Static outer
// repeats multiply one dimension each, owned by registers or by warps; a repeat adds (extent so far) x (its
// index).
//
// A register holds one element here; narrower elements share 32-bit registers in register order, so the first
// bases are the packed neighbours (`packsAlong`).
//
//===----------------------------------------------------------------------===//

#ifndef K3_LAYOUT_REGLAYOUT_H
#define K3_LAYOUT_REGLAYOUT_H

#include "lib/Support/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace k3::layout {

/// One number per dimension.
using Coord = std::vector<int32_t>;

enum class Owner : uint8_t { Register, Warp };

/// `count` copies of everything before it, along `dim`; `replicate` as dim: every copy holds the same
/// elements (warps only, what is left of a repeat after a reduction).
struct Repeat {
  static constexpr int32_t replicate = -1;
  Owner owner;
  int32_t count;
  int32_t dim;
  bool operator==(const Repeat &) const = default;
};

/// A holder of an element.
struct Place {
  int32_t reg, lane, warp;
  bool operator==(const Place &) const = default;
};

inline constexpr int32_t numLanes = 32;

/// Canonical after `make`, so that two layouts that differ only in how they were written compare equal:
/// factors of two of the innermost repeats become bases, neighbours merge, registers come before warps where
/// the order means nothing.
class RegLayout {
public:
  /// Every basis has one entry per dimension; `lane` has five bases. Refused: a zero register basis, bases
  /// that are linearly dependent (lane and warp bases may be zero: the element is replicated), a core that is
  /// not covered, a repeat of registers that replicates.
  static Expected<RegLayout> make(std::vector<Coord> reg, std::vector<Coord> lane, std::vector<Coord> warp,
                                  std::vector<Repeat> repeats = {});

  int32_t rank() const { return static_cast<int32_t>(coreExtents.size()); }
  const Coord &core() const { return coreExtents; }
  const Coord &shape() const { return extents; }
  int64_t numElements() const;
  const std::vector<Coord> &reg() const { return regBases; }
  const std::vector<Coord> &lane() const { return laneBases; }
  const std::vector<Coord> &warp() const { return warpBases; }
  const std::vector<Repeat> &repeats() const { return repeatList; }
  int32_t numRegs() const;
  int32_t numWarps() const;

  /// The element that a register holds.
  Coord apply(const Place &place) const;

  /// The holder of an element with the smallest register, lane and warp; `coord` within the shape.
  Place locate(const Coord &coord) const;

  /// How many (register, lane, warp) hold each element; the same for all.
  int32_t replication() const;
  /// Lane bits whose basis is zero: lanes that differ only there hold the same.
  uint32_t replicatedLanes() const;

  /// Row-major element numbers, [warp][lane][register].
  std::vector<int32_t> table() const;

  /// Whether 32 / `elementBits` consecutive registers hold neighbours along `dim`: what packed arithmetic,
  /// matrix instructions and vector accesses need.
  bool packsAlong(int32_t dim, int32_t elementBits) const;

  bool operator==(const RegLayout &other) const;

private:
  RegLayout() = default;
  void canonicalise();
  Status check();

  Coord coreExtents, extents;
  std::vector<Coord> regBases, laneBases, warpBases;
  std::vector<Repeat> repeatList;
  std::vector<uint32_t> columns; ///< Packed core coordinates of all bases: registers, lanes, warps.
  std::vector<uint32_t> toIndex; ///< Per packed core bit: the index bits (of `columns`) it needs.
};

/// The extent of the core that bases cover: the power of two above the largest entry, per dimension.
Coord coreOf(std::span<const Coord> bases, int32_t rank);

/// Row-major number of an element, and back.
int64_t linearIndex(const Coord &coord, const Coord &shape);
Coord coordOf(int64_t index, const Coord &shape);

/// "[0, 8]".
std::string coordText(const Coord &coord);

inline bool isPowerOfTwo(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }
inline int32_t log2Exact(int64_t n) { return 63 - __builtin_clzll(static_cast<uint64_t>(n)); }

} // namespace k3::layout

#endif // K3_LAYOUT_REGLAYOUT_H
