//===- Package.cpp - Read and write model.k3x ---------------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Package/Package.h"
#include "lib/Package/Check.h"
#include "lib/Package/Format.h"
#include "lib/Support/AtomicFile.h"
#include "lib/Support/Crc32c.h"
#include "lib/Support/MappedFile.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string_view>

using namespace k3;

static_assert(std::endian::native == std::endian::little, "the prefix is read and written in memory order");

namespace {

// Host packages need nothing beyond the first release of the schema.
constexpr std::string_view features[] = {"host"};

std::string versionText(unsigned major, unsigned minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

/// CRC32C of magic and version, then of the FlatBuffer: with the length and the zeros every byte is guarded.
uint32_t checksum(const PackagePrefix &prefix, std::span<const std::byte> body) {
  return crc32c(body.data(), body.size(), crc32c(&prefix, offsetof(PackagePrefix, crc)));
}

/// Magic, version, length and checksum of the prefix, in this order: each names a different cause.
Status checkPrefix(std::span<const std::byte> bytes) {
  if (bytes.size() < packagePrefixBytes)
    return badInput("has " + std::to_string(bytes.size()) +
                    " bytes, a package has a prefix of 64; the file is truncated "
                    "or no package: compile it again");
  PackagePrefix prefix;
  std::memcpy(&prefix, bytes.data(), sizeof prefix);
  if (std::memcmp(prefix.magic, packageMagic, sizeof packageMagic) != 0)
    return badInput("is no k3 package (wrong magic); pass a file that k3-compile wrote");
  if (prefix.major != packageMajor) {
    std::string text = "has package format " + versionText(prefix.major, prefix.minor) +
                       ", this release reads " + versionText(packageMajor, packageMinor);
    return unsupported(text + (prefix.major > packageMajor
                                   ? "; use a newer k3-run, or compile the model again with this release"
                                   : "; compile the model again with this release"));
  }
  uint64_t present = bytes.size() - packagePrefixBytes;
  if (present < prefix.length)
    return badInput("is truncated: " + std::to_string(present) + " of " + std::to_string(prefix.length) +
                    " bytes follow the prefix; copy or compile it again");
  if (present > prefix.length)
    return badInput("has " + std::to_string(present - prefix.length) +
                    " bytes after its end; copy or compile it again");
  bool clean =
      std::all_of(std::begin(prefix.zero), std::end(prefix.zero), [](uint8_t byte) { return byte == 0; });
  if (checksum(prefix, bytes.subspan(packagePrefixBytes)) != prefix.crc || !clean)
    return badInput("is damaged: its CRC32C does not match its content; copy or compile it again");
  return Status::success();
}

/// Every FlatBuffers table takes at least the four bytes of its vtable offset, and none is shared.
bool verifyTables(std::span<const std::byte> body) {
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(body.data()), body.size(),
                                 /*max_depth=*/64,
                                 /*max_tables=*/static_cast<flatbuffers::uoffset_t>(body.size() / 4));
  return fb::VerifyPackageBuffer(verifier);
}

Status checkFeatures(const fb::PackageT &package) {
  auto check = [](const std::vector<std::string> &wanted, const std::string &where) -> Status {
    for (const std::string &feature : wanted)
      if (std::find(std::begin(features), std::end(features), feature) == std::end(features))
        return unsupported(where + "needs the feature '" + feature +
                           "', which this release does not know; use a newer k3-run, or compile without it");
    return Status::success();
  };
  K3_TRY(check(package.features, ""));
  for (const auto &target : package.targets)
    if (target)
      K3_TRY(check(target->features, "target '" + target->name + "' "));
  for (const auto &program : package.programs)
    if (program)
      K3_TRY(check(program->features, "program '" + program->name + "' "));
  return Status::success();
}

Expected<std::unique_ptr<fb::PackageT>> parse(std::span<const std::byte> bytes) {
  K3_TRY(checkPrefix(bytes));
  std::span<const std::byte> body = bytes.subspan(packagePrefixBytes);
  if (body.size() > maxPackageBytes || !verifyTables(body))
    return badInput("is malformed: the FlatBuffers verifier refuses it; compile it again");
  auto package = std::unique_ptr<fb::PackageT>(fb::GetPackage(body.data())->UnPack());
  K3_TRY(checkFeatures(*package));
  K3_TRY(checkPackage(*package));
  return package;
}

Expected<std::unique_ptr<fb::PackageT>> readStandardInput() {
  std::vector<std::byte> bytes;
  size_t size = 0;
  do {
    bytes.resize(size + (1 << 20));
    size += std::fread(bytes.data() + size, 1, bytes.size() - size, stdin);
  } while (size == bytes.size());
  if (std::ferror(stdin))
    return ioError("standard input cannot be read");
  return readPackage(std::span(bytes).first(size), "standard input");
}

} // namespace

std::span<const std::string_view> k3::knownFeatures() { return features; }

Expected<std::vector<std::byte>> k3::serializePackage(const fb::PackageT &package) {
  K3_TRY(checkPackage(package));
  flatbuffers::FlatBufferBuilder builder(1 << 16);
  fb::FinishPackageBuffer(builder, fb::Package::Pack(builder, &package));
  if (builder.GetSize() > maxPackageBytes)
    return unsupported("the package would have " + std::to_string(builder.GetSize()) +
                       " bytes, the format ends at 2 GiB; compile for fewer targets or buckets");
  PackagePrefix prefix = {};
  std::memcpy(prefix.magic, packageMagic, sizeof packageMagic);
  prefix.major = packageMajor;
  prefix.minor = packageMinor;
  prefix.length = builder.GetSize();
  prefix.crc = checksum(prefix, std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())));
  std::vector<std::byte> bytes(packagePrefixBytes + builder.GetSize());
  std::memcpy(bytes.data(), &prefix, sizeof prefix);
  std::memcpy(bytes.data() + packagePrefixBytes, builder.GetBufferPointer(), builder.GetSize());
  return bytes;
}

Status k3::writePackage(const fb::PackageT &package, const std::string &path) {
  K3_ASSIGN(std::vector<std::byte> bytes, serializePackage(package));
  return writeFile(path, std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
}

Expected<std::unique_ptr<fb::PackageT>> k3::readPackage(std::span<const std::byte> bytes,
                                                        const std::string &name) {
  Expected<std::unique_ptr<fb::PackageT>> package = parse(bytes);
  if (!package.ok()) {
    Status failure = package.takeStatus();
    return Status(failure.code(), name + ": " + failure.text());
  }
  return package;
}

Expected<std::unique_ptr<fb::PackageT>> k3::readPackage(const std::string &path) {
  if (path == "-")
    return readStandardInput();
  K3_ASSIGN(MappedFile file, MappedFile::open(path));
  return readPackage(file.bytes(), path);
}
