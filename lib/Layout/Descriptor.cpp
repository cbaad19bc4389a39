//===- Descriptor.cpp - wgmma shared-memory descriptors, both ways --------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Descriptor.h"

#include <cstddef>
#include <optional>

using namespace k3;
using namespace k3::layout;

int32_t layout::swizzleSpan(Swizzle swizzle) {
  constexpr int32_t span[] = {16, 128, 64, 32};
  return span[static_cast<size_t>(swizzle)];
}

int64_t layout::swizzleAddress(Swizzle swizzle, int64_t address) {
  return address ^ (address >> 3 & (swizzleSpan(swizzle) - 16));
}

// Fields hold bytes / 16 in 14 bits.
static uint64_t field(uint32_t bytes, unsigned at) { return uint64_t(bytes >> 4 & 0x3FFF) << at; }
static uint32_t fieldBytes(uint64_t bits, unsigned at) {
  return static_cast<uint32_t>(bits >> at & 0x3FFF) << 4;
}

uint64_t layout::encode(const WgmmaDescriptor &descriptor) {
  return field(descriptor.address, 0) | field(descriptor.leading, 16) | field(descriptor.stride, 32) |
         uint64_t(descriptor.baseOffset & 7) << 49 | uint64_t(descriptor.swizzle) << 62;
}

WgmmaDescriptor layout::decode(uint64_t bits) {
  return {fieldBytes(bits, 0), fieldBytes(bits, 16), fieldBytes(bits, 32),
          static_cast<uint32_t>(bits >> 49 & 7), static_cast<Swizzle>(bits >> 62)};
}

int64_t layout::elementAddress(const WgmmaDescriptor &descriptor, Major major, int32_t elementBytes,
                               int32_t mn, int32_t k) {
  int64_t leading = descriptor.leading, stride = descriptor.stride;
  int32_t span = swizzleSpan(descriptor.swizzle), atom = span / elementBytes;
  int64_t address = descriptor.address;
  if (major == Major::K) {
    // Groups of eight rows are `stride` apart. A swizzled row holds the whole k step (`leading` is ignored);
    // unswizzled, the next 16 bytes of k are the next core matrix.
    address += mn / 8 * stride + mn % 8 * span;
    address += descriptor.swizzle == Swizzle::None ? k / atom * leading + k % atom * elementBytes
                                                   : int64_t(k) * elementBytes;
  } else {
    // Eight k rows of `span` bytes along mn. Unswizzled, the two distances change their names.
    bool plain = descriptor.swizzle == Swizzle::None;
    address += mn / atom * (plain ? stride : leading) + k / 8 * (plain ? leading : stride) + k % 8 * span +
               mn % atom * elementBytes;
  }
  return swizzleAddress(descriptor.swizzle, address);
}

namespace {

/// The shared layout seen as an operand: offsets by (mn, k).
struct Operand {
  const SharedLayout &layout;
  int32_t kDim, perInstruction, mnExtent, kExtent, kStep;

  int64_t offset(int32_t mn, int32_t k) const {
    Coord coord(2);
    coord[static_cast<size_t>(kDim)] = k;
    coord[static_cast<size_t>(1 - kDim)] = mn;
    return layout.offset(coord);
  }
  /// Distance of (mn, k) from the origin; `otherwise` where the instruction does not reach that far.
  int64_t distance(int32_t mn, int32_t k, int64_t otherwise) const {
    return mn < perInstruction && k < kStep ? offset(mn, k) - offset(0, 0) : otherwise;
  }
};

struct Mismatch {
  int64_t agreed; ///< Elements compared before it.
  std::string text;
};

} // namespace

static const char *swizzleText(Swizzle swizzle) {
  constexpr const char *text[] = {"no swizzle", "128-byte swizzle", "64-byte swizzle", "32-byte swizzle"};
  return text[static_cast<size_t>(swizzle)];
}

/// The only distances that can fit, read off the layout.
static WgmmaDescriptor candidate(const Operand &operand, Major major, Swizzle swizzle) {
  int32_t span = swizzleSpan(swizzle), atom = span / operand.layout.elementBytes();
  bool plain = swizzle == Swizzle::None;
  int64_t leading, stride;
  if (major == Major::K) {
    leading = plain ? operand.distance(0, atom, 16) : 16; // 16 stands for "ignored"
    stride = operand.distance(8, 0, int64_t(8) * span);
  } else {
    int64_t alongMn = operand.distance(atom, 0, 16), alongK = operand.distance(0, 8, 16);
    leading = plain ? alongK : alongMn;
    stride = plain ? alongMn : alongK;
  }
  return {0, static_cast<uint32_t>(leading), static_cast<uint32_t>(stride), 0, swizzle};
}

/// Every element of every instruction; none if all agree.
static std::optional<Mismatch> compare(const Operand &operand, const OperandEncoding &encoding) {
  Mismatch mismatch{0, ""};
  for (size_t j = 0; j < encoding.blocks.size(); ++j)
    for (size_t i = 0; i < encoding.steps.size(); ++i) {
      // Through the bits, so that a distance too large for its field is found here too.
      uint32_t start = static_cast<uint32_t>(encoding.blocks[j] + encoding.steps[i]);
      WgmmaDescriptor descriptor = decode(encoding.constant + (start >> 4));
      for (int32_t mn = 0; mn < operand.perInstruction; ++mn)
        for (int32_t k = 0; k < operand.kStep; ++k, ++mismatch.agreed) {
          int64_t read = elementAddress(descriptor, encoding.major, operand.layout.elementBytes(), mn, k);
          int32_t row = static_cast<int32_t>(j) * operand.perInstruction + mn;
          int32_t col = static_cast<int32_t>(i) * operand.kStep + k;
          if (read != operand.offset(row, col)) {
            mismatch.text = std::string(swizzleText(descriptor.swizzle)) +
                            (encoding.major == Major::K ? ", K-major" : ", MN-major") + " would read row " +
                            std::to_string(row) + ", k " + std::to_string(col) + " at byte " +
                            std::to_string(read) + ", the layout has it at " +
                            std::to_string(operand.offset(row, col));
            return mismatch;
          }
        }
    }
  return std::nullopt;
}

Expected<OperandEncoding> layout::encodeOperand(const SharedLayout &layout, int32_t kDim,
                                                int32_t mnPerInstruction) {
  if (layout.rank() != 2 || kDim < 0 || kDim > 1)
    return badInput("a wgmma operand in shared memory has two dimensions, the layout has " +
                    std::to_string(layout.rank()));
  int32_t bytes = layout.elementBytes();
  if (bytes != 1 && bytes != 2 && bytes != 4)
    return badInput("wgmma has no operands of " + std::to_string(bytes) + " B elements");
  Operand operand{layout,
                  kDim,
                  mnPerInstruction,
                  layout.shape()[static_cast<size_t>(1 - kDim)],
                  layout.shape()[static_cast<size_t>(kDim)],
                  32 / bytes};
  if (mnPerInstruction < 8 || mnPerInstruction % 8 || operand.mnExtent % mnPerInstruction ||
      operand.kExtent % operand.kStep)
    return badInput("operand of " + std::to_string(operand.mnExtent) + " rows x k " +
                    std::to_string(operand.kExtent) + " is not made of instructions of " +
                    std::to_string(mnPerInstruction) + " rows x k " + std::to_string(operand.kStep));
  std::optional<Mismatch> nearest;
  for (Swizzle swizzle : {Swizzle::B128, Swizzle::B64, Swizzle::B32, Swizzle::None})
    for (Major major : {Major::K, Major::MN}) {
      if (major == Major::MN && bytes != 2)
        continue; // the transpose bit exists for 16-bit types only
      OperandEncoding encoding{
          major, encode(candidate(operand, major, swizzle)), 8 * swizzleSpan(swizzle), {}, {}};
      for (int32_t k = 0; k < operand.kExtent; k += operand.kStep)
        encoding.steps.push_back(static_cast<int32_t>(operand.offset(0, k)));
      for (int32_t mn = 0; mn < operand.mnExtent; mn += mnPerInstruction)
        encoding.blocks.push_back(static_cast<int32_t>(operand.offset(mn, 0) - operand.offset(0, 0)));
      if (swizzle == Swizzle::None)
        encoding.alignment = 16;
      std::optional<Mismatch> mismatch = compare(operand, encoding);
      if (!mismatch)
        return encoding;
      if (!nearest || mismatch->agreed > nearest->agreed)
        nearest = mismatch;
    }
  return unsupported("the shared layout has no wgmma descriptor: " + nearest->text);
}
