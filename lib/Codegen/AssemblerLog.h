//===- AssemblerLog.h - What an assembler said about kernels ---*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// ptxas and nvJitLink report in text. This turns it into resources per kernel, remarks, and errors of one
// line. Formats: those of CUDA 12.x and 13.0, as seen with `ptxas -v` and the `-verbose` log of nvJitLink.
//
//===----------------------------------------------------------------------===//

#ifndef K3_CODEGEN_ASSEMBLERLOG_H
#define K3_CODEGEN_ASSEMBLERLOG_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace k3::codegen {

/// What one kernel needs per thread (registers, stack, spills) and per CTA (barriers, shared memory).
struct KernelResources {
  std::string kernel;
  unsigned registers = 0;
  unsigned barriers = 0;
  uint64_t stackBytes = 0;
  uint64_t spillStoreBytes = 0;
  uint64_t spillLoadBytes = 0;
  uint64_t staticSharedBytes = 0; ///< Without what the hardware reserves and without dynamic shared memory.
};

enum class Severity { Info, Warning, Perf };

struct AssemblerRemark {
  Severity severity = Severity::Info;
  std::string id;     ///< "C7504", "spill", or empty.
  std::string kernel; ///< Empty where the assembler does not say which.
  std::string text;   ///< One line.
};

struct AssemblerReport {
  std::vector<KernelResources> kernels; ///< In the order of the log; device functions left out.
  std::vector<AssemblerRemark> remarks;
};

/// Reads the log of a successful run. Spills become a remark of severity Perf too.
AssemblerReport parseAssemblerLog(std::string_view log);

/// The first error of a failed run in one line: kernel, PTX line and its text where known, and how many more.
std::string assemblerError(std::string_view log, std::string_view ptx);

} // namespace k3::codegen

#endif // K3_CODEGEN_ASSEMBLERLOG_H
