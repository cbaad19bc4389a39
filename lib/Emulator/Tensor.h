//===- Tensor.h - Register tiles as whole arrays ----------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is one row-major array per team, whatever its layout: lanes that hold copies of an element hold the
// same value. Floating-point elements are kept as f32 and rounded to their type after every operation,
// integers as i32.
//
//===----------------------------------------------------------------------===//

#ifndef K3_EMULATOR_TENSOR_H
#define K3_EMULATOR_TENSOR_H

#include <cstdint>
#include <memory>
#include <vector>

namespace k3::emu {

enum class Elem : uint8_t { F32, BF16, F16, F8E4M3, F8E5M2, I1, I8, I16, I32, I64 };

constexpr bool isFloat(Elem elem) { return elem <= Elem::F8E5M2; }
constexpr int bytesOf(Elem elem) {
  switch (elem) {
  case Elem::F32:
  case Elem::I32:
    return 4;
  case Elem::BF16:
  case Elem::F16:
  case Elem::I16:
    return 2;
  case Elem::I64:
    return 8;
  default:
    return 1;
  }
}

/// The nearest value of the type, ties to even, as the conversions of the GPU round: overflow of 16-bit types
/// gives infinity, of 8-bit ones the largest number; NaN becomes 0x7FFF.
float roundTo(Elem elem, float value);

struct Tensor {
  Elem elem = Elem::F32;
  std::vector<int64_t> shape;
  std::vector<float> f;        ///< elements of floating-point types
  std::vector<int32_t> n;      ///< elements of integer types
  std::vector<uint8_t> poison; ///< 1 per undefined element; empty where all are defined
  uint32_t origin = 0;         ///< the operation that made the first undefined element
  uint64_t fence = 0; ///< 1 + wgmma fences passed when its registers were written; 0: by wgmma itself

  Tensor(Elem elem, std::vector<int64_t> shape);
  int64_t count() const;
  bool poisoned(int64_t i) const { return !poison.empty() && poison[i]; }
  void setPoison(int64_t i, uint32_t by) {
    if (poison.empty())
      poison.resize(count());
    poison[i] = 1;
    if (origin == 0)
      origin = by;
  }
};
using TensorRef = std::shared_ptr<Tensor>;

/// `count` consecutive elements from memory into elements [at, at + count), and back; little endian.
void decodeElements(Tensor &tensor, int64_t at, const uint8_t *from, int64_t count);
void encodeElements(const Tensor &tensor, int64_t at, uint8_t *to, int64_t count);
/// The same into an fp32 array, with a stride between its elements.
void decodeFloats(Elem elem, const uint8_t *from, float *to, int64_t stride, int64_t count);

} // namespace k3::emu

#endif // K3_EMULATOR_TENSOR_H
