//===- MappedFile.h - A whole file as read-only memory ----------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A whole file mapped read-only. Pages are read from disk on first use.
//
//===----------------------------------------------------------------------===//

#ifndef K3_SUPPORT_MAPPEDFILE_H
#define K3_SUPPORT_MAPPEDFILE_H

#include "lib/Support/Status.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace k3 {

class MappedFile {
public:
  /// Maps `path`. Fails (Io, names the file and the reason of the system) where it cannot be opened or is not
  /// a regular file. An empty file is a success with size 0.
  static Expected<MappedFile> open(const std::string &path);

  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  const std::string &path() const { return filePath; }
  const std::byte *data() const { return start; }
  size_t size() const { return byteCount; }
  std::span<const std::byte> bytes() const { return {start, byteCount}; }
  std::string_view text() const { return {reinterpret_cast<const char *>(start), byteCount}; }

private:
  MappedFile(std::string path, const std::byte *start, size_t size)
      : filePath(std::move(path)), start(start), byteCount(size) {}

  std::string filePath;
  const std::byte *start = nullptr;
  size_t byteCount = 0;
};

} // namespace k3

#endif // K3_SUPPORT_MAPPEDFILE_H
