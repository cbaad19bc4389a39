//===- K3SymbolOps.cpp - Verifiers of the symbol ops ----------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Ops.h"

using namespace mlir;
using namespace k3;

LogicalResult WeightOp::verify() { return success(); }
LogicalResult StateOp::verify() { return success(); }
LogicalResult ConcatOp::verify() { return success(); }
LogicalResult PadOp::verify() { return success(); }
LogicalResult SliceOp::verify() { return success(); }
LogicalResult RankSliceOp::verify() { return success(); }
LogicalResult TransposeOp::verify() { return success(); }
LogicalResult InterleaveOp::verify() { return success(); }
LogicalResult CastOp::verify() { return success(); }
LogicalResult PackedOp::verifyRegions() { return success(); }
LogicalResult GetOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
