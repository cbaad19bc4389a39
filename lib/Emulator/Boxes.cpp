//===- Boxes.cpp - Boxes of arrays and tiles, as bytes in between ---------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Boxes.h"

#include <algorithm>
#include <cstring>

namespace k3::emu {

Staged fromTensor(const Tensor &tensor) {
  Staged staged;
  int64_t size = bytesOf(tensor.elem);
  staged.bytes.resize(tensor.count() * size);
  encodeElements(tensor, 0, staged.bytes.data(), tensor.count());
  for (size_t i = 0; i < tensor.poison.size(); ++i)
    if (tensor.poison[i])
      for (int64_t b = 0; b < size; ++b)
        staged.poison.emplace_back(i * size + b, tensor.origin);
  return staged;
}

void toTensor(const Staged &staged, Tensor &tensor) {
  decodeElements(tensor, 0, staged.bytes.data(), tensor.count());
  for (auto [byte, origin] : staged.poison)
    tensor.setPoison(static_cast<int64_t>(byte) / bytesOf(tensor.elem), origin);
}

Staged fromShared(const SharedTile &tile, const Block &block, uint64_t base) {
  Staged staged;
  staged.bytes.resize(tile.elements * tile.elementBytes);
  for (const Run &run : tile.runs) {
    uint64_t from = base + run.byte, to = run.element * tile.elementBytes,
             size = run.count * tile.elementBytes;
    if (!block.inside(from, size))
      continue;
    std::memcpy(staged.bytes.data() + to, block.data() + from, size);
    block.eachPoison(from, size,
                     [&](uint64_t bad) { staged.poison.emplace_back(to + (bad - from), block.origin(bad)); });
  }
  return staged;
}

void toShared(const Staged &staged, const SharedTile &tile, Block &block, uint64_t base) {
  size_t bad = 0;
  for (const Run &run : tile.runs) {
    uint64_t to = base + run.byte, from = run.element * tile.elementBytes,
             size = run.count * tile.elementBytes;
    bool inside = block.inside(to, size);
    if (inside) {
      std::memcpy(block.data() + to, staged.bytes.data() + from, size);
      block.clearPoison(to, size);
    }
    for (; bad < staged.poison.size() && staged.poison[bad].first < from + size; ++bad)
      if (inside)
        block.setPoison(to + (staged.poison[bad].first - from), 1, staged.poison[bad].second);
  }
}

int64_t Box::rows() const {
  int64_t n = 1;
  for (size_t d = 0; d + 1 < extent.size(); ++d)
    n *= extent[d];
  return n;
}

Box::Part Box::part(int64_t row, int64_t first, int64_t count) const {
  size_t rank = extent.size();
  int64_t at = 0;
  for (size_t d = rank - 1; d-- > 0;) {
    int64_t coord = start[d] + row % extent[d];
    row /= extent[d];
    if (limit[d] != kUnlimited && (coord < 0 || coord >= limit[d]))
      return {0, 0, 0};
    at += coord * array->strides[d];
  }
  int64_t low = start[rank - 1] + first, high = low + count;
  if (limit[rank - 1] != kUnlimited) {
    low = std::max<int64_t>(low, 0);
    high = std::min(high, limit[rank - 1]);
  }
  if (low >= high)
    return {0, 0, 0};
  int64_t begin = at + low * array->strides[rank - 1];
  uint64_t offset = array->offset + begin * elementBytes;
  if (begin < 0 || offset + (high - low) * elementBytes > array->end)
    return {offset, 0, -1};
  return {offset, low - start[rank - 1], high - low};
}

Staged fromBox(const Box &box) {
  Staged staged;
  int64_t width = box.extent.back(), size = box.elementBytes;
  staged.bytes.resize(box.rows() * width * size);
  const Block &block = *box.array->block;
  for (int64_t row = 0; row < box.rows(); ++row) {
    Box::Part part = box.part(row, 0, width);
    if (part.count <= 0)
      continue;
    uint64_t to = (row * width + part.first) * size, bytes = part.count * size;
    std::memcpy(staged.bytes.data() + to, block.data() + part.offset, bytes);
    if (!block.mayHavePoison())
      continue;
    block.eachPoison(part.offset, bytes, [&](uint64_t bad) {
      staged.poison.emplace_back(to + (bad - part.offset), block.origin(bad));
    });
  }
  return staged;
}

std::optional<uint32_t> toBox(const Staged &staged, const Box &box, std::optional<Elem> add) {
  std::optional<uint32_t> origin;
  int64_t width = box.extent.back(), size = box.elementBytes;
  Block &block = *box.array->block;
  size_t bad = 0;
  for (int64_t row = 0; row < box.rows(); ++row) {
    Box::Part part = box.part(row, 0, width);
    uint64_t from = (row * width + part.first) * size, bytes = part.count <= 0 ? 0 : part.count * size;
    if (bytes != 0 && add) {
      Tensor sum(*add, {part.count}), value(*add, {part.count});
      decodeElements(sum, 0, block.data() + part.offset, part.count);
      decodeElements(value, 0, staged.bytes.data() + from, part.count);
      for (size_t i = 0; i < sum.f.size(); ++i)
        sum.f[i] = roundTo(*add, sum.f[i] + value.f[i]);
      for (size_t i = 0; i < sum.n.size(); ++i)
        sum.n[i] = static_cast<int32_t>(static_cast<uint32_t>(sum.n[i]) + static_cast<uint32_t>(value.n[i]));
      encodeElements(sum, 0, block.data() + part.offset, part.count);
      if (std::optional<uint64_t> old = block.firstPoison(part.offset, bytes))
        origin = block.origin(*old); // a sum with what was never written
    } else if (bytes != 0) {
      std::memcpy(block.data() + part.offset, staged.bytes.data() + from, bytes);
      block.clearPoison(part.offset, bytes);
    }
    uint64_t rowEnd = (row + 1) * width * size;
    for (; bad < staged.poison.size() && staged.poison[bad].first < rowEnd; ++bad) {
      auto [byte, by] = staged.poison[bad];
      if (byte < from || byte >= from + bytes)
        continue;
      block.setPoison(part.offset + (byte - from), 1, by);
      if (!origin)
        origin = by;
    }
  }
  return origin;
}

static void addRange(std::vector<Range> &ranges, const Box::Part &part, const Box &box, const Frame &frame,
                     uint32_t number) {
  if (part.count < 0)
    frame.machine().finding(FindingKind::Bounds, number,
                            frame.machine().opText(number) + " by " + frame.team.name() + ": byte " +
                                std::to_string(static_cast<int64_t>(part.offset - box.array->offset)) +
                                " of '" + box.array->block->name + "' is outside, the argument has " +
                                std::to_string(box.array->end - box.array->offset));
  if (part.count <= 0)
    return;
  uint32_t bytes = static_cast<uint32_t>(part.count * box.elementBytes);
  if (!ranges.empty() && ranges.back().offset + ranges.back().size == part.offset)
    ranges.back().size += bytes;
  else
    ranges.push_back({part.offset, bytes, kAnyLane});
}

std::vector<Range> boxBytes(const Box &box, const Frame &frame, uint32_t number) {
  std::vector<Range> ranges;
  for (int64_t row = 0; row < box.rows(); ++row)
    addRange(ranges, box.part(row, 0, box.extent.back()), box, frame, number);
  return ranges;
}

WarpRanges boxBytes(const Box &box, const std::vector<std::vector<RowRun>> &warps, const Frame &frame,
                    uint32_t number) {
  WarpRanges result;
  int64_t width = box.extent.back();
  for (const std::vector<RowRun> &runs : warps) {
    std::vector<Range> ranges;
    for (const RowRun &run : runs)
      addRange(ranges, box.part(run.first / width, run.first % width, run.count), box, frame, number);
    result.push_back(std::move(ranges));
  }
  return result;
}

} // namespace k3::emu
