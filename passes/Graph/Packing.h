//===- Packing.h - Makes packed weights over checkpoint weights -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the decomposition asks for; the value of each is a region of packing ops, computed once at load.
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_GRAPH_PACKING_H
#define K3_PASSES_GRAPH_PACKING_H

#include "passes/Graph/Passes.h"

namespace k3 {

/// Creates `k3.packed` symbols next to the weights they read. The same request twice gives the same symbol.
class Packer {
public:
  explicit Packer(mlir::ModuleOp module);

  /// The weight as it is, elements converted to `element` (MX weights stay as they are), in the shape given; an empty
  /// shape keeps the weight's own. A symbol that is already packed is returned unchanged.
  mlir::FlatSymbolRefAttr pack(mlir::FlatSymbolRefAttr weight, mlir::Type element, llvm::ArrayRef<int64_t> shape = {});

  /// Rows of several matrices one after another under `name`, zero rows up to a multiple of `rowMultiple`, each row
  /// reshaped to `rowShape` unless that is empty. Families are concatenated member by member.
  mlir::FlatSymbolRefAttr concatRows(llvm::StringRef name, llvm::ArrayRef<mlir::FlatSymbolRefAttr> weights,
                                     mlir::Type element, int64_t rowMultiple = 1, llvm::ArrayRef<int64_t> rowShape = {});

  /// Static shape of the weight or packed weight (dimension 0 cut to `used`; MX: logical shape).
  llvm::SmallVector<int64_t> shapeOf(mlir::FlatSymbolRefAttr symbol) const;

  /// "layers.3." of "layers.3.q": where the packed weights of a layer live.
  static std::string prefixOf(mlir::FlatSymbolRefAttr weight);

private:
  PackedOp create(llvm::StringRef name, std::optional<uint64_t> members, mlir::Type type, mlir::Location loc);
  mlir::Value get(mlir::OpBuilder &builder, mlir::FlatSymbolRefAttr weight, mlir::Location loc);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
};

/// Replaces a verified layer op by core ops; one function per op.
void decomposeKda(KdaOp op, Packer &packer);
void decomposeGatedMla(GatedMlaOp op, Packer &packer);
void decomposeLatentMoe(LatentMoeOp op, Packer &packer);
void decomposeDenseFfn(DenseFfnOp op, Packer &packer);
void decomposeLmHead(LmHeadOp op, Packer &packer);

} // namespace k3

#endif // K3_PASSES_GRAPH_PACKING_H
