//===- Values.h - What a kernel's builder code computes with ----*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles of SSA values with the operators that make builder code read like the algorithm. A Scalar is the same in every lane
// of its team, a Tile differs between lanes as its layout says; everything else is memory or a place in a ring.
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_KERNELS_VALUES_H
#define K3_PASSES_KERNELS_VALUES_H

#include "dialects/Tile/TileOps.h"

namespace k3::kernels {

class KernelBuilder;

/// A value and the builder that operators on it append to.
struct Val {
  KernelBuilder *k = nullptr;
  mlir::Value v;
  explicit operator bool() const { return bool(v); }
};

/// i32, f32 or i1.
struct Scalar : Val {};

/// A register tile.
struct Tile : Val {
  mlir::RankedTensorType type() const { return llvm::cast<mlir::RankedTensorType>(v.getType()); }
  mlir::Type element() const { return type().getElementType(); }
  const layout::RegLayout &layout() const { return tile::layoutOf(v.getType()); }
  int64_t extent(int64_t dim) const { return type().getDimSize(dim); }
  /// bf16 to f32 exactly, f32 to bf16 to nearest even.
  Tile to(mlir::Type element) const;
  /// Elements [offset, offset + extent) along `dim`; whole registers.
  Tile slice(int64_t dim, int64_t offset, int64_t extent) const;
  /// [j, i] of [i, j]: other names for the same registers.
  Tile trans() const;
};

/// A tile that products in flight accumulate in.
struct Pending : Val {};

/// An array in global memory.
struct View : Val {
  tile::ViewType type() const { return llvm::cast<tile::ViewType>(v.getType()); }
  unsigned argument = 0;
};

/// The tensor map of a view.
struct TensorMap : Val {
  tile::MapType type() const { return llvm::cast<tile::MapType>(v.getType()); }
};

struct Cursor : Val {
  Cursor next(int64_t by = 1) const;
};

/// A tile in shared memory, or stages of them.
struct Shared : Val {
  tile::SharedType type() const { return llvm::cast<tile::SharedType>(v.getType()); }
  /// One stage, by cursor or number.
  Shared operator[](Cursor cursor) const;
  Shared operator[](Scalar number) const;
  Shared operator[](int64_t number) const;
  /// Part `index` of the parts of `size` along `dim`.
  Shared part(int64_t dim, int64_t size, Scalar index) const;
  Shared part(int64_t dim, int64_t size, int64_t index) const;
  /// The same bytes, from `offset` on, as another tile.
  Shared as(const layout::SharedLayout &layout, mlir::Type element, int64_t offset = 0, int64_t stages = 1) const;
  Shared peer(Scalar rank) const;
};

/// An array of mbarriers.
struct Barrier : Val {
  void expect(Cursor at, int64_t bytes) const;
  void arrive(Cursor at) const;
  void wait(Cursor at) const;
  /// For the phase before the cursor's use; the first pass over the ring falls through.
  void waitFree(Cursor at) const;
};

struct Policy : Val {};

Scalar operator+(Scalar a, Scalar b);
Scalar operator-(Scalar a, Scalar b);
Scalar operator*(Scalar a, Scalar b);
Scalar operator+(Scalar a, double b);
Scalar operator-(Scalar a, double b);
Scalar operator*(Scalar a, double b);
/// i32, both not negative.
Scalar operator/(Scalar a, Scalar b);
Scalar operator%(Scalar a, Scalar b);
Scalar operator/(Scalar a, int64_t b);
Scalar operator%(Scalar a, int64_t b);
/// Comparisons of i32, signed.
Scalar operator<(Scalar a, Scalar b);
Scalar operator<(Scalar a, int64_t b);
Scalar operator==(Scalar a, int64_t b);
Scalar operator&(Scalar a, Scalar b);
Scalar min(Scalar a, Scalar b);
Scalar min(Scalar a, int64_t b);
/// f32; the larger, a NaN wins.
Scalar max(Scalar a, Scalar b);
Scalar select(Scalar condition, Scalar then, Scalar otherwise);
/// ceil(a / b).
Scalar ceilDiv(Scalar a, int64_t b);

Tile operator+(Tile a, Tile b);
Tile operator-(Tile a, Tile b);
Tile operator*(Tile a, Tile b);
Tile operator+(Tile a, Scalar b);
Tile operator*(Tile a, Scalar b);
Tile operator+(Tile a, double b);
Tile operator*(Tile a, double b);
Tile min(Tile a, double b);
Tile max(Tile a, double b);
/// a b + c with one rounding.
Tile fma(Tile a, Tile b, Tile c);
Tile fma(Tile a, Scalar b, Tile c);

// f32, the approximate instructions (about 1 ulp).
Tile exp2(Tile x);
Tile rcp(Tile x);
Scalar exp2(Scalar x);
Scalar rsqrt(Scalar x);
Scalar rcp(Scalar x);

} // namespace k3::kernels

#endif // K3_PASSES_KERNELS_VALUES_H
