//===- FragmentTest.cpp - Named layouts against the formulas of the PTX ISA -===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Fragments.h"
#include "lib/Layout/Named.h"

#include <gtest/gtest.h>

using namespace k3;
using namespace k3::layout;

/// Compares for all registers, lanes and warps; `swap`: the formula says (k, n), the layout [n, k].
template <typename Formula>
static void expectFragment(const Expected<RegLayout> &layout, int32_t elements, Formula formula,
                           bool swap = false) {
  ASSERT_TRUE(layout.ok()) << layout.status().text();
  ASSERT_EQ(layout->numRegs(), elements);
  for (int32_t w = 0; w < layout->numWarps(); ++w)
    for (int32_t l = 0; l < numLanes; ++l)
      for (int32_t r = 0; r < elements; ++r) {
        fragment::RowCol want = formula(32 * w + l, r);
        Coord coord = swap ? Coord{want.col, want.row} : Coord{want.row, want.col};
        ASSERT_EQ(layout->apply({r, l, w}), coord) << "register " << r << " lane " << l << " warp " << w;
      }
}

TEST(Fragment, MmaSync) {
  expectFragment(mmaA(8), 4, fragment::mmaA16);
  expectFragment(mmaA(16), 8, fragment::mmaA16);
  expectFragment(mmaB(8), 2, fragment::mmaB16, true);
  expectFragment(mmaB(16), 4, fragment::mmaB16, true);
  expectFragment(mmaA(32, 8), 16, fragment::mmaA8);
  expectFragment(mmaB(32, 8), 8, fragment::mmaB8, true);
  expectFragment(mmaC(8), 4, fragment::mmaC);
}

TEST(Fragment, Wgmma) {
  for (int32_t n : {8, 16, 24, 96, 128, 192, 256})
    expectFragment(acc(n), n / 2, fragment::wgmmaD);
  for (int32_t k : {16, 48, 64, 128})
    expectFragment(wgA(k), k / 2, fragment::wgmmaA16);
}

TEST(Fragment, LdmatrixTransOfTokensByChannels) {
  // x4.trans: matrix m covers tokens 8 (m & 1).., channels 8 (m >> 1)..; the layout is [k = token, n =
  // channel].
  expectFragment(bt(), 8, [](int32_t lane, int32_t r) {
    fragment::RowCol inMatrix = fragment::matrix8x8(lane, r & 1, true);
    int32_t m = r / 2;
    return fragment::RowCol{8 * (m & 1) + inMatrix.row, 8 * (m >> 1) + inMatrix.col};
  });
}
