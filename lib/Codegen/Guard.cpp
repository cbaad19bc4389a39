//===- Guard.cpp - Calls into LLVM that may abort --------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Codegen/Guard.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <mutex>

namespace k3::codegen {

static void keepMessage(void *text, const char *reason, bool) {
  *static_cast<std::string *>(text) = reason;
  // Leave from here: report_fatal_error would print a stack and end the process.
  if (llvm::CrashRecoveryContext *context = llvm::CrashRecoveryContext::GetCurrent())
    context->HandleExit(1);
}

std::string guarded(llvm::function_ref<void()> work) {
  // The handler is a process-wide setting.
  static std::mutex one;
  std::lock_guard<std::mutex> lock(one);
  std::string message;
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext context;
  llvm::ScopedFatalErrorHandler handler(keepMessage, &message);
  if (context.RunSafely(work))
    return {};
  return message.empty() ? "the code generator crashed" : message;
}

} // namespace k3::codegen
