//===- K3Folders.cpp - Folders and canonicalisations of the k3 dialect ----===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only rewrites that keep every bit of the values.
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Utils.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace k3;

/// The operand where the op changes nothing, which its types tell.
static OpFoldResult foldSameType(Value input, Value result) {
  return input.getType() == result.getType() ? OpFoldResult(input) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Packing and shapes
//===----------------------------------------------------------------------===//

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? foldSameType(getInputs().front(), getResult()) : OpFoldResult();
}

OpFoldResult PadOp::fold(FoldAdaptor) { return foldSameType(getInput(), getResult()); }
OpFoldResult SliceOp::fold(FoldAdaptor) { return foldSameType(getInput(), getResult()); }
OpFoldResult RankSliceOp::fold(FoldAdaptor) { return foldSameType(getInput(), getResult()); }
OpFoldResult CastOp::fold(FoldAdaptor) { return foldSameType(getInput(), getResult()); }

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  bool isIdentity = llvm::all_of(llvm::enumerate(getPermutation()), [](auto entry) {
    return static_cast<int64_t>(entry.index()) == entry.value();
  });
  return isIdentity ? OpFoldResult(getInput()) : OpFoldResult();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (OpFoldResult same = foldSameType(getInput(), getResult()))
    return same;
  auto inner = getInput().getDefiningOp<ReshapeOp>();
  if (!inner)
    return {};
  getInputMutable().assign(inner.getInput());
  return foldSameType(getInput(), getResult()) ? OpFoldResult(getInput()) : OpFoldResult(getResult());
}

LogicalResult SplitOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &results) {
  if (getParts().size() != 1 || getParts().front().getType() != getInput().getType())
    return failure();
  results.push_back(getInput());
  return success();
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// A collective of one rank is the identity.
template <typename Collective>
static OpFoldResult foldSingleRank(Collective op) {
  if (getAxesSize(getMesh(op), op.getAxes()) != 1)
    return {};
  return foldSameType(op.getInput(), op.getResult());
}

OpFoldResult AllReduceOp::fold(FoldAdaptor) { return foldSingleRank(*this); }
OpFoldResult AllGatherOp::fold(FoldAdaptor) { return foldSingleRank(*this); }
OpFoldResult ReduceScatterOp::fold(FoldAdaptor) { return foldSingleRank(*this); }

//===----------------------------------------------------------------------===//
// Attention residual
//===----------------------------------------------------------------------===//

/// One source: the weight of a softmax over it is 1 exactly.
LogicalResult AttnResOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &results) {
  if (!getBank().empty() || getDelta() || getNorm() || getMixed().getType() != getPartial().getType())
    return failure();
  results.push_back(getPartial());
  return success();
}

namespace {

/// attn_res [] p norm w  ->  rms_norm p, w
struct NormOfSingleSource : OpRewritePattern<AttnResOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttnResOp op, PatternRewriter &rewriter) const override {
    if (!op.getBank().empty() || op.getDelta() || !op.getNorm())
      return rewriter.notifyMatchFailure(op, "mixes several sources, adds a delta or has no norm");
    rewriter.replaceOpWithNewOp<RmsNormOp>(op, op.getMixed().getType(), op.getPartial(), op.getNormAttr(),
                                           op.getEpsAttr());
    return success();
  }
};

} // namespace

void AttnResOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<NormOfSingleSource>(context);
}
