//===- Crc32c.h - Checksum of packages and state files ----------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78), the checksum of packages and state files.
// Software only, slicing by eight bytes, so that it is the same on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef K3_SUPPORT_CRC32C_H
#define K3_SUPPORT_CRC32C_H

#include <cstddef>
#include <cstdint>

namespace k3 {

/// CRC-32C of `size` bytes. `crc` is the checksum of the bytes before them (0 at the start), so that
/// crc32c(b, nb, crc32c(a, na)) is the checksum of a followed by b.
uint32_t crc32c(const void *data, size_t size, uint32_t crc = 0);

} // namespace k3

#endif // K3_SUPPORT_CRC32C_H
