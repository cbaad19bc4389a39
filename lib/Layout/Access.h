//===- Access.h - Register tiles against shared memory ----------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register layout composed with a shared layout: the address of every register, the constants a lowering
// needs for it, the row addresses of ldmatrix / stmatrix, and the bank conflicts. Everything is proved by
// enumeration.
//
//===----------------------------------------------------------------------===//

#ifndef K3_LAYOUT_ACCESS_H
#define K3_LAYOUT_ACCESS_H

#include "lib/Layout/SharedLayout.h"

namespace k3::layout {

/// Byte offsets of a tile at `origin` of the shared buffer, [warp][lane][register]. Refused where it leaves
/// the buffer.
Expected<std::vector<int64_t>> addresses(const RegLayout &layout, const SharedLayout &shared,
                                         const Coord &origin);

/// What one bit or value contributes to an address.
struct AddressTerm {
  int64_t bits = 0; ///< By XOR, to the swizzled core.
  int64_t add = 0;  ///< By addition, after it.
  bool operator==(const AddressTerm &) const = default;
};

/// Address = (XOR of all `bits`) + (sum of all `add`) over base, lane bits, warp and register: one address
/// per thread, constants for its registers.
struct AddressMap {
  AddressTerm base;
  std::vector<AddressTerm> lane; ///< Per bit of the lane.
  std::vector<AddressTerm> warp; ///< Per warp.
  std::vector<AddressTerm> reg;  ///< Per register.
  int64_t at(const Place &place) const;
};

/// Refused where the composition is not of that form (a lane basis that mixes bits across a padded stride).
Expected<AddressMap> compose(const RegLayout &layout, const SharedLayout &shared, const Coord &origin);

/// ldmatrix / stmatrix of a 16-bit tile, `matrices` 8x8 blocks per instruction.
struct MatrixAccess {
  int32_t matrices;
  bool trans;
  int32_t instructions;      ///< Per warp; instruction i has registers 2 matrices i and on.
  std::vector<int64_t> rows; ///< [warp][instruction][lane]: the row address that the lane supplies.
};

/// \param trans each lane's pair lies in a column of the matrix instead of a row.
/// Refused with the first lane whose register would hold another element, and where a row is not 16-byte
/// aligned.
Expected<MatrixAccess> matrixAccess(const RegLayout &layout, const SharedLayout &shared, const Coord &origin,
                                    bool trans, int32_t matrices = 4);

/// Shared-memory cycles of one access of `bytes` per lane: 32 banks of 4 bytes, lanes in groups of 128 bytes,
/// equal words broadcast.
int32_t wavefronts(std::span<const int64_t> laneAddresses, int32_t bytes);

struct BankCount {
  int32_t vectorBytes;
  int64_t accesses;   ///< Instructions, all warps.
  int64_t wavefronts; ///< Cycles, all warps.
  int64_t ideal;      ///< Cycles without conflicts.
};

/// The widest access (up to 16 bytes) whose registers follow each other in memory, aligned, in every lane.
int32_t vectorBytes(const RegLayout &layout, const SharedLayout &shared, const Coord &origin);

/// \param bytes per lane and access, at most what `vectorBytes` allows; 0: that.
Expected<BankCount> bankCount(const RegLayout &layout, const SharedLayout &shared, const Coord &origin,
                              int32_t bytes = 0);

/// The same for ldmatrix / stmatrix: each matrix is one access of eight rows.
BankCount bankCount(const MatrixAccess &access);

} // namespace k3::layout

#endif // K3_LAYOUT_ACCESS_H
