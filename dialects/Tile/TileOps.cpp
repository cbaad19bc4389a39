//===- TileOps.cpp - Ops of the tile dialect: generated code, shared helpers --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/TileOps.h"

#include "mlir/IR/OpImplementation.h"

#include <numeric>

using namespace mlir;
using namespace k3::tile;

RoleOp k3::tile::roleOf(Operation *op) {
  return isa<RoleOp>(op) ? cast<RoleOp>(op) : op->getParentOfType<RoleOp>();
}

int64_t k3::tile::teamWarps(Operation *op) { return roleOf(op).getWarps(); }

int64_t k3::tile::addressAlignment(Value shared) {
  auto type = cast<SharedType>(shared.getType());
  if (auto slot = shared.getDefiningOp<SlotOp>())
    return std::gcd(addressAlignment(slot.getBuffer()), slot.getBuffer().getType().getStageStride());
  if (auto part = shared.getDefiningOp<PartOp>())
    return std::gcd(addressAlignment(part.getSource()), part.getStride());
  if (auto alias = shared.getDefiningOp<AliasOp>())
    return std::gcd(addressAlignment(alias.getSource()), static_cast<int64_t>(alias.getOffset()));
  if (auto peer = shared.getDefiningOp<PeerOp>())
    return addressAlignment(peer.getSource());
  return type.getAlignment();
}

/// In full: the parser of the attribute needs the whole symbol.
static ParseResult parseLayoutOf(OpAsmParser &parser, LayoutAttr &layout) {
  return parser.parseAttribute(layout);
}
static void printLayoutOf(OpAsmPrinter &printer, Operation *, LayoutAttr layout) {
  printer.printAttribute(layout);
}

#define GET_OP_CLASSES
#include "dialects/Tile/TileOps.cpp.inc"
