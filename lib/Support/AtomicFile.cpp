//===- AtomicFile.cpp - An output file that is whole or absent ------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Support/AtomicFile.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace k3;

static Status cannotWrite(const std::string &path, int error) {
  return ioError(path + ": cannot write the output: " + std::strerror(error));
}

Expected<AtomicFile> AtomicFile::create(const std::string &path) {
  if (path == "-") {
    std::fflush(stdout); // What was printed before comes first.
    return AtomicFile("stdout", "", STDOUT_FILENO);
  }
  struct stat info;
  bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return cannotWrite(path, EISDIR);
  if (exists && !S_ISREG(info.st_mode)) {
    int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0)
      return cannotWrite(path, errno);
    return AtomicFile(path, "", fd);
  }

  // A rename onto a symbolic link would replace the link, so the link is followed first.
  std::string target = path;
  if (exists)
    if (char *resolved = ::realpath(path.c_str(), nullptr)) {
      target = resolved;
      std::free(resolved);
    }
  static std::atomic<unsigned> counter{0};
  std::string temporary = target + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
  int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0)
    return cannotWrite(path, errno);
  AtomicFile file(path, temporary, fd);
  file.renameTarget = target;
  return file;
}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : finalPath(std::move(other.finalPath)), temporaryPath(std::exchange(other.temporaryPath, {})),
      renameTarget(std::move(other.renameTarget)), fd(std::exchange(other.fd, -1)), failed(other.failed) {}

AtomicFile &AtomicFile::operator=(AtomicFile &&other) noexcept {
  std::swap(finalPath, other.finalPath);
  std::swap(temporaryPath, other.temporaryPath);
  std::swap(renameTarget, other.renameTarget);
  std::swap(fd, other.fd);
  std::swap(failed, other.failed);
  return *this;
}

AtomicFile::~AtomicFile() {
  if (fd >= 0 && fd != STDOUT_FILENO)
    ::close(fd);
  if (!temporaryPath.empty())
    ::unlink(temporaryPath.c_str());
}

Status AtomicFile::fail(const char *what, int error) {
  failed = true;
  return ioError(finalPath + ": " + what + ": " + std::strerror(error));
}

Status AtomicFile::write(const void *data, size_t size) {
  if (fd < 0 || failed)
    return internalError(finalPath + ": written after it was closed or had failed");
  const char *p = static_cast<const char *>(data);
  while (size != 0) {
    ssize_t done = ::write(fd, p, size);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return fail("cannot write the output", errno);
    p += done;
    size -= static_cast<size_t>(done);
  }
  return Status::success();
}

Status AtomicFile::commit() {
  if (fd < 0 || failed)
    return internalError(finalPath + ": committed after it was closed or had failed");
  int closing = std::exchange(fd, -1);
  if (closing != STDOUT_FILENO && ::close(closing) != 0)
    return fail("cannot write the output", errno);
  if (temporaryPath.empty())
    return Status::success();
  if (::rename(temporaryPath.c_str(), renameTarget.c_str()) != 0)
    return fail("cannot put the output in place", errno);
  temporaryPath.clear();
  return Status::success();
}

Status k3::writeFile(const std::string &path, std::string_view content) {
  Expected<AtomicFile> file = AtomicFile::create(path);
  if (!file)
    return file.takeStatus();
  K3_TRY(file->write(content));
  return file->commit();
}

void k3::reserveStandardStreams() {
  // The lowest free number is taken, and the numbers below it are open.
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0)
      (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}
