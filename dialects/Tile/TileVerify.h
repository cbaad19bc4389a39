//===- TileVerify.h - What the verifiers of several tile ops share --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each check reports at the op and returns failure. Wordings end with what to do where that is not obvious.
//
//===----------------------------------------------------------------------===//

#ifndef K3_DIALECTS_TILE_TILEVERIFY_H
#define K3_DIALECTS_TILE_TILEVERIFY_H

#include "dialects/Tile/TileOps.h"

#include "mlir/IR/DialectInterface.h"

#include <array>
#include <map>
#include <mutex>

namespace k3::tile {

/// What lib/Layout proves by enumeration about layouts and types. They are unique in a context, so each proof
/// is made once in it, however often passes have their kernels verified.
class Proofs : public mlir::DialectInterface::Base<Proofs> {
public:
  explicit Proofs(mlir::Dialect *dialect) : Base(dialect) {}
  enum Kind : uintptr_t { Box, Dense, Addresses, Matrices, Descriptor, Part, Slice };
  using Key = std::array<uintptr_t, 5>; ///< Kind, and all that the outcome depends on.

  static Status once(mlir::MLIRContext *context, const Key &key, llvm::function_ref<Status()> prove);

private:
  mutable std::mutex mutex;
  mutable std::map<Key, Status> known;
};

/// For a `Proofs::Key`.
template <typename T>
uintptr_t keyOf(T unique) {
  return reinterpret_cast<uintptr_t>(unique.getAsOpaquePointer());
}

/// "[64, 256]".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// The refusal of lib/Layout as an error of the op; `what` names the operand.
mlir::LogicalResult refuse(mlir::Operation *op, const Status &status, llvm::StringRef what = "");

/// Copies are issued by one lane.
mlir::LogicalResult checkInElect(mlir::Operation *op);

/// A cursor has as many slots as the array of barriers.
mlir::LogicalResult checkPhase(mlir::Operation *op, MbarType barrier, mlir::Type cursor);

/// One stage, not a ring.
mlir::LogicalResult checkOneStage(mlir::Operation *op, SharedType shared);

/// One coordinate per dimension.
mlir::LogicalResult checkCoords(mlir::Operation *op, size_t coords, int64_t rank);

/// A tile and the shared tile that it is moved from or to.
mlir::LogicalResult checkSameTile(mlir::Operation *op, mlir::RankedTensorType tile, SharedType shared);

/// A tile of `shape` at a place of a view: its dimensions are the last ones of the view, inside what is known
/// of it or `limits`.
mlir::LogicalResult checkPlace(mlir::Operation *op, ViewType view, mlir::ValueRange coords,
                               llvm::ArrayRef<int64_t> shape, mlir::Type element, mlir::ValueRange limits,
                               bool limited);

/// Whatever moves 16 bytes starts at a multiple of them; checked where strides and coordinates are known.
mlir::LogicalResult checkAligned16(mlir::Operation *op, ViewType view, mlir::ValueRange coords);

} // namespace k3::tile

#endif // K3_DIALECTS_TILE_TILEVERIFY_H
