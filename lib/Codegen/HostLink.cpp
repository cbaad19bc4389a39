//===- HostLink.cpp - The in-process ELF link ------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Codegen/HostObject.h"

#include "lld/Common/Driver.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;

namespace k3::codegen {

/// What machine code may call: the loader finds these in libc and libm, which every process of ours has.
static bool isLibrarySymbol(StringRef name) {
  static const StringRef known[] = {"memcpy", "memmove", "memset", "fmaf", "_GLOBAL_OFFSET_TABLE_"};
  return llvm::is_contained(known, name);
}

static LogicalResult checkUndefined(Location loc, ArrayRef<char> object) {
  llvm::MemoryBufferRef buffer(StringRef(object.data(), object.size()), "kernels.o");
  auto file = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!file)
    return emitError(loc) << "host code: the object is unreadable: " << llvm::toString(file.takeError());
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      continue;
    }
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty() && !isLibrarySymbol(*name))
      return emitError(loc) << "host code: a kernel calls '" << *name
                            << "', which is neither defined nor one of the libc and libm functions allowed";
  }
  return success();
}

FailureOr<std::vector<char>> linkHostObject(Location loc, ArrayRef<char> object,
                                            const HostObjectOptions &options) {
  if (failed(checkUndefined(loc, object)))
    return failure();
  llvm::SmallString<128> directory(options.tempDir);
  if (directory.empty())
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, directory);
  llvm::SmallString<128> unique;
  llvm::sys::path::append(directory, "k3-link-%%%%%%%%");
  llvm::sys::fs::createUniquePath(directory, unique, /*MakeAbsolute=*/false);
  if (std::error_code error = llvm::sys::fs::create_directory(unique))
    return emitError(loc) << "host code: cannot make the folder " << unique
                          << " for the linker: " << error.message() << "; set TMPDIR to a writable folder";
  llvm::scope_exit remove([&] { llvm::sys::fs::remove_directories(unique); });
  std::string input = (unique + "/kernels.o").str(), output = (unique + "/kernels.so").str();
  {
    std::error_code error;
    llvm::raw_fd_ostream file(input, error);
    if (!error)
      file.write(object.data(), object.size());
    file.close();
    if (error || file.has_error())
      return emitError(loc) << "host code: cannot write " << input << ": "
                            << (error ? error.message() : file.error().message());
  }

  std::string soname = "-soname=" + options.soname;
  const char *args[] = {"ld.lld", "-shared",     "--gc-sections", "--hash-style=gnu", "--build-id=none",
                        "-z",     "noexecstack", "--threads=1",   soname.c_str(),     input.c_str(),
                        "-o",     output.c_str()};
  std::string said;
  llvm::raw_string_ostream errors(said);
  static std::mutex one; // lld keeps state of one link in globals
  std::lock_guard<std::mutex> lock(one);
  lld::Result result = lld::lldMain(args, llvm::nulls(), errors, {{lld::Gnu, &lld::elf::link}});
  auto image = llvm::MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (result.retCode != 0 || !image)
    return emitError(loc) << "host code: link failed: " << StringRef(errors.str()).split('\n').first;
  return std::vector<char>((*image)->getBufferStart(), (*image)->getBufferEnd());
}

} // namespace k3::codegen
