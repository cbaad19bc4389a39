//===- AtomicFile.h - An output file that is whole or absent ----*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An output file that appears whole or not at all: bytes go to a temporary file in the same folder, which one
// rename puts in place. Without commit() the temporary file is removed and an older output stays as it was.
//
//===----------------------------------------------------------------------===//

#ifndef K3_SUPPORT_ATOMICFILE_H
#define K3_SUPPORT_ATOMICFILE_H

#include "lib/Support/Status.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace k3 {

class AtomicFile {
public:
  /// Opens an output. "-" is standard output; what exists and is not a regular file (a device, a pipe) is
  /// written in place. Fails (Io) where the folder is missing or not writable.
  static Expected<AtomicFile> create(const std::string &path);

  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&other) noexcept;
  ~AtomicFile();

  const std::string &path() const { return finalPath; }

  /// Appends bytes. Fails (Io) on a full disk and the like; after a failure commit() fails too.
  Status write(const void *data, size_t size);
  Status write(std::string_view text) { return write(text.data(), text.size()); }

  /// Closes and puts the file in place. The object is spent afterwards.
  Status commit();

private:
  AtomicFile(std::string finalPath, std::string temporaryPath, int fd)
      : finalPath(std::move(finalPath)), temporaryPath(std::move(temporaryPath)), fd(fd) {}
  Status fail(const char *what, int error);

  std::string finalPath;     ///< As given, for messages.
  std::string temporaryPath; ///< Empty where the output is written in place.
  std::string renameTarget;  ///< finalPath with symbolic links followed.
  int fd = -1;
  bool failed = false;
};

/// Writes a whole file through AtomicFile ("-" is standard output).
Status writeFile(const std::string &path, std::string_view content);

/// First thing in main: a standard stream that the caller closed (`>&-`) gets a descriptor that refuses reads and writes.
/// Otherwise the next file that is opened would take its number and receive what is printed.
void reserveStandardStreams();

} // namespace k3

#endif // K3_SUPPORT_ATOMICFILE_H
