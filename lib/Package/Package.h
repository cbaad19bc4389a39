//===- Package.h - Read and write model.k3x ------------------------ -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PACKAGE_PACKAGE_H
#define K3_PACKAGE_PACKAGE_H

#include "lib/Package/Package_generated.h"
#include "lib/Support/Status.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace k3 {

/// The bytes of the file: prefix and FlatBuffer. Fails (BadInput) where the package does not pass
/// checkPackage, or is 2 GiB or larger.
Expected<std::vector<std::byte>> serializePackage(const fb::PackageT &package);

/// Writes the file whole or not at all; "-" is standard output.
Status writePackage(const fb::PackageT &package, const std::string &path);

/// Reads and checks a package: prefix (magic, version, length), CRC32C, FlatBuffers verifier, required
/// features, checkPackage. `name` stands in messages; path "-" is standard input.
Expected<std::unique_ptr<fb::PackageT>> readPackage(std::span<const std::byte> bytes,
                                                    const std::string &name);
Expected<std::unique_ptr<fb::PackageT>> readPackage(const std::string &path);

/// The features this release understands; a package that lists another one is refused by its name.
std::span<const std::string_view> knownFeatures();

} // namespace k3

#endif // K3_PACKAGE_PACKAGE_H
