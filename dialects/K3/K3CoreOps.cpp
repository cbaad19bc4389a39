//===- K3CoreOps.cpp - Verifiers of the core ops --------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Ops.h"

using namespace mlir;
using namespace k3;

LogicalResult LinearOp::verify() { return success(); }
LogicalResult RmsNormOp::verify() { return success(); }
LogicalResult L2NormOp::verify() { return success(); }
LogicalResult SplitOp::verify() { return success(); }
LogicalResult ReshapeOp::verify() { return success(); }
LogicalResult GatherRowsOp::verify() { return success(); }
LogicalResult ShortConvOp::verify() { return success(); }
LogicalResult KdaGateOp::verify() { return success(); }
LogicalResult KdaCoreOp::verify() { return success(); }
LogicalResult GatedNormOp::verify() { return success(); }
LogicalResult MlaAppendOp::verify() { return success(); }
LogicalResult MlaCoreOp::verify() { return success(); }
LogicalResult SituGluOp::verify() { return success(); }
LogicalResult RouteOp::verify() { return success(); }
LogicalResult ExpertsOp::verify() { return success(); }
LogicalResult AllReduceOp::verify() { return success(); }
LogicalResult AllGatherOp::verify() { return success(); }
LogicalResult ReduceScatterOp::verify() { return success(); }
LogicalResult LinearOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult RmsNormOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult ShortConvOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult KdaGateOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult KdaCoreOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult GatedNormOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult MlaAppendOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult MlaCoreOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult RouteOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult ExpertsOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult ReduceScatterOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult CopyStateOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
LogicalResult StorePackedOp::verifySymbolUses(SymbolTableCollection &tables) { return success(); }
