//===- HostImage.cpp - A loaded host object of a package ------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Host/HostImage.h"

#include "lib/Arch/Cpu.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace k3;

/// The CPU level of a host object; none for GPU instruction sets.
static std::optional<arch::Isa> cpuLevel(fb::Isa isa) {
  switch (isa) {
  case fb::Isa::X86_64_v2:
    return arch::Isa::X86_64_V2;
  case fb::Isa::X86_64_v3:
    return arch::Isa::X86_64_V3;
  case fb::Isa::X86_64_v4:
    return arch::Isa::X86_64_V4;
  default:
    return std::nullopt;
  }
}

static Status checkIsa(fb::Isa isa, const std::string &where) {
  std::optional<arch::Isa> level = cpuLevel(isa);
  if (!level)
    return unsupported(where + ": host object for " + fb::EnumNameIsa(isa) + ", which is no CPU level");
  std::string missing = arch::missingFeatures(*level);
  if (missing.empty())
    return Status::success();
  return unsupported(where + ": host object needs " + std::string(arch::isaName(*level)) +
                     ", this CPU lacks " + missing + "; compile for a lower level");
}

static Status write(int fd, const std::vector<uint8_t> &bytes, const std::string &where) {
  for (size_t done = 0; done < bytes.size();) {
    ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return ioError(where + ": cannot write the host object to memory: " + std::strerror(errno));
    done += static_cast<size_t>(n);
  }
  return Status::success();
}

Expected<HostImage> HostImage::load(const fb::HostObjectT &object, const std::string &where) {
  if (object.grid_abi != K3_GRID_ABI)
    return unsupported(where + ": host object has grid ABI " + std::to_string(object.grid_abi) +
                       ", this runtime calls " + std::to_string(K3_GRID_ABI) + "; compile the package again");
  K3_TRY(checkIsa(object.isa, where));
  for (const std::string &library : object.needs)
    if (library != "libc.so.6" && library != "libm.so.6")
      return unsupported(where + ": host object needs '" + library +
                         "', expected only libc.so.6 and libm.so.6");

  int fd = memfd_create("k3-host-object", MFD_CLOEXEC);
  if (fd < 0)
    return ioError(where + ": memfd_create: " + std::strerror(errno));
  HostImage image(nullptr, fd);
  K3_TRY(write(fd, object.elf, where));
  std::string path = "/proc/self/fd/" + std::to_string(fd);
  image.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!image.handle) {
    const char *reason = dlerror();
    return badInput(where + ": the host object cannot be loaded: " + (reason ? reason : "unknown reason"));
  }
  return image;
}

HostImage::HostImage(HostImage &&other) noexcept
    : handle(std::exchange(other.handle, nullptr)), fd(std::exchange(other.fd, -1)) {}

HostImage &HostImage::operator=(HostImage &&other) noexcept {
  std::swap(handle, other.handle);
  std::swap(fd, other.fd);
  return *this;
}

HostImage::~HostImage() {
  if (handle)
    dlclose(handle);
  if (fd >= 0)
    close(fd);
}

k3_grid_function HostImage::find(const std::string &symbol) const {
  return reinterpret_cast<k3_grid_function>(dlsym(handle, symbol.c_str()));
}
