//===- HostImage.h - A loaded host object of a package ----------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shared object of grid functions inside a package, loaded into this process.
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_HOST_HOSTIMAGE_H
#define K3_RUNTIME_HOST_HOSTIMAGE_H

#include "lib/Package/GridAbi.h"
#include "lib/Package/Package_generated.h"
#include "lib/Support/Status.h"

#include <string>

namespace k3 {

class HostImage {
public:
  /// Refuses an object of another grid ABI, of an instruction set that this CPU lacks, or one that needs more
  /// than libc and libm. `where` names the image in messages.
  static Expected<HostImage> load(const fb::HostObjectT &object, const std::string &where);

  HostImage(HostImage &&other) noexcept;
  HostImage &operator=(HostImage &&other) noexcept;
  ~HostImage();

  /// NULL where the object has no such function.
  k3_grid_function find(const std::string &symbol) const;

private:
  HostImage(void *handle, int fd) : handle(handle), fd(fd) {}

  void *handle = nullptr;
  // Stays open: the loader knows objects by path, and a reused descriptor number would name this one.
  int fd = -1;
};

} // namespace k3

#endif // K3_RUNTIME_HOST_HOSTIMAGE_H
