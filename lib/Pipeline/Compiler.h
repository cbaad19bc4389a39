//===- Compiler.h - From a model to a package -*- C++ -*- -----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PIPELINE_COMPILER_H
#define K3_PIPELINE_COMPILER_H

#include "lib/Support/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace k3 {

/// What a compilation ends with.
enum class Emit { K3, Exec, Tile, Ptx, Cubin, Llvm, Object, Package };

struct CompileOptions {
  std::string input;           ///< A model directory, an .mlir file, or "-".
  std::string output = "-";
  std::string target = "host"; ///< Or a GPU of lib/Arch: "h200", "sm_90a".
  std::string isa = "x86-64-v3";
  std::string precision;       ///< Empty: what the target computes in, f32 on the host, bf16 on a GPU.
  Emit emit = Emit::Package;
  int64_t maxTokens = 0, maxSeqs = 0, maxContext = 0; ///< 0: the input's own, or its defaults.
  bool allLogits = false;
  std::string taps;      ///< Regular expression of tensor names; empty: none.
  std::string saveTemps; ///< Folder for the module after every phase; empty: none.
  std::string stopAfter; ///< Name of the last phase; its module is the result. Empty: all.
  unsigned optLevel = 2;
  // GPU targets.
  std::string ptxas;        ///< This assembler and no other; empty: nvJitLink or ptxas, as found.
  std::string cacheDir;     ///< Where machine code is kept between runs; empty: the user's cache folder.
  bool cache = true;
  bool perfIsError = false; ///< --Werror=perf: spills and serialised wgmma are errors.
  bool lineInfo = false;
};

/// What there is to say beside success or failure.
struct CompileReport {
  std::vector<std::string> remarks; ///< One line each: what was skipped, what could not be checked.
  std::string rerun;                ///< After a failed phase: the command that runs it again.
};

/// Reads the input and runs the phases, writes the output whole or not at all. Diagnostics of MLIR are collected into
/// the status: the first one and how many followed.
Status compile(const CompileOptions &options, CompileReport &report);

} // namespace k3

#endif // K3_PIPELINE_COMPILER_H
