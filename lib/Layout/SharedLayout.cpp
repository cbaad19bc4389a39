//===- SharedLayout.cpp - Which byte of shared memory holds which element -===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/SharedLayout.h"

#include <algorithm>
#include <cstddef>
#include <utility>

using namespace k3;
using namespace k3::layout;

void SharedLayout::canonicalise() {
  std::erase_if(repeatList, [](const SharedRepeat &repeat) { return repeat.count == 1; });
  // Repeats of one dimension keep their order (it is the order of digits); between dimensions it means
  // nothing.
  std::stable_sort(repeatList.begin(), repeatList.end(),
                   [](const SharedRepeat &a, const SharedRepeat &b) { return a.dim < b.dim; });
  int64_t used = 0;
  for (const std::vector<int32_t> &bases : dimBases)
    for (int32_t basis : bases)
      used |= basis;
  for (size_t i = 0; i < repeatList.size();) {
    SharedRepeat &repeat = repeatList[i];
    bool first = i == 0 || repeatList[i - 1].dim != repeat.dim;
    // Addition is XOR where no bit meets another; only the innermost repeat continues the core.
    if (!first || repeat.count % 2 || (repeat.stride & used) || repeat.stride >= 1 << 30) {
      ++i;
      continue;
    }
    used |= repeat.stride;
    dimBases[repeat.dim].push_back(static_cast<int32_t>(repeat.stride));
    repeat.count /= 2;
    repeat.stride *= 2;
    if (repeat.count == 1)
      repeatList.erase(repeatList.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

Status SharedLayout::check() {
  int64_t elements = 1;
  for (int32_t extent : extents)
    elements *= extent;
  if (elements > 1 << 22)
    return badInput("shared layout: " + coordText(extents) +
                    " elements are more than any shared memory holds");
  std::vector<int64_t> offsets;
  offsets.reserve(static_cast<size_t>(elements));
  for (int64_t i = 0; i < elements; ++i)
    offsets.push_back(offset(coordOf(i, extents)));
  std::sort(offsets.begin(), offsets.end());
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] % bytes)
      return badInput("shared layout: an element of " + std::to_string(bytes) + " B would lie at byte " +
                      std::to_string(offsets[i]));
    if (i && offsets[i] < offsets[i - 1] + bytes)
      return badInput("shared layout: two elements would lie at byte " + std::to_string(offsets[i]));
  }
  size = offsets.back() + bytes;
  return Status::success();
}

Expected<SharedLayout> SharedLayout::make(int32_t elementBytes, std::vector<std::vector<int32_t>> bases,
                                          std::vector<SharedRepeat> repeats, int64_t base) {
  if (elementBytes < 1 || !isPowerOfTwo(elementBytes) || base < 0)
    return badInput("shared layout: elements of " + std::to_string(elementBytes) + " B at offset " +
                    std::to_string(base));
  SharedLayout result;
  for (const SharedRepeat &repeat : repeats)
    if (repeat.count < 1 || repeat.stride < 0 || repeat.dim < 0 ||
        repeat.dim >= static_cast<int32_t>(bases.size()))
      return badInput("shared layout: repeat " + std::to_string(repeat.count) + " on dimension " +
                      std::to_string(repeat.dim) + " of a layout of rank " + std::to_string(bases.size()));
  for (const std::vector<int32_t> &dim : bases)
    for (int32_t basis : dim)
      if (basis <= 0)
        return badInput("shared layout: a basis of " + std::to_string(basis) + " B");
  result.bytes = elementBytes;
  result.dimBases = std::move(bases);
  result.repeatList = std::move(repeats);
  result.baseOffset = base;
  result.canonicalise();
  for (const std::vector<int32_t> &dim : result.dimBases)
    result.extents.push_back(1 << dim.size());
  for (const SharedRepeat &repeat : result.repeatList)
    result.extents[repeat.dim] *= repeat.count;
  K3_TRY(result.check());
  return result;
}

int64_t SharedLayout::coreOffset(const Coord &coord) const {
  int64_t core = 0;
  for (size_t d = 0; d < coord.size(); ++d)
    for (size_t i = 0; i < dimBases[d].size(); ++i)
      core ^= coord[d] >> i & 1 ? dimBases[d][i] : 0;
  return core;
}

int64_t SharedLayout::offset(const Coord &coord) const {
  int64_t outer = 0;
  Coord rest(coord.size());
  for (size_t d = 0; d < coord.size(); ++d)
    rest[d] = coord[d] >> dimBases[d].size();
  for (const SharedRepeat &repeat : repeatList) {
    outer += rest[repeat.dim] % repeat.count * repeat.stride;
    rest[repeat.dim] /= repeat.count;
  }
  return baseOffset + coreOffset(coord) + outer;
}

bool SharedLayout::operator==(const SharedLayout &other) const {
  return bytes == other.bytes && dimBases == other.dimBases && repeatList == other.repeatList &&
         baseOffset == other.baseOffset;
}
