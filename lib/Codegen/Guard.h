//===- Guard.h - Calls into LLVM that may abort ----------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_LIB_CODEGEN_GUARD_H
#define K3_LIB_CODEGEN_GUARD_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace k3::codegen {

/// Runs `work`; when it crashes or reports a fatal error, returns what LLVM said (never empty), else an empty
/// string. Not reentrant.
std::string guarded(llvm::function_ref<void()> work);

} // namespace k3::codegen

#endif // K3_LIB_CODEGEN_GUARD_H
