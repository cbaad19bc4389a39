//===- Check.h - What a well-formed package promises its reader ---- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The FlatBuffers verifier proves that a package can be read; checkPackage proves that it can be obeyed:
// every index is in range, every union member is known, names are unique, and every view stays inside its
// buffer at both ends of the program's bucket. After it a runtime may index without further tests.
//
//===----------------------------------------------------------------------===//

#ifndef K3_PACKAGE_CHECK_H
#define K3_PACKAGE_CHECK_H

#include "lib/Package/Expr.h"
#include "lib/Package/Package_generated.h"
#include "lib/Support/Status.h"

#include <string>

namespace k3 {

/// The first violation, with the weight, state, program and entry where it is. Errors: BadInput; Unsupported
/// for a union member that this release does not know.
Status checkPackage(const fb::PackageT &package);

/// The part of checkPackage that looks at one program (CheckProgram.cpp).
Status checkProgram(const fb::PackageT &package, const fb::ProgramT &program);

/// Of a launch, what the architecture and the tensor maps say (CheckGpuLaunch.cpp), at one end of the bucket; also that
/// GPU code is launched on a GPU target and functions of the host on the host. Indices are checked already.
Status checkGpuLaunch(const fb::PackageT &package, const fb::ProgramT &program, const fb::LaunchT &launch,
                      const SymbolValues &symbols);

/// "kernel 7 does not exist (the package has 5)", or success.
Status checkIndex(const char *kind, uint64_t index, size_t count);

} // namespace k3

#endif // K3_PACKAGE_CHECK_H
