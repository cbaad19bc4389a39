//===- RolePath.h - One path through a role's program, loops a few times -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers are counted by walking a role the way it runs: loops a few times (as often as they run where that
// is less and known), so that what a prologue, a steady state and an epilogue do to the same phase meets.
// Cursors start at a known place and advance by constants, so along the path each is a number: how many uses
// of ring slots lie before it. Branches are visited both, one after the other, as conditional.
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_TILE_ROLEPATH_H
#define K3_PASSES_TILE_ROLEPATH_H

#include "dialects/Tile/TileOps.h"

#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace k3::tile {

class RolePath {
public:
  explicit RolePath(RoleOp role);
  virtual ~RolePath() = default;

  void walk();

  RoleOp role;

protected:
  /// Called for every op without regions, as often as the path comes by.
  virtual void visit(mlir::Operation *op) = 0;
  /// Called when `to` becomes another name of what `from` is now: arguments and results of loops.
  virtual void rename(mlir::Value /*from*/, mlir::Value /*to*/) {}

  /// Uses of slots before the cursor's, over the whole ring: slot = position mod slots. None where it depends
  /// on a branch.
  std::optional<int64_t> position(mlir::Value cursor) const;

  /// Below a branch, or in a loop whose passes are not known to happen.
  bool conditional() const { return conditions > 0; }
  /// In tile.elect.
  bool elected() const { return elects > 0; }
  /// Whether the instances of the role take different paths: a branch or bound depends on the number of the
  /// instance.
  bool instancesDiffer() const { return differ; }

private:
  void walkBlock(mlir::Block &block);
  void moveCursor(mlir::Operation &op);
  void walkFor(mlir::scf::ForOp loop);
  void walkIf(mlir::scf::IfOp branch);
  void assign(mlir::Value to, mlir::Value from);
  void findDifference();

  llvm::DenseMap<mlir::Value, int64_t> positions;
  unsigned conditions = 0, elects = 0;
  bool differ = false;
};

} // namespace k3::tile

#endif // K3_PASSES_TILE_ROLEPATH_H
