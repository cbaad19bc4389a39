//===- LowerPack.cpp - @pack of a GPU target --------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Kernels/Select/GpuKernels.h"

using namespace mlir;

namespace k3 {

/// Checkpoint weights are fetched straight to their place: a packed weight is one as published, or several of them one below the
/// other.
LogicalResult lowerGpuPack(func::FuncOp function, exec::ProgramOp program, ModuleOp module) {
  ProgramBuilder p(program, module);
  for (auto store : function.getOps<StorePackedOp>()) {
    p.loc = store.getLoc();
    auto packed = p.symbols.lookup<PackedOp>(store.getPacked());
    SmallVector<GetOp> parts;
    if (auto get = store.getValue().getDefiningOp<GetOp>())
      parts.push_back(get);
    else if (auto concat = store.getValue().getDefiningOp<ConcatOp>(); concat && concat.getDim() == 0)
      for (Value part : concat.getInputs())
        parts.push_back(part.getDefiningOp<GetOp>());
    auto type = dyn_cast<RankedTensorType>(packed.getType());
    if (parts.empty() || llvm::is_contained(parts, GetOp()) || !type || packed.getMembers())
      return store.emitOpError() << "packs @" << packed.getSymName()
                                 << " by more than copies of rows, which has no GPU kernel; a GPU target packs a k3.get or a k3.concat dim 0 of them";
    Value whole = p.packed(store.getPackedAttr());
    int64_t offset = 0;
    for (GetOp get : parts) {
      auto shape = cast<RankedTensorType>(get.getType()).getShape();
      AffineMap dims = p.map(llvm::map_to_vector(shape, [&](int64_t extent) { return p.constant(extent); }));
      Value target = parts.size() == 1 ? whole
                                       : Value(exec::ViewOp::create(p.b, p.loc, whole, p.map({p.constant(offset)}), dims,
                                                                    type.getElementType()));
      exec::FetchOp::create(p.b, p.loc, get.getWeight(), "", target);
      offset += llvm::product_of(shape);
    }
  }
  return success();
}

} // namespace k3
