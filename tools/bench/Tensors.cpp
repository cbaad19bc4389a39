//===- Tensors.cpp - Device memory of one kernel, several times -----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/bench/Tensors.h"

#include "lib/Mx/Formats.h"
#include "lib/Support/Random.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

using namespace k3;
using namespace k3::bench;

/// Between the ranges of a set; what TMA and vector accesses ask of alignment, and room for what writes too far.
static constexpr uint64_t gap = 1024;
static constexpr uint8_t poison = 0xFF; // NaN as bf16 and as f32

uint64_t bench::bytesOf(const std::vector<Operand> &operands) {
  uint64_t bytes = 0;
  for (const Operand &operand : operands)
    bytes += operand.view.bytes();
  return bytes;
}

/// Deviation of an operand's values: sums over a row have variance 1.
static double scaleOf(const Problem &problem, const Operand &operand) {
  if (problem.family == Family::Gemm && operand.number == 1)
    return 1 / std::sqrt(static_cast<double>(problem.k));
  if (problem.family == Family::AttnRes && operand.number == 2)
    return 1 / std::sqrt(static_cast<double>(problem.d));
  return 1;
}

Expected<std::unique_ptr<Tensors>> Tensors::create(Device &device, const fb::PackageT &package, const Problem &problem,
                                                   const std::vector<Operand> &operands, unsigned sets) {
  // Of each buffer the range that the launch touches.
  struct Range {
    uint64_t first = UINT64_MAX, end = 0, place = 0;
    bool written = false;
  };
  std::map<uint32_t, Range> ranges;
  for (const Operand &operand : operands) {
    Range &range = ranges[operand.buffer];
    range.first = std::min(range.first, operand.offset / 256 * 256);
    range.end = std::max(range.end, operand.end());
    range.written |= operand.written;
  }
  std::unique_ptr<Tensors> result(new Tensors(device));
  uint64_t stride = gap;
  for (auto &[buffer, range] : ranges) {
    range.place = stride;
    uint64_t end = stride + range.end - range.first;
    stride = (end + gap + gap - 1) / gap * gap;
    if (range.written) {
      result->outputGaps.push_back(range.place - gap);
      result->outputGaps.push_back(end);
    }
  }
  K3_ASSIGN(result->memory, device.allocate(stride * sets));
  for (unsigned set = 0; set < sets; ++set) {
    result->bound.emplace_back(package.buffers.size());
    for (auto &[buffer, range] : ranges)
      result->bound[set][buffer] = {result->memory.data + stride * set + range.place - range.first, uint64_t(1) << 62};
  }
  K3_TRY(device.fill(result->memory.data, poison, stride));
  for (const Operand &operand : operands)
    if (!operand.written)
      K3_TRY(result->fillRandom(operand, scaleOf(problem, operand)));
  for (unsigned set = 1; set < sets; ++set)
    K3_TRY(device.copy(result->memory.data + stride * set, result->memory.data, stride));
  K3_TRY(device.synchronise());
  return result;
}

/// A block of values is drawn on the host and repeated on the device. Its length is prime: rows differ.
Status Tensors::fillRandom(const Operand &operand, double scale) {
  constexpr uint64_t blockElements = 1048573;
  auto elements = static_cast<uint64_t>(operand.view.elements());
  uint64_t size = operand.view.elementBytes, drawn = std::min(blockElements, elements);
  RandomStream random(/*seed=*/20, operand.number);
  std::vector<std::byte> block(drawn * size);
  for (uint64_t i = 0; i < drawn; ++i) {
    float value = random.normal(i) * static_cast<float>(scale);
    uint16_t narrow = mx::encodeBf16(value);
    std::memcpy(&block[i * size], size == 2 ? static_cast<const void *>(&narrow) : &value, size);
  }
  std::byte *data = address(0, operand);
  K3_TRY(device.copyIn(data, block.data(), block.size()));
  for (uint64_t done = drawn; done < elements;) {
    uint64_t count = std::min(done, elements - done);
    K3_TRY(device.copy(data + done * size, data, count * size));
    done += count;
  }
  return Status::success();
}

Expected<uint64_t> Tensors::damagedBytes() const {
  uint64_t damaged = 0;
  std::array<uint8_t, gap> bytes;
  for (uint64_t offset : outputGaps) {
    K3_TRY(device.copyOut(bytes.data(), memory.data + offset, gap));
    damaged += static_cast<uint64_t>(std::count_if(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte != poison; }));
  }
  return damaged;
}
