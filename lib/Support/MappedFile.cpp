//===- MappedFile.cpp - A whole file as read-only memory ------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Support/MappedFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace k3;

Expected<MappedFile> MappedFile::open(const std::string &path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return ioError(path + ": cannot open: " + std::strerror(errno));
  struct stat info;
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return ioError(path + ": is not a regular file");
  }
  size_t size = static_cast<size_t>(info.st_size);
  if (size == 0) {
    ::close(fd);
    return MappedFile(path, nullptr, 0);
  }
  void *start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  int error = errno;
  ::close(fd); // The mapping keeps the file open.
  if (start == MAP_FAILED)
    return ioError(path + ": cannot map " + std::to_string(size) + " bytes: " + std::strerror(error));
  return MappedFile(path, static_cast<const std::byte *>(start), size);
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : filePath(std::move(other.filePath)), start(std::exchange(other.start, nullptr)),
      byteCount(std::exchange(other.byteCount, 0)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(filePath, other.filePath);
  std::swap(start, other.start);
  std::swap(byteCount, other.byteCount);
  return *this;
}

MappedFile::~MappedFile() {
  if (start)
    ::munmap(const_cast<std::byte *>(start), byteCount);
}
