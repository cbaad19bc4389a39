//===- Access.cpp - Register tiles against shared memory ------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Access.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

using namespace k3;
using namespace k3::layout;

static Status checkInside(const RegLayout &layout, const SharedLayout &shared, const Coord &origin) {
  bool inside = layout.rank() == shared.rank() && origin.size() == layout.shape().size();
  for (size_t d = 0; inside && d < origin.size(); ++d)
    inside = origin[d] >= 0 && origin[d] + layout.shape()[d] <= shared.shape()[d];
  if (!inside)
    return badInput("a register tile " + coordText(layout.shape()) + " at " + coordText(origin) +
                    " is not inside a shared buffer " + coordText(shared.shape()));
  return Status::success();
}

static Coord plus(Coord coord, const Coord &origin) {
  for (size_t d = 0; d < coord.size(); ++d)
    coord[d] += origin[d];
  return coord;
}

Expected<std::vector<int64_t>> layout::addresses(const RegLayout &layout, const SharedLayout &shared,
                                                 const Coord &origin) {
  K3_TRY(checkInside(layout, shared, origin));
  std::vector<int64_t> result;
  result.reserve(size_t(layout.numWarps()) * numLanes * layout.numRegs());
  for (int32_t w = 0; w < layout.numWarps(); ++w)
    for (int32_t l = 0; l < numLanes; ++l)
      for (int32_t r = 0; r < layout.numRegs(); ++r)
        result.push_back(shared.offset(plus(layout.apply({r, l, w}), origin)));
  return result;
}

int64_t AddressMap::at(const Place &place) const {
  AddressTerm sum = base;
  auto take = [&](const AddressTerm &term) {
    sum.bits ^= term.bits;
    sum.add += term.add;
  };
  for (size_t i = 0; i < lane.size(); ++i)
    if (place.lane >> i & 1)
      take(lane[i]);
  take(warp[static_cast<size_t>(place.warp)]);
  take(reg[static_cast<size_t>(place.reg)]);
  return sum.bits + sum.add;
}

Expected<AddressMap> layout::compose(const RegLayout &layout, const SharedLayout &shared,
                                     const Coord &origin) {
  K3_TRY(checkInside(layout, shared, origin));
  auto term = [&](const Place &place) {
    Coord coord = plus(layout.apply(place), origin);
    int64_t core = shared.coreOffset(coord);
    return AddressTerm{core, shared.offset(coord) - core};
  };
  AddressMap map;
  map.base = term({0, 0, 0});
  auto delta = [&](const Place &place) {
    AddressTerm t = term(place);
    return AddressTerm{t.bits ^ map.base.bits, t.add - map.base.add};
  };
  for (int32_t i = 0; i < 5; ++i)
    map.lane.push_back(delta({0, 1 << i, 0}));
  for (int32_t w = 0; w < layout.numWarps(); ++w)
    map.warp.push_back(delta({0, 0, w}));
  for (int32_t r = 0; r < layout.numRegs(); ++r)
    map.reg.push_back(delta({r, 0, 0}));
  for (int32_t w = 0; w < layout.numWarps(); ++w)
    for (int32_t l = 0; l < numLanes; ++l)
      for (int32_t r = 0; r < layout.numRegs(); ++r) {
        int64_t want = shared.offset(plus(layout.apply({r, l, w}), origin));
        if (map.at({r, l, w}) != want)
          return unsupported("register " + std::to_string(r) + " of lane " + std::to_string(l) + ", warp " +
                             std::to_string(w) + " lies at byte " + std::to_string(want) +
                             ", constants of lane, warp and register give " +
                             std::to_string(map.at({r, l, w})));
      }
  return map;
}

Expected<MatrixAccess> layout::matrixAccess(const RegLayout &layout, const SharedLayout &shared,
                                            const Coord &origin, bool trans, int32_t matrices) {
  if (shared.elementBytes() != 2)
    return badInput("ldmatrix and stmatrix move 16-bit elements, the buffer has " +
                    std::to_string(shared.elementBytes()) + " B ones");
  int32_t perInstruction = 2 * matrices;
  if ((matrices != 1 && matrices != 2 && matrices != 4) || layout.numRegs() % perInstruction)
    return badInput(std::to_string(layout.numRegs()) + " elements per lane are not made of instructions of " +
                    std::to_string(matrices) + " matrices");
  K3_ASSIGN(std::vector<int64_t> all, addresses(layout, shared, origin));
  MatrixAccess access{matrices, trans, layout.numRegs() / perInstruction, {}};
  auto held = [&](int32_t w, int32_t l, int32_t r) {
    return all[(size_t(w) * numLanes + size_t(l)) * size_t(layout.numRegs()) + size_t(r)];
  };
  for (int32_t w = 0; w < layout.numWarps(); ++w)
    for (int32_t i = 0; i < access.instructions; ++i) {
      // Lane l supplies row l & 7 of matrix l >> 3. The row's first element is held by the lane in its first
      // column.
      std::array<int64_t, numLanes> row;
      for (int32_t l = 0; l < numLanes; ++l) {
        int32_t first = i * perInstruction + 2 * ((l >> 3) % matrices), n = l & 7;
        row[static_cast<size_t>(l)] = trans ? held(w, n / 2, first + n % 2) : held(w, 4 * n, first);
        if (row[static_cast<size_t>(l)] % 16)
          return unsupported("row " + std::to_string(n) + " of an 8x8 matrix would start at byte " +
                             std::to_string(row[static_cast<size_t>(l)]) + ", no multiple of 16");
      }
      for (int32_t l = 0; l < numLanes; ++l)
        for (int32_t e = 0; e < perInstruction; ++e) {
          int32_t r = trans ? l % 4 * 2 + e % 2 : l / 4, c = trans ? l / 4 : l % 4 * 2 + e % 2;
          int64_t read = row[static_cast<size_t>(e / 2 * 8 + r)] + 2 * c;
          int64_t want = held(w, l, i * perInstruction + e);
          if (read != want)
            return unsupported("lane " + std::to_string(l) + " would access byte " + std::to_string(read) +
                               ", the register layout asks for byte " + std::to_string(want));
        }
      access.rows.insert(access.rows.end(), row.begin(), row.end());
    }
  return access;
}

int32_t layout::wavefronts(std::span<const int64_t> laneAddresses, int32_t bytes) {
  constexpr int64_t bankBytes = 4, banks = 32;
  size_t group = static_cast<size_t>(banks * bankBytes / std::max<int64_t>(bytes, bankBytes));
  int32_t total = 0;
  for (size_t first = 0; first < laneAddresses.size(); first += group) {
    std::vector<int64_t> words;
    for (size_t l = first; l < std::min(first + group, laneAddresses.size()); ++l)
      for (int64_t byte = 0; byte < bytes; byte += bankBytes)
        words.push_back((laneAddresses[l] + byte) / bankBytes);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::array<int32_t, banks> load{};
    for (int64_t word : words)
      ++load[static_cast<size_t>(word % banks)];
    total += *std::max_element(load.begin(), load.end());
  }
  return total;
}

/// Whether every run of `bytes` worth of registers is one aligned run of bytes.
static bool contiguous(const std::vector<int64_t> &all, int32_t regs, int32_t bytes, int32_t elementBytes) {
  int32_t run = bytes / elementBytes;
  if (regs % run)
    return false;
  for (size_t i = 0; i < all.size(); i += static_cast<size_t>(run)) {
    if (all[i] % bytes)
      return false;
    for (size_t e = 1; e < static_cast<size_t>(run); ++e)
      if (all[i + e] != all[i] + static_cast<int64_t>(e) * elementBytes)
        return false;
  }
  return true;
}

int32_t layout::vectorBytes(const RegLayout &layout, const SharedLayout &shared, const Coord &origin) {
  auto all = addresses(layout, shared, origin);
  int32_t bytes = shared.elementBytes();
  while (all.ok() && bytes < 16 && contiguous(*all, layout.numRegs(), 2 * bytes, shared.elementBytes()))
    bytes *= 2;
  return bytes;
}

Expected<BankCount> layout::bankCount(const RegLayout &layout, const SharedLayout &shared,
                                      const Coord &origin, int32_t bytes) {
  K3_ASSIGN(std::vector<int64_t> all, addresses(layout, shared, origin));
  int32_t widest = vectorBytes(layout, shared, origin);
  bytes = bytes ? bytes : widest;
  if (bytes > widest || bytes < shared.elementBytes() || !isPowerOfTwo(bytes))
    return unsupported("accesses of " + std::to_string(bytes) +
                       " B per lane, registers follow each other for " + std::to_string(widest) + " B");
  BankCount count{bytes, 0, 0, 0};
  size_t regs = static_cast<size_t>(layout.numRegs()),
         run = static_cast<size_t>(bytes / shared.elementBytes());
  for (size_t w = 0; w < static_cast<size_t>(layout.numWarps()); ++w)
    for (size_t r = 0; r < regs; r += run) {
      std::array<int64_t, numLanes> lanes;
      for (size_t l = 0; l < numLanes; ++l)
        lanes[l] = all[(w * numLanes + l) * regs + r];
      ++count.accesses;
      count.wavefronts += wavefronts(lanes, bytes);
      count.ideal += std::max(1, bytes / 4);
    }
  return count;
}

BankCount layout::bankCount(const MatrixAccess &access) {
  BankCount count{16, 0, 0, 0};
  for (size_t i = 0; i < access.rows.size(); i += numLanes) {
    std::span<const int64_t> rows(access.rows.data() + i, static_cast<size_t>(8 * access.matrices));
    ++count.accesses;
    count.wavefronts += wavefronts(rows, 16);
    count.ideal += access.matrices;
  }
  return count;
}
