//===- FileTypes.h - Element types of the API and of files -----*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TOOLS_RUN_FILETYPES_H
#define K3_TOOLS_RUN_FILETYPES_H

#include "lib/Safetensors/DType.h"
#include "lib/Support/Status.h"
#include "runtime/include/k3/runtime.h"

#include <utility>

namespace k3::run {

inline constexpr std::pair<DType, k3_dtype> sharedTypes[] = {
    {DType::F32, K3_F32}, {DType::BF16, K3_BF16}, {DType::F16, K3_F16},
    {DType::I32, K3_I32}, {DType::I64, K3_I64},   {DType::U8, K3_U8},
};

/// None where the API has no such type.
inline std::optional<k3_dtype> arrayType(DType dtype) {
  for (auto [file, array] : sharedTypes)
    if (file == dtype)
      return array;
  return std::nullopt;
}

inline Expected<DType> fileType(k3_dtype dtype) {
  for (auto [file, array] : sharedTypes)
    if (array == dtype)
      return file;
  return unsupported("a tensor of element type " + std::to_string(dtype) + " cannot be written");
}

} // namespace k3::run

#endif // K3_TOOLS_RUN_FILETYPES_H
