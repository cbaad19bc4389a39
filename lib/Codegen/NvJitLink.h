//===- NvJitLink.h - PTX to cubin by libnvJitLink --------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// nvJitLink assembles PTX in memory. The library is found at run time, so that a build needs no CUDA toolkit.
//
// It always assembles a relocatable object and links it; there, `setmaxnreg` is ignored (C7504) because a
// caller in another object could expect other registers. GpuCubin.h therefore sends such kernels to ptxas.
//
//===----------------------------------------------------------------------===//

#ifndef K3_CODEGEN_NVJITLINK_H
#define K3_CODEGEN_NVJITLINK_H

#include "lib/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace k3::codegen {

/// The C functions we call, by their documented ABI: https://docs.nvidia.com/cuda/nvjitlink/, "User
/// Interface". A result of 0 is success; input type 2 is PTX.
struct NvJitLinkApi {
  using Handle = void *;
  int (*create)(Handle *handle, uint32_t optionCount, const char **options);
  int (*destroy)(Handle *handle);
  int (*addData)(Handle handle, int inputType, const void *data, size_t size, const char *name);
  int (*complete)(Handle handle);
  int (*getLinkedCubinSize)(Handle handle, size_t *size);
  int (*getLinkedCubin)(Handle handle, void *cubin);
  int (*getErrorLogSize)(Handle handle, size_t *size);
  int (*getErrorLog)(Handle handle, char *log);
  int (*getInfoLogSize)(Handle handle, size_t *size);
  int (*getInfoLog)(Handle handle, char *log);
  int (*version)(unsigned *major, unsigned *minor);
};

struct NvJitLink {
  NvJitLinkApi api;
  std::string path;
  std::string identity; ///< Version and file size: part of cache keys.
};

/// What an assembler run gave: without an image, `log` has the errors.
struct Assembled {
  std::vector<char> image;
  std::string log;
};

/// Finds and loads the library: in `toolkit` if one is given, else on the loader's path, then in the toolkits
/// of toolkitFolders(). The result lives until the process ends. Fails (Unsupported) naming every place.
Expected<const NvJitLink *> loadNvJitLink(const std::string &toolkit);

/// The toolkit folders to search: `toolkit` alone if given, else $CUDA_HOME, $CUDA_PATH, $CUDA_ROOT and
/// /usr/local/cuda.
std::vector<std::string> toolkitFolders(const std::string &toolkit);

/// Assembles PTX; `options` as documented ("-arch=sm_90a", "-O3"). One handle per call; safe from many
/// threads.
Expected<Assembled> runNvJitLink(const NvJitLink &library, std::string_view ptx,
                                 const std::vector<std::string> &options);

} // namespace k3::codegen

#endif // K3_CODEGEN_NVJITLINK_H
