//===- Fragments.cpp - Register fragments of matrix instructions ----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Fragments.h"

using namespace k3::layout;
using fragment::RowCol;

// groupID = lane >> 2, threadID_in_group = lane % 4 throughout.

RowCol fragment::mmaA16(int32_t lane, int32_t i) {
  bool upper = i < 2 || (i >= 4 && i < 6);
  return {upper ? lane >> 2 : (lane >> 2) + 8, lane % 4 * 2 + (i & 1) + (i < 4 ? 0 : 8)};
}

RowCol fragment::mmaB16(int32_t lane, int32_t i) {
  return {lane % 4 * 2 + (i & 1) + (i < 2 ? 0 : 8), lane >> 2};
}

RowCol fragment::mmaA8(int32_t lane, int32_t i) {
  bool upper = i < 4 || (i >= 8 && i < 12);
  return {upper ? lane >> 2 : (lane >> 2) + 8, lane % 4 * 4 + (i & 3) + (i < 8 ? 0 : 16)};
}

RowCol fragment::mmaB8(int32_t lane, int32_t i) {
  return {lane % 4 * 4 + (i & 3) + (i < 4 ? 0 : 16), lane >> 2};
}

RowCol fragment::mmaC(int32_t lane, int32_t i) {
  return {i < 2 ? lane >> 2 : (lane >> 2) + 8, lane % 4 * 2 + (i & 1)};
}

RowCol fragment::wgmmaD(int32_t thread, int32_t i) {
  return {thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8, i / 4 * 8 + thread % 4 * 2 + i % 2};
}

RowCol fragment::wgmmaA16(int32_t thread, int32_t i) {
  RowCol inWarp = mmaA16(thread % 32, i % 8);
  return {thread / 32 * 16 + inWarp.row, i / 8 * 16 + inWarp.col};
}

RowCol fragment::matrix8x8(int32_t lane, int32_t i, bool trans) {
  RowCol plain{lane / 4, lane % 4 * 2 + i};
  return trans ? RowCol{plain.col, plain.row} : plain;
}
