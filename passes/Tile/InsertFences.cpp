//===- InsertFences.cpp - k3-tile-insert-fences -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Tile/Fences.h"
#include "passes/Tile/Passes.h"

using namespace mlir;

namespace k3::tile {

#define GEN_PASS_DEF_INSERTFENCESPASS
#include "passes/Tile/Passes.h.inc"

namespace {

struct InsertFencesPass : impl::InsertFencesPassBase<InsertFencesPass> {
  using InsertFencesPassBase::InsertFencesPassBase;

  void runOnOperation() override {
    // Both run, so that one run reports everything.
    bool proxies = succeeded(fenceProxies(getOperation(), verifyOnly)),
         wgmma = succeeded(fenceWgmma(getOperation(), verifyOnly));
    if (!proxies || !wgmma)
      signalPassFailure();
  }
};

} // namespace
} // namespace k3::tile
