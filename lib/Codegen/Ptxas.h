//===- Ptxas.h - PTX to cubin by the ptxas program -------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The assembler as a program of the CUDA toolkit, run in a child process on temporary files.
//
//===----------------------------------------------------------------------===//

#ifndef K3_CODEGEN_PTXAS_H
#define K3_CODEGEN_PTXAS_H

#include "lib/Codegen/NvJitLink.h"

namespace k3::codegen {

struct Ptxas {
  std::string path;
  std::string identity; ///< "ptxas V13.0.88": part of cache keys.
};

/// `path` if given; else bin/ptxas of `toolkit` if given; else PATH, then bin/ptxas of toolkitFolders(). Asks
/// the program for its version, once a process. Fails (Unsupported) naming every place.
Expected<Ptxas> findPtxas(const std::string &path, const std::string &toolkit);

/// Assembles PTX; `options` are command line words ("-arch=sm_90a"). Safe from many threads. Fails (Io) where
/// temporary files ($TMPDIR, /tmp) cannot be written or the program does not start; errors in the PTX come as
/// an empty image with a log.
Expected<Assembled> runPtxas(const Ptxas &ptxas, std::string_view ptx,
                             const std::vector<std::string> &options);

} // namespace k3::codegen

#endif // K3_CODEGEN_PTXAS_H
