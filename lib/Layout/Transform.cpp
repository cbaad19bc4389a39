//===- Transform.cpp - Free operations on register layouts ----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Transform.h"

#include <algorithm>
#include <cstddef>
#include <utility>

using namespace k3;
using namespace k3::layout;

std::optional<std::vector<int32_t>> layout::relabel(const RegLayout &from, const RegLayout &to) {
  if (from.shape() != to.shape() || from.numRegs() != to.numRegs() || from.numWarps() != to.numWarps())
    return std::nullopt;
  // Lane 0 of warp 0 fixes the candidate: it must hold the same elements in both.
  size_t regs = static_cast<size_t>(to.numRegs());
  std::vector<int32_t> source = from.table(), target = to.table(), map(regs);
  for (size_t r = 0; r < regs; ++r) {
    auto holder = std::find(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(regs), target[r]);
    if (holder == source.begin() + static_cast<std::ptrdiff_t>(regs))
      return std::nullopt;
    map[r] = static_cast<int32_t>(holder - source.begin());
  }
  for (size_t thread = 0; thread < target.size(); thread += regs)
    for (size_t r = 0; r < regs; ++r)
      if (source[thread + static_cast<size_t>(map[r])] != target[thread + r])
        return std::nullopt;
  return map;
}

static Status checkDim(const RegLayout &layout, int32_t dim) {
  if (dim < 0 || dim >= layout.rank())
    return badInput("dimension " + std::to_string(dim) + " of a layout of rank " +
                    std::to_string(layout.rank()));
  return Status::success();
}

Expected<RegLayout> layout::reduced(const RegLayout &layout, int32_t dim) {
  K3_TRY(checkDim(layout, dim));
  auto drop = [dim](std::vector<Coord> bases, bool keepZero) {
    for (Coord &basis : bases)
      basis.erase(basis.begin() + dim);
    if (!keepZero)
      std::erase_if(bases, [](const Coord &basis) {
        return std::all_of(basis.begin(), basis.end(), [](int32_t x) { return x == 0; });
      });
    return bases;
  };
  std::vector<Repeat> repeats;
  for (Repeat repeat : layout.repeats()) {
    if (repeat.dim == dim && repeat.owner == Owner::Register)
      continue;
    if (repeat.dim == dim)
      repeat.dim = Repeat::replicate;
    else if (repeat.dim > dim)
      --repeat.dim;
    repeats.push_back(repeat);
  }
  return RegLayout::make(drop(layout.reg(), false), drop(layout.lane(), true), drop(layout.warp(), true),
                         repeats);
}

Expected<RegLayout> layout::transposed(const RegLayout &layout, std::span<const int32_t> order) {
  std::vector<int32_t> place(static_cast<size_t>(layout.rank()), -1);
  for (size_t d = 0; d < order.size(); ++d) {
    K3_TRY(checkDim(layout, order[d]));
    place[static_cast<size_t>(order[d])] = static_cast<int32_t>(d);
  }
  if (order.size() != place.size() || std::count(place.begin(), place.end(), -1))
    return badInput("a transposition of " + std::to_string(order.size()) +
                    " dimensions is no permutation of " + std::to_string(place.size()));
  auto move = [&](std::vector<Coord> bases) {
    for (Coord &basis : bases) {
      Coord old = basis;
      for (size_t d = 0; d < order.size(); ++d)
        basis[d] = old[static_cast<size_t>(order[d])];
    }
    return bases;
  };
  std::vector<Repeat> repeats = layout.repeats();
  for (Repeat &repeat : repeats)
    if (repeat.dim != Repeat::replicate)
      repeat.dim = place[static_cast<size_t>(repeat.dim)];
  return RegLayout::make(move(layout.reg()), move(layout.lane()), move(layout.warp()), repeats);
}

/// The layout of the part, if registers alone choose it; `size` is below the core (a power of two) or a
/// multiple.
static Expected<RegLayout> sliceLayout(const RegLayout &layout, int32_t dim, int32_t size) {
  int32_t core = layout.core()[dim];
  std::vector<Coord> bases = layout.reg();
  std::vector<Repeat> repeats = layout.repeats();
  // 56 of 224 = 32 x 7: the last register bases of the core are a repeat as well, 8 x 28.
  auto cuts = [&] { return size % core == 0 || (size < core && isPowerOfTwo(size)); };
  while (!cuts()) {
    Coord top(layout.rank(), 0);
    top[dim] = core / 2;
    if (bases.empty() || bases.back() != top || repeats.empty() || repeats[0].dim != dim ||
        repeats[0].owner != Owner::Register)
      return unsupported("a part of " + std::to_string(size) + " does not divide the core of " +
                         std::to_string(core));
    bases.pop_back();
    repeats[0].count *= 2;
    core /= 2;
  }
  int32_t outer = size >= core ? size / core : 1; // repeats that remain on the dimension
  for (Repeat &repeat : repeats) {
    if (repeat.dim != dim)
      continue;
    int32_t kept = std::min(repeat.count, outer);
    if (outer % kept || (repeat.owner == Owner::Warp && kept != repeat.count))
      return unsupported("the part would keep " + std::to_string(kept) + " of " +
                         std::to_string(repeat.count) + " repeats");
    repeat.count = kept;
    outer /= kept;
  }
  std::vector<Coord> reg;
  for (const Coord &basis : bases)
    if (basis[dim] < size)
      reg.push_back(basis);
  for (const std::vector<Coord> *list : {&layout.lane(), &layout.warp()})
    for (const Coord &basis : *list)
      if (basis[dim] >= size)
        return unsupported("basis " + coordText(basis) + " of a lane or warp leaves the part");
  return RegLayout::make(reg, layout.lane(), layout.warp(), repeats);
}

Expected<Slice> layout::slice(const RegLayout &layout, int32_t dim, int32_t offset, int32_t size) {
  K3_TRY(checkDim(layout, dim));
  std::string what = "slice [" + std::to_string(offset) + ", " + std::to_string(offset + size) +
                     ") of dimension " + std::to_string(dim) + " with " +
                     std::to_string(layout.shape()[dim]) + " elements";
  if (size < 1 || offset < 0 || offset + size > layout.shape()[dim] || offset % size)
    return badInput(what + ": a part starts at a multiple of its size");
  Expected<RegLayout> part = sliceLayout(layout, dim, size);
  if (!part.ok())
    return part.takeStatus().withContext(what);
  Slice result{*part, {}};
  Coord expected = layout.shape();
  expected[dim] = size;
  if (part->shape() != expected)
    return unsupported(what + ": no whole registers");
  // Proof: register r of the part is one register of the whole, in every lane and warp.
  for (int32_t r = 0; r < part->numRegs(); ++r)
    for (int32_t w = 0; w < part->numWarps(); ++w)
      for (int32_t l = 0; l < numLanes; ++l) {
        Coord coord = part->apply({r, l, w});
        coord[dim] += offset;
        if (w == 0 && l == 0)
          result.regs.push_back(layout.locate(coord).reg);
        if (layout.apply({result.regs.back(), l, w}) != coord)
          return unsupported(what + ": lane " + std::to_string(l) + " of warp " + std::to_string(w) +
                             " holds another element in register " + std::to_string(result.regs.back()));
      }
  return result;
}

Expected<RegLayout> layout::concat(const RegLayout &part, int32_t dim, int32_t count) {
  K3_TRY(checkDim(part, dim));
  std::vector<Repeat> repeats = part.repeats();
  repeats.push_back({Owner::Register, count, dim});
  return RegLayout::make(part.reg(), part.lane(), part.warp(), repeats);
}
