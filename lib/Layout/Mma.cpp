//===- Mma.cpp - Operands of a register product ---------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Mma.h"

#include <cstddef>

using namespace k3;
using namespace k3::layout;

/// Lane bits groupFrom .. groupTo run along `groupDim`, the others along the other dimension.
static Status checkLanes(const char *operand, const RegLayout &layout, int32_t groupDim, size_t groupFrom,
                         size_t groupTo) {
  for (size_t i = 0; i < 5; ++i) {
    int32_t dim = i >= groupFrom && i < groupTo ? groupDim : 1 - groupDim;
    const Coord &basis = layout.lane()[i];
    if (basis[static_cast<size_t>(1 - dim)] != 0 || basis[static_cast<size_t>(dim)] == 0)
      return unsupported(std::string("mma operand ") + operand + ": lane bit " + std::to_string(i) + " is " +
                         coordText(basis) + ", it must run along dimension " + std::to_string(dim) + " only");
  }
  return Status::success();
}

static bool equalAlong(const RegLayout &a, int32_t aDim, const RegLayout &b, int32_t bDim, size_t lane) {
  return a.lane()[lane][static_cast<size_t>(aDim)] == b.lane()[lane][static_cast<size_t>(bDim)];
}

/// The k of the registers that hold row or column 0 of the first lane, in order.
static std::vector<int32_t> kOfRegisters(const RegLayout &layout) {
  std::vector<int32_t> list;
  for (int32_t r = 0; r < layout.numRegs(); ++r) {
    Coord coord = layout.apply({r, 0, 0});
    if (coord[0] == layout.apply({0, 0, 0})[0])
      list.push_back(coord[1]);
  }
  return list;
}

/// The rows of a register operand (m of A and C; n of B) that a lane's registers hold, k or n fixed, in
/// order.
static std::vector<int32_t> rowsOfRegisters(const RegLayout &layout, int32_t dim) {
  std::vector<int32_t> list;
  for (int32_t r = 0; r < layout.numRegs(); ++r) {
    Coord coord = layout.apply({r, 0, 0});
    if (coord[static_cast<size_t>(1 - dim)] == 0)
      list.push_back(coord[static_cast<size_t>(dim)]);
  }
  return list;
}

/// Every warp multiplies its own tiles.
static Status checkWarps(const RegLayout &a, const RegLayout &b, const RegLayout &c) {
  if (a.numWarps() != b.numWarps() || a.numWarps() != c.numWarps())
    return unsupported("mma of teams of " + std::to_string(a.numWarps()) + ", " +
                       std::to_string(b.numWarps()) + " and " + std::to_string(c.numWarps()) + " warps");
  for (int32_t w = 0; w < a.numWarps(); ++w) {
    Coord ofA = a.apply({0, 0, w}), ofB = b.apply({0, 0, w}), ofC = c.apply({0, 0, w});
    if (ofA[1] != ofB[1] || ofA[0] != ofC[0] || ofB[0] != ofC[1])
      return unsupported("mma: warp " + std::to_string(w) + " has A at " + coordText(ofA) +
                         ", B (as [n, k]) at " + coordText(ofB) + " and C at " + coordText(ofC));
  }
  return Status::success();
}

Status layout::checkMma(const RegLayout &a, const RegLayout &b, const RegLayout &c, int32_t elementBits) {
  if (a.rank() != 2 || b.rank() != 2 || c.rank() != 2 || a.shape()[1] != b.shape()[1] ||
      a.shape()[0] != c.shape()[0] || b.shape()[0] != c.shape()[1])
    return badInput("mma of " + coordText(a.shape()) + " by " + coordText(b.shape()) + " (as [n, k]) into " +
                    coordText(c.shape()));
  if (elementBits != 8 && elementBits != 16)
    return badInput("mma of " + std::to_string(elementBits) + "-bit elements, must be 8 or 16");
  K3_TRY(checkLanes("A", a, 0, 2, 5));
  K3_TRY(checkLanes("B", b, 0, 2, 5));
  K3_TRY(checkLanes("C", c, 0, 2, 5));
  for (size_t i = 2; i < 5; ++i)
    if (!equalAlong(a, 0, c, 0, i))
      return unsupported("mma: lane bit " + std::to_string(i) + " is row " + std::to_string(a.lane()[i][0]) +
                         " in A and row " + std::to_string(c.lane()[i][0]) + " in C");
  for (size_t i = 0; i < 2; ++i)
    if (c.lane()[i][1] != 2 << i)
      return unsupported("mma operand C: lane bit " + std::to_string(i) + " is column " +
                         std::to_string(c.lane()[i][1]) + ", the instruction has " + std::to_string(2 << i));
  // Columns of C: n = lane group of B; the instruction numbers them 1, 2, 4.
  for (size_t i = 2; i < 5; ++i)
    if (b.lane()[i][0] != 1 << (i - 2))
      return unsupported("mma operand B: lane bit " + std::to_string(i) + " is column " +
                         std::to_string(b.lane()[i][0]) + ", C has column " + std::to_string(1 << (i - 2)));
  int32_t slot = 0;
  for (size_t i = 0; i < 2; ++i, ++slot)
    if (!equalAlong(a, 1, b, 1, i))
      return unsupported("mma: k-slot " + std::to_string(slot) + " (lane bit " + std::to_string(i) + ") is " +
                         std::to_string(a.lane()[i][1]) + " in A and " + std::to_string(b.lane()[i][1]) +
                         " in B");
  std::vector<int32_t> ka = kOfRegisters(a), kb = kOfRegisters(b);
  for (size_t i = 0; i < ka.size() || i < kb.size(); ++i)
    if (i >= ka.size() || i >= kb.size() || ka[i] != kb[i])
      return unsupported("mma: the registers of one row hold different k in A and B from element " +
                         std::to_string(i) + " on");
  // The packed neighbours of both must be the same run of k, next to each other in registers.
  size_t packed = static_cast<size_t>(32 / elementBits);
  for (const RegLayout *operand : {&a, &b})
    for (size_t e = 1; e < packed; ++e)
      if (operand->numRegs() < static_cast<int32_t>(packed) ||
          operand->apply({static_cast<int32_t>(e), 0, 0}) != Coord{0, ka[e]})
        return unsupported(std::string("mma operand ") + (operand == &a ? "A" : "B") +
                           ": the elements of one register are not of one row");
  if (rowsOfRegisters(a, 0) != rowsOfRegisters(c, 0))
    return unsupported("mma: the registers of one lane hold different rows in A and C");
  std::vector<int32_t> columns = rowsOfRegisters(c, 1);
  std::erase_if(columns, [](int32_t column) { return column % 2; });
  if (!c.packsAlong(1, 16) || columns != rowsOfRegisters(b, 0))
    return unsupported("mma: the registers of one lane hold different columns in B and C");
  return checkWarps(a, b, c);
}
