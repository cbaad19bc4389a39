//===- K3Folders.cpp - Folders and canonicalisations of the k3 dialect ----===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Ops.h"

using namespace mlir;
using namespace k3;

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult PadOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult SliceOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult RankSliceOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult CastOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult AllReduceOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult AllGatherOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult ReduceScatterOp::fold(FoldAdaptor adaptor) { return {}; }
LogicalResult AttnResOp::fold(FoldAdaptor adaptor, SmallVectorImpl<OpFoldResult> &results) { return failure(); }
