//===- Elementwise.h - Operations on scalars and, element by element, on tiles --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inside the interpreter only.
//
//===----------------------------------------------------------------------===//

#ifndef K3_EMULATOR_ELEMENTWISE_H
#define K3_EMULATOR_ELEMENTWISE_H

#include "lib/Emulator/Decoder.h"

namespace k3::emu::elementwise {

/// How an element is seen by an operation: floats as float, integers of every width sign-extended (i1: 0 or
/// 1).
template <typename T>
inline T get(const Tensor &tensor, size_t i) {
  if constexpr (std::is_same_v<T, float>)
    return tensor.f[i];
  else
    return tensor.n[i];
}
template <typename T>
inline T get(const Value &value) {
  if constexpr (std::is_same_v<T, float>)
    return value.f;
  else
    return value.i;
}
inline int64_t narrow(Elem elem, int64_t value) {
  return elem == Elem::I1 ? value & 1 : wrap(value, 8 * bytesOf(elem));
}
inline void set(Tensor &tensor, size_t i, float value) { tensor.f[i] = value; }
inline void set(Tensor &tensor, size_t i, int64_t value) {
  tensor.n[i] = static_cast<int32_t>(narrow(tensor.elem, value));
}
inline void set(Value &to, Elem elem, float value) { to.f = roundTo(elem, value); }
inline void set(Value &to, Elem elem, int64_t value) { to.i = narrow(elem, value); }

/// Rounds every element to the tensor's type.
void roundAll(Tensor &tensor);
/// The result is undefined where any operand is.
void joinPoison(Tensor &to, const Tensor &from);

/// Step of an operation with operands of kinds As (float or int64_t) and the function's result kind. Tile
/// operands and result have one shape.
template <typename... As, typename Fn>
Step step(mlir::Type resultType, unsigned to, std::array<unsigned, sizeof...(As)> operands, Fn fn) {
  Elem elem = elemOrScalar(resultType);
  if (!mlir::isa<mlir::RankedTensorType>(resultType))
    return [=](Frame &frame) {
      return [&]<size_t... Is>(std::index_sequence<Is...>) {
        Value result;
        set(result, elem, fn(get<As>(frame.values[operands[Is]])...));
        for (unsigned operand : operands)
          if (frame.values[operand].poison && !result.poison) {
            result.poison = true;
            result.origin = frame.values[operand].origin;
          }
        frame.values[to] = std::move(result);
        return true;
      }
      (std::index_sequence_for<As...>());
    };
  return [=](Frame &frame) {
    return [&]<size_t... Is>(std::index_sequence<Is...>) {
      TensorRef result = makeTensor(resultType, frame);
      std::array<const Tensor *, sizeof...(As)> in{frame.values[operands[Is]].tensor.get()...};
      size_t n = static_cast<size_t>(result->count());
      for (size_t i = 0; i < n; ++i)
        set(*result, i, fn(get<As>(*in[Is], i)...));
      if (isFloat(elem) && elem != Elem::F32)
        roundAll(*result);
      for (const Tensor *operand : in)
        joinPoison(*result, *operand);
      Value value;
      value.tensor = std::move(result);
      frame.values[to] = std::move(value);
      return true;
    }
    (std::index_sequence_for<As...>());
  };
}

} // namespace k3::emu::elementwise

#endif // K3_EMULATOR_ELEMENTWISE_H
