//===- GpuCubin.h - PTX to cubin -------------------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Machine code of an NVIDIA GPU from PTX: by nvJitLink in this process, or by ptxas.
//
//===----------------------------------------------------------------------===//

#ifndef K3_CODEGEN_GPUCUBIN_H
#define K3_CODEGEN_GPUCUBIN_H

#include "lib/Codegen/AssemblerLog.h"
#include "lib/Codegen/CompileCache.h"
#include "lib/Support/Status.h"

#include <string>
#include <vector>

namespace k3::codegen {

/// One PTX module, usually one kernel.
struct PtxKernel {
  std::string name; ///< For messages.
  std::string arch; ///< "sm_90a": what machine code is made for.
  std::string ptx;
};

enum class AssemblerTool {
  Auto,      ///< nvJitLink; ptxas for PTX with setmaxnreg (see NvJitLink.h), or where there is no nvJitLink.
  NvJitLink, ///< nvJitLink and nothing else.
  Ptxas,     ///< ptxas and nothing else.
};

struct CubinOptions {
  AssemblerTool tool = AssemblerTool::Auto;
  std::string ptxas;     ///< This program, and only it; empty: `tool` decides.
  std::string toolkit;   ///< A CUDA toolkit folder to use in place of the system's.
  unsigned optLevel = 3; ///< 0 or 3.
  bool lineInfo = false; ///< Line tables also for PTX without .loc (lines of the PTX), for profilers.
};

struct Cubin {
  std::vector<char> image; ///< An ELF file.
  AssemblerReport report;
  std::string tool; ///< Name and version of the assembler.
  bool cached = false;
};

/// Assembles one kernel. `cache` may be null. Errors in the PTX (BadInput) are one line: kernel, arch, PTX
/// line and text; a missing assembler (Unsupported) says what was looked for and what to install.
Expected<Cubin> assemblePtx(const PtxKernel &kernel, const CubinOptions &options = {},
                            CompileCache *cache = nullptr);

/// --Werror=perf: fails (BadInput) with the first remark of severity Perf and how many more there are.
Status rejectPerfRemarks(const PtxKernel &kernel, const AssemblerReport &report);

struct CompileOptions {
  CubinOptions cubin;
  unsigned threads = 0;          ///< At a time; 0: as many as the machine has.
  bool perfIsError = false;      ///< --Werror=perf
  CompileCache *cache = nullptr; ///< May be null.
};

/// Assembles kernels in parallel; the result has their order. Every kernel is tried; a failure is the first
/// in their order and how many more failed.
Expected<std::vector<Cubin>> compileKernels(const std::vector<PtxKernel> &kernels,
                                            const CompileOptions &options = {});

} // namespace k3::codegen

#endif // K3_CODEGEN_GPUCUBIN_H
