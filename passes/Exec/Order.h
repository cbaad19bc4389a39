//===- Order.h - What happens before what in a program ------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry starts after the entry before it on its stream and after its waits; all that these started after
// comes first too. Index = position among the entries of one block.
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_EXEC_ORDER_H
#define K3_PASSES_EXEC_ORDER_H

#include "dialects/Exec/ExecOps.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace k3::exec {

/// The entries of one block and their partial order.
class EntryOrder {
public:
  explicit EntryOrder(mlir::Block &block);

  unsigned size() const { return entries.size(); }
  EntryOpInterface entry(unsigned index) const { return entries[index]; }

  /// Index of the entry that is `op` or holds it; nothing if there is none in the block.
  std::optional<unsigned> indexOf(mlir::Operation *op) const;

  /// All entries that have surely ended when `index` starts.
  const llvm::BitVector &before(unsigned index) const { return reach[index]; }

  /// Number of entries that stand before `op` in the block.
  unsigned position(mlir::Operation *op) const;

private:
  std::vector<EntryOpInterface> entries;
  llvm::DenseMap<mlir::Operation *, unsigned> indices;
  std::vector<llvm::BitVector> reach;
  mlir::Block &block;
};

} // namespace k3::exec

#endif // K3_PASSES_EXEC_ORDER_H
