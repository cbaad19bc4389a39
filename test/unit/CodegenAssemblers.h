//===- CodegenAssemblers.h - Which assemblers this machine has --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TEST_UNIT_CODEGENASSEMBLERS_H
#define K3_TEST_UNIT_CODEGENASSEMBLERS_H

#include "lib/Codegen/GpuCubin.h"
#include "lib/Codegen/NvJitLink.h"
#include "lib/Codegen/Ptxas.h"

namespace k3::test {

/// Why a test that needs `tool` (Auto: any) cannot run here; empty if it can.
inline std::string missingAssembler(codegen::AssemblerTool tool) {
  auto library = codegen::loadNvJitLink({});
  auto program = codegen::findPtxas({}, {});
  if (tool == codegen::AssemblerTool::NvJitLink)
    return library.status().text();
  if (tool == codegen::AssemblerTool::Ptxas)
    return program.status().text();
  return library.ok() || program.ok() ? "" : library.status().text() + "; and " + program.status().text();
}

} // namespace k3::test

#endif // K3_TEST_UNIT_CODEGENASSEMBLERS_H
