//===- Descriptor.h - wgmma shared-memory descriptors, both ways --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that knows the 64-bit matrix descriptor of wgmma and the addresses that the tensor core reads
// through it (PTX ISA 9.0, "Matrix Descriptor Format", "Strides", "Swizzling modes"). `encodeOperand`
// proposes a descriptor for a shared layout and proves it: every element that any of its instructions reads
// is compared.
//
//===----------------------------------------------------------------------===//

#ifndef K3_LAYOUT_DESCRIPTOR_H
#define K3_LAYOUT_DESCRIPTOR_H

#include "lib/Layout/SharedLayout.h"

namespace k3::layout {

/// The numbers of bits 62-63.
enum class Swizzle : uint8_t { None = 0, B128 = 1, B64 = 2, B32 = 3 };

/// Bytes of a row before the next begins: 128, 64, 32; 16 without a swizzle (one chunk of a core matrix).
int32_t swizzleSpan(Swizzle swizzle);

/// XOR of the address bits from 4 with those from 7, as TMA and wgmma do; `address` within shared memory.
int64_t swizzleAddress(Swizzle swizzle, int64_t address);

/// K: elements along k are contiguous. MN: those along m (of A) or n (of B); needs the transpose bit, 16-bit
/// types.
enum class Major : uint8_t { K, MN };

/// Everything in bytes. Which distance `leading` and `stride` are depends on major and swizzle, see
/// `elementAddress`.
struct WgmmaDescriptor {
  uint32_t address = 0;    ///< Bits 0-13, / 16.
  uint32_t leading = 0;    ///< "LBO", bits 16-29, / 16.
  uint32_t stride = 0;     ///< "SBO", bits 32-45, / 16.
  uint32_t baseOffset = 0; ///< Bits 49-51: the row in the swizzle atom where the operand starts.
  Swizzle swizzle = Swizzle::None;
  bool operator==(const WgmmaDescriptor &) const = default;
};

uint64_t encode(const WgmmaDescriptor &descriptor);
WgmmaDescriptor decode(uint64_t bits);

/// Shared-memory byte of element (mn, k) of the operand of one instruction.
int64_t elementAddress(const WgmmaDescriptor &descriptor, Major major, int32_t elementBytes, int32_t mn,
                       int32_t k);

/// How the instructions of a product walk over an operand. The descriptor of block j, k step i is
/// constant + (buffer address + blocks[j] + steps[i]) / 16.
struct OperandEncoding {
  Major major;
  uint64_t constant;           ///< The descriptor at address 0.
  int32_t alignment;           ///< Bytes that the buffer address is a multiple of.
  std::vector<int32_t> steps;  ///< Bytes, per k step of 32 bytes.
  std::vector<int32_t> blocks; ///< Bytes, per `mnPerInstruction` rows.
};

/// \param layout rank 2. \param kDim the dimension of k. \param mnPerInstruction 64 for A; N for B.
/// The error names the best candidate and the first element that it would read at another byte.
Expected<OperandEncoding> encodeOperand(const SharedLayout &layout, int32_t kDim, int32_t mnPerInstruction);

} // namespace k3::layout

#endif // K3_LAYOUT_DESCRIPTOR_H
