//===- Crc32c.cpp - Checksum of packages and state files ------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Support/Crc32c.h"

#include <array>
#include <bit>
#include <cstring>

using namespace k3;

static_assert(std::endian::native == std::endian::little, "the eight-byte step reads little-endian words");

namespace {

/// tables[k][b]: the CRC of byte b followed by k zero bytes.
using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables makeTables() {
  constexpr uint32_t polynomial = 0x82F63B78u;
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ ((crc & 1) ? polynomial : 0);
    tables[0][byte] = crc;
  }
  for (uint32_t byte = 0; byte < 256; ++byte)
    for (size_t k = 1; k < 8; ++k)
      tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 0xFF];
  return tables;
}

constexpr Tables tables = makeTables();

} // namespace

uint32_t k3::crc32c(const void *data, size_t size, uint32_t crc) {
  const auto *p = static_cast<const unsigned char *>(data);
  crc = ~crc;
  for (; size >= 8; p += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    word ^= crc;
    crc = 0;
    for (int i = 0; i < 8; ++i)
      crc ^= tables[7 - i][(word >> (8 * i)) & 0xFF];
  }
  for (; size != 0; ++p, --size)
    crc = (crc >> 8) ^ tables[0][(crc ^ *p) & 0xFF];
  return ~crc;
}
