//===- Writer.h - Writes a safetensors file ---------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes tensors to one safetensors file, in the order in which they were added.
//
//===----------------------------------------------------------------------===//

#ifndef K3_SAFETENSORS_WRITER_H
#define K3_SAFETENSORS_WRITER_H

#include "lib/Safetensors/DType.h"
#include "lib/Support/Status.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace k3 {

class SafetensorsWriter {
public:
  /// Adds a tensor whose bytes stay with the caller until write(). Fails where the name is taken or the
  /// number of bytes is not that of the type.
  Status add(std::string name, DType dtype, std::vector<int64_t> shape, std::span<const std::byte> bytes);
  /// The same for a row-major array of a C++ type.
  template <typename T>
  Status add(std::string name, DType dtype, std::vector<int64_t> shape, const std::vector<T> &values) {
    return add(std::move(name), dtype, std::move(shape), std::as_bytes(std::span<const T>(values)));
  }

  /// Free text in the header, under "__metadata__".
  void setMetadata(std::string key, std::string value) { metadata[std::move(key)] = std::move(value); }

  /// Writes the file, whole or not at all; "-" is standard output.
  Status write(const std::string &path) const;

private:
  struct Entry {
    std::string name;
    DType dtype;
    std::vector<int64_t> shape;
    std::span<const std::byte> bytes;
  };
  std::string header() const;

  std::vector<Entry> entries;
  std::map<std::string, size_t> byName;
  std::map<std::string, std::string> metadata;
};

} // namespace k3

#endif // K3_SAFETENSORS_WRITER_H
