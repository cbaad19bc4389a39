//===- GlobalAddress.h - Addresses of the registers of a tile in a view --------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A thread's address plus constants; with a stride that is known at run time, or rows that an index tile
// picks, one address per row.
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_LOWER_GLOBALADDRESS_H
#define K3_PASSES_LOWER_GLOBALADDRESS_H

#include "passes/Lower/Emitter.h"

namespace k3::lower {

class GlobalAddress {
public:
  /// \param coords of the tile's first element, one per dimension of the view. \param limits one per
  /// dimension of the tile, or none. Fails with an error at `op`.
  static mlir::FailureOr<GlobalAddress> make(Emitter &e, mlir::Operation *op, mlir::Value view,
                                             mlir::ValueRange coords, mlir::ValueRange limits,
                                             const layout::RegLayout &layout);
  /// Row r of the tile is row `rows` of the view; `rows` has the registers of `rowLayout`.
  static mlir::FailureOr<GlobalAddress> gather(Emitter &e, mlir::Operation *op, mlir::Value view,
                                               mlir::ValueRange rows, const layout::RegLayout &rowLayout,
                                               mlir::Value column, const layout::RegLayout &layout);

  mlir::Value pointer(int64_t reg);
  /// Whether `count` registers from `reg` on are inside the limits; null: always.
  mlir::Value inside(int64_t reg, int64_t count);
  /// How far the limit of the tile's dimension `d` is from the thread's coordinate of register `reg`;
  /// `limits` only.
  mlir::Value left(int64_t d, int64_t reg);
  bool limited() const { return !remaining.empty(); }

  int64_t elementBytes = 0;
  int64_t vector = 1; ///< Elements that one access moves.
  bool whole = true;  ///< No limit cuts through a vector.

private:
  GlobalAddress(Emitter &e, Coordinates coords) : e(e), coords(std::move(coords)) {}
  /// Adds what the thread contributes along dimensions from `first` on.
  mlir::LogicalResult addThread(mlir::Operation *op, mlir::Value start, size_t first);
  void chooseVector(const layout::RegLayout &layout, mlir::Value place, mlir::Value limit);

  Emitter &e;
  Coordinates coords;
  llvm::SmallVector<int64_t>
      strides;             ///< In elements, per dimension of the tile; kDynamic where `stride` is it.
  mlir::Value base;        ///< The thread's address.
  mlir::Value stride, row; ///< Bytes between rows, i64; the thread's row, i64.
  std::map<int64_t, mlir::Value> rows;      ///< Picked rows, by the register's row.
  llvm::SmallVector<mlir::Value> remaining; ///< Limit - coordinate of the thread, per dimension.
  std::map<int64_t, mlir::Value> pointers;  ///< By the register's row.
  std::map<std::pair<int64_t, int64_t>, mlir::Value> conditions; ///< By dimension and register coordinate.
};

} // namespace k3::lower

#endif // K3_PASSES_LOWER_GLOBALADDRESS_H
