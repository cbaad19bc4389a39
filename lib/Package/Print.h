//===- Print.h - A package as text or JSON -------------------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PACKAGE_PRINT_H
#define K3_PACKAGE_PRINT_H

#include "lib/Package/Package_generated.h"
#include "lib/Support/Status.h"

#include <span>
#include <string>
#include <string_view>

namespace k3 {

/// Names that packageText accepts: "model", "weights", "packed", "skipped", "states", "buffers", "kernels",
/// "programs".
std::span<const std::string_view> packageSections();

/// The named section, or with "" all of them. Errors: BadUsage for a name that is no section.
Expected<std::string> packageText(const fb::PackageT &package, std::string_view section = "");

/// Every field by its name in Package.fbs, expressions as text; code and constant data are given by their
/// size. With a section only that field (any field name of table Package).
Expected<std::string> packageJson(const fb::PackageT &package, std::string_view section = "");

} // namespace k3

#endif // K3_PACKAGE_PRINT_H
