//===- Text.h - Layouts as text, both ways ----------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout that an instruction or kernel names prints as that name and its numbers ("acc 128", "sw128 64 64
// 2"), any other as its bases:
//
//   reg [[0, 1], [8, 0]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] warp [[16, 0]] repeat [reg 3 on 1,
//   warp 7 on *] bytes 2 bases [[144, 288, 576], [2, 4, 8]] repeat [3 on 1 by 4096] base 1024
//
// "on *" is a repeat that replicates. Empty lists are left out. Both forms parse; what they mean is equal.
//
//   acc N | wg_a K | mma_a K | mma_b K | mma_c N | mma_a8 K | mma_b8 K | bt | mx_a WARPS | mx_b WARPS
//   rows VECTOR EXTENT WARPS
//   sw128 | sw64 | sw32 ROWS COLS ELEMENT_BYTES [PANEL_STRIDE]; core8x8 ROWS COLS; row_major ROWS COLS BYTES
//   [PITCH] decay | staging | kq | z | mx_codes PAIRS | mx_scales PAIRS
//
//===----------------------------------------------------------------------===//

#ifndef K3_LAYOUT_TEXT_H
#define K3_LAYOUT_TEXT_H

#include "lib/Layout/SharedLayout.h"

#include <string_view>

namespace k3::layout {

std::string print(const RegLayout &layout);
std::string print(const SharedLayout &layout);

/// The form by bases, also where there is a name.
std::string printBases(const RegLayout &layout);
std::string printBases(const SharedLayout &layout);

Expected<RegLayout> parseRegLayout(std::string_view text);
Expected<SharedLayout> parseSharedLayout(std::string_view text);

} // namespace k3::layout

#endif // K3_LAYOUT_TEXT_H
