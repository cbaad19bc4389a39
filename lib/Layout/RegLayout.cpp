//===- RegLayout.cpp - Which lane holds which element of a tile -----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/RegLayout.h"
#include "lib/Layout/Gf2.h"

#include <algorithm>
#include <cstddef>
#include <utility>

using namespace k3;
using namespace k3::layout;

std::string layout::coordText(const Coord &coord) {
  std::string text = "[";
  for (size_t d = 0; d < coord.size(); ++d)
    text += (d ? ", " : "") + std::to_string(coord[d]);
  return text + "]";
}

int64_t layout::linearIndex(const Coord &coord, const Coord &shape) {
  int64_t index = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    index = index * shape[d] + coord[d];
  return index;
}

Coord layout::coordOf(int64_t index, const Coord &shape) {
  Coord coord(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    coord[d] = static_cast<int32_t>(index % shape[d]);
    index /= shape[d];
  }
  return coord;
}

Coord layout::coreOf(std::span<const Coord> bases, int32_t rank) {
  Coord core(rank, 1);
  for (const Coord &basis : bases)
    for (int32_t d = 0; d < rank; ++d)
      while (core[d] <= basis[d])
        core[d] *= 2;
  return core;
}

static bool isZero(const Coord &basis) {
  return std::all_of(basis.begin(), basis.end(), [](int32_t x) { return x == 0; });
}

static bool touch(const Repeat &a, const Repeat &b) { return a.owner == b.owner || a.dim == b.dim; }

/// A basis that is `value` along `dim`, or zero where the repeat replicates.
static Coord along(int32_t dim, int32_t value, int32_t rank) {
  Coord basis(rank, 0);
  if (dim != Repeat::replicate)
    basis[dim] = value;
  return basis;
}

/// Brings the repeats into one order: those of registers first where that changes nothing, equal neighbours
/// merged.
static void sortRepeats(std::vector<Repeat> &list) {
  std::erase_if(list, [](const Repeat &repeat) { return repeat.count == 1; });
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i + 1 < list.size(); ++i) {
      Repeat &a = list[i], &b = list[i + 1];
      if (a.owner == b.owner && a.dim == b.dim) {
        a.count *= b.count;
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        again = true;
      } else if (!touch(a, b) && a.owner == Owner::Warp) {
        std::swap(a, b);
        again = true;
      }
    }
  }
}

void RegLayout::canonicalise() {
  sortRepeats(repeatList);
  // The first repeat of its owner and of its dimension continues the core: its factors of two are bases.
  for (size_t i = 0; i < repeatList.size();) {
    Repeat &repeat = repeatList[i];
    bool first = std::none_of(repeatList.begin(), repeatList.begin() + static_cast<std::ptrdiff_t>(i),
                              [&](const Repeat &other) { return touch(repeat, other); });
    if (!first || repeat.count % 2) {
      ++i;
      continue;
    }
    std::vector<Coord> &bases = repeat.owner == Owner::Register ? regBases : warpBases;
    for (; repeat.count % 2 == 0; repeat.count /= 2) {
      int32_t extent = repeat.dim == Repeat::replicate ? 0 : coreExtents[repeat.dim];
      bases.push_back(along(repeat.dim, extent, rank()));
      if (repeat.dim != Repeat::replicate)
        coreExtents[repeat.dim] *= 2;
    }
    sortRepeats(repeatList);
    i = 0;
  }
}

Status RegLayout::check() {
  // Packed coordinates: row-major in the core, so XOR per coordinate is XOR of words.
  std::vector<uint32_t> independent;
  std::vector<uint32_t> position;
  columns.clear();
  for (const std::vector<Coord> *bases : {&regBases, &laneBases, &warpBases})
    for (const Coord &basis : *bases) {
      uint32_t packed = static_cast<uint32_t>(linearIndex(basis, coreExtents));
      if (packed) {
        position.push_back(static_cast<uint32_t>(columns.size()));
        independent.push_back(packed);
      } else if (bases == &regBases) {
        return badInput("register layout: a register basis is zero; only lanes and warps may replicate");
      }
      columns.push_back(packed);
    }
  int64_t elements = 1;
  for (int32_t extent : coreExtents)
    elements *= extent;
  if (gf2::rank(independent) != independent.size())
    return badInput("register layout: the bases are linearly dependent; an element may have two holders only "
                    "through a zero basis");
  if (int64_t(1) << independent.size() != elements)
    return badInput("register layout: " + std::to_string(independent.size()) +
                    " independent bases do not cover the core " + coordText(coreExtents));
  auto inverted = gf2::inverse(independent);
  toIndex.assign(independent.size(), 0);
  for (size_t bit = 0; bit < toIndex.size(); ++bit)
    for (size_t i = 0; i < position.size(); ++i)
      if ((*inverted)[bit] >> i & 1)
        toIndex[bit] |= uint32_t(1) << position[i];
  return Status::success();
}

Expected<RegLayout> RegLayout::make(std::vector<Coord> reg, std::vector<Coord> lane, std::vector<Coord> warp,
                                    std::vector<Repeat> repeats) {
  if (lane.size() != 5)
    return badInput("register layout: " + std::to_string(lane.size()) + " lane bases, a warp has 5");
  RegLayout result;
  size_t rank = lane.front().size();
  std::vector<Coord> all;
  for (const std::vector<Coord> *bases : {&reg, &lane, &warp})
    all.insert(all.end(), bases->begin(), bases->end());
  for (const Coord &basis : all) {
    if (basis.size() != rank)
      return badInput("register layout: basis " + coordText(basis) + " has another rank than " +
                      coordText(lane.front()));
    for (int32_t entry : basis)
      if (entry < 0 || entry >= 1 << 20)
        return badInput("register layout: basis " + coordText(basis) + " is out of range");
  }
  result.coreExtents = coreOf(all, static_cast<int32_t>(rank));
  for (const Repeat &repeat : repeats) {
    bool replicates = repeat.dim == Repeat::replicate && repeat.owner == Owner::Warp;
    if (repeat.count < 1 || (!replicates && (repeat.dim < 0 || repeat.dim >= static_cast<int32_t>(rank))))
      return badInput("register layout: repeat " + std::to_string(repeat.count) + " on dimension " +
                      std::to_string(repeat.dim) + " of a layout of rank " + std::to_string(rank));
  }
  result.regBases = std::move(reg);
  result.laneBases = std::move(lane);
  result.warpBases = std::move(warp);
  result.repeatList = std::move(repeats);
  result.canonicalise();
  if (result.regBases.size() + result.warpBases.size() > 26)
    return badInput("register layout: more than 2^26 registers");
  K3_TRY(result.check());
  result.extents = result.coreExtents;
  for (const Repeat &repeat : result.repeatList)
    if (repeat.dim != Repeat::replicate)
      result.extents[repeat.dim] *= repeat.count;
  return result;
}

int64_t RegLayout::numElements() const {
  int64_t elements = 1;
  for (int32_t extent : extents)
    elements *= extent;
  return elements;
}

static int32_t count(size_t bases, const std::vector<Repeat> &repeats, Owner owner) {
  int32_t number = 1 << bases;
  for (const Repeat &repeat : repeats)
    number *= repeat.owner == owner ? repeat.count : 1;
  return number;
}

int32_t RegLayout::numRegs() const { return count(regBases.size(), repeatList, Owner::Register); }
int32_t RegLayout::numWarps() const { return count(warpBases.size(), repeatList, Owner::Warp); }

Coord RegLayout::apply(const Place &place) const {
  size_t nr = regBases.size(), nw = warpBases.size();
  uint32_t r = static_cast<uint32_t>(place.reg), w = static_cast<uint32_t>(place.warp);
  uint32_t index =
      (r & ((1u << nr) - 1)) | static_cast<uint32_t>(place.lane) << nr | (w & ((1u << nw) - 1)) << (nr + 5);
  Coord coord = coordOf(gf2::apply(columns, index), coreExtents);
  Coord stride = coreExtents;
  uint32_t regOuter = r >> nr, warpOuter = w >> nw;
  for (const Repeat &repeat : repeatList) {
    uint32_t &outer = repeat.owner == Owner::Register ? regOuter : warpOuter;
    int32_t i = static_cast<int32_t>(outer % static_cast<uint32_t>(repeat.count));
    outer /= static_cast<uint32_t>(repeat.count);
    if (repeat.dim == Repeat::replicate)
      continue;
    coord[repeat.dim] += i * stride[repeat.dim];
    stride[repeat.dim] *= repeat.count;
  }
  return coord;
}

Place RegLayout::locate(const Coord &coord) const {
  Coord inner(coord.size()), outer(coord.size());
  for (size_t d = 0; d < coord.size(); ++d) {
    inner[d] = coord[d] % coreExtents[d];
    outer[d] = coord[d] / coreExtents[d];
  }
  uint32_t index = gf2::apply(toIndex, static_cast<uint32_t>(linearIndex(inner, coreExtents)));
  size_t nr = regBases.size();
  Place place{static_cast<int32_t>(index & ((1u << nr) - 1)), static_cast<int32_t>(index >> nr & 31),
              static_cast<int32_t>(index >> (nr + 5))};
  int32_t regWeight = 1 << nr, warpWeight = 1 << warpBases.size();
  for (const Repeat &repeat : repeatList) {
    int32_t i = 0;
    if (repeat.dim != Repeat::replicate) {
      i = outer[repeat.dim] % repeat.count;
      outer[repeat.dim] /= repeat.count;
    }
    int32_t &weight = repeat.owner == Owner::Register ? regWeight : warpWeight;
    (repeat.owner == Owner::Register ? place.reg : place.warp) += i * weight;
    weight *= repeat.count;
  }
  return place;
}

int32_t RegLayout::replication() const {
  int64_t holders = int64_t(numRegs()) * numLanes * numWarps();
  return static_cast<int32_t>(holders / numElements());
}

uint32_t RegLayout::replicatedLanes() const {
  uint32_t mask = 0;
  for (size_t i = 0; i < laneBases.size(); ++i)
    mask |= isZero(laneBases[i]) ? 1u << i : 0;
  return mask;
}

std::vector<int32_t> RegLayout::table() const {
  std::vector<int32_t> elements;
  elements.reserve(size_t(numWarps()) * numLanes * numRegs());
  for (int32_t w = 0; w < numWarps(); ++w)
    for (int32_t l = 0; l < numLanes; ++l)
      for (int32_t r = 0; r < numRegs(); ++r)
        elements.push_back(static_cast<int32_t>(linearIndex(apply({r, l, w}), extents)));
  return elements;
}

bool RegLayout::packsAlong(int32_t dim, int32_t elementBits) const {
  size_t bases = elementBits >= 32 ? 0 : static_cast<size_t>(log2Exact(32 / elementBits));
  if (regBases.size() < bases)
    return false;
  for (size_t i = 0; i < bases; ++i)
    if (regBases[i] != along(dim, 1 << i, rank()))
      return false;
  return true;
}

bool RegLayout::operator==(const RegLayout &other) const {
  return regBases == other.regBases && laneBases == other.laneBases && warpBases == other.warpBases &&
         repeatList == other.repeatList;
}
