//===- Format.h - The fixed 64 bytes in front of a package ---- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// File model.k3x: 64 bytes of prefix, then the FlatBuffer of Package.fbs. The prefix is read before any
// parsing, so a truncated file, a damaged one and one from a newer release get three different messages.
// Little-endian throughout.
//
//   offset  0  magic "K3XPKG\0\0"
//           8  u16 format major    a reader refuses a newer major
//          10  u16 format minor    informative: meaning is guarded by Package.features
//          12  u32 CRC32C of bytes 0..11 followed by the FlatBuffer
//          16  u64 length of the FlatBuffer in bytes
//          24  zero
//
//===----------------------------------------------------------------------===//

#ifndef K3_PACKAGE_FORMAT_H
#define K3_PACKAGE_FORMAT_H

#include <cstddef>
#include <cstdint>

namespace k3 {

inline constexpr char packageMagic[8] = {'K', '3', 'X', 'P', 'K', 'G', '\0', '\0'};
inline constexpr uint16_t packageMajor = 1;
inline constexpr uint16_t packageMinor = 0;
inline constexpr size_t packagePrefixBytes = 64;

/// The prefix as it lies in the file.
struct PackagePrefix {
  char magic[8];
  uint16_t major;
  uint16_t minor;
  uint32_t crc;
  uint64_t length;
  uint8_t zero[40];
};
static_assert(sizeof(PackagePrefix) == packagePrefixBytes);

/// Version of the step ABI (the arguments of @step) that this release compiles and runs; Package.step_abi.
inline constexpr uint16_t stepAbiMajor = 1;
inline constexpr uint16_t stepAbiMinor = 0;

/// FlatBuffers offsets are 32 bits wide.
inline constexpr uint64_t maxPackageBytes = 0x7fffffff;

} // namespace k3

#endif // K3_PACKAGE_FORMAT_H
