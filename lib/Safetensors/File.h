//===- File.h - One safetensors file, read-only -----------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One safetensors file: 8 bytes length of the header, the header (JSON: name -> dtype, shape, byte range),
// then the bytes of all tensors without gaps. The file is mapped; nothing of the data is read on opening.
//
//===----------------------------------------------------------------------===//

#ifndef K3_SAFETENSORS_FILE_H
#define K3_SAFETENSORS_FILE_H

#include "lib/Safetensors/DType.h"
#include "lib/Safetensors/NameTable.h"
#include "lib/Support/MappedFile.h"
#include "lib/Support/Status.h"

#include <map>
#include <string>
#include <vector>

namespace k3 {

/// A tensor of an open file. Views live as long as the file (or Checkpoint) that gave them.
struct TensorView {
  std::string_view name;
  DType dtype;
  std::span<const int64_t> shape;
  std::span<const std::byte> bytes; ///< Row-major, little-endian, of no particular alignment.
  std::string_view file;            ///< Path, for messages.

  int64_t elements() const { return static_cast<int64_t>(bytes.size() * 8 / dtypeBits(dtype)); }
  /// "BF16 [2, 3]"
  std::string typeText() const;
};

/// Where a header puts a tensor; offsets count from the end of the header.
struct TensorRecord {
  DType dtype;
  std::vector<int64_t> shape;
  uint64_t begin, end;
};

/// The parsed header: tensors in the order of the header.
struct TensorHeader {
  NameTable names;
  std::vector<TensorRecord> records; ///< By number in `names`.
  std::map<std::string, std::string> metadata;
};

/// Parses and checks a header for `dataSize` bytes of data: valid JSON, known dtypes, dims that do not
/// overflow, byte ranges that fit their shapes and cover the data exactly once. Messages have no file name.
Expected<TensorHeader> parseTensorHeader(std::string_view json, uint64_t dataSize);

class SafetensorsFile {
public:
  /// Maps and checks a file. Every failure names the file, and the tensor where there is one.
  static Expected<SafetensorsFile> open(const std::string &path);

  const std::string &path() const { return file.path(); }
  const std::vector<std::string_view> &names() const { return header.names.list(); }
  const std::map<std::string, std::string> &metadata() const { return header.metadata; }

  /// The tensor of that name, or none.
  std::optional<TensorView> find(std::string_view name) const;
  /// The tensor of that name; its absence is an error that names the file.
  Expected<TensorView> lookup(std::string_view name) const;

private:
  SafetensorsFile(MappedFile file, TensorHeader header, size_t dataStart)
      : file(std::move(file)), header(std::move(header)), dataStart(dataStart) {}

  MappedFile file;
  TensorHeader header;
  size_t dataStart;
};

/// Success where the tensor has that type, else `file: tensor 'x' is BF16 [2, 3], the config needs BF16 [3,
/// 2]` followed by ` (why)` where `why` is not empty.
Status checkTensor(const TensorView &tensor, DType dtype, std::span<const int64_t> shape,
                   std::string_view why = "");

} // namespace k3

#endif // K3_SAFETENSORS_FILE_H
