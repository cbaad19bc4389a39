//===- K3LayerOps.cpp - Verifiers of the layer ops ------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Ops.h"

using namespace mlir;
using namespace k3;

LogicalResult BatchOp::verify() { return success(); }
LogicalResult KdaOp::verify() { return success(); }
LogicalResult GatedMlaOp::verify() { return success(); }
LogicalResult AttnResOp::verify() { return success(); }
LogicalResult LatentMoeOp::verify() { return success(); }
LogicalResult DenseFfnOp::verify() { return success(); }
LogicalResult LmHeadOp::verify() { return success(); }
LogicalResult EmbeddingOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult KdaOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult GatedMlaOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult AttnResOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult LatentMoeOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult DenseFfnOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult LmHeadOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
