//===- Builder.h - Typed builder of tile kernels ----------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin layer over the tile dialect, arith, math and scf in which a kernel reads like its algorithm:
//
//   k.roles([&] {
//     k.role("rows", {.warps = 7}, [&](Scalar) {
//       Tile w = k.load(weight, {zero}, lanes);
//       k.pdlWait();
//       k.persistent(rows, carry(), [&](Scalar row) {
//         Tile v = k.load(x, {row, zero}, lanes).to(k.f32);
//         Scalar scale = rsqrt(k.sum({v * v}, scratch)[0] * (1.0 / d) + eps);
//         k.store((v * scale * w).to(k.bf16), y, {row, zero});
//       });
//     });
//   });
//
// Loops carry the handles they are told to: inside, a handle is the value of the iteration; behind the loop, the last one.
// Constants are made once a kernel. Fences, shared memory and barrier numbers are the business of passes/Tile.
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_KERNELS_BUILDER_H
#define K3_PASSES_KERNELS_BUILDER_H

#include "lib/Layout/Named.h"
#include "passes/Kernels/Kernels.h"
#include "passes/Kernels/Values.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace k3::kernels {

using Body = llvm::function_ref<void()>;
using Each = llvm::function_ref<void(Scalar)>;
using Coords = llvm::ArrayRef<Scalar>;
using Carried = llvm::SmallVector<Val *, 4>;

/// What a loop or a branch hands on: `carry(cursor, sum)`.
template <typename... Values> Carried carry(Values &...values) { return {&values...}; }

struct Team {
  int64_t warps = 1, instances = 1;
  std::optional<int64_t> regs;
};

/// How a load or store of lanes treats memory.
struct Access {
  llvm::ArrayRef<Scalar> limit; ///< Extents of the array along the tile's dimensions; none: all is inside.
  tile::CacheHint cache = tile::CacheHint::Default;
  bool raw = false; ///< Bits stay as loaded until their first use: several loads in flight.
};

/// The layout that must exist: the family has checked the extents it depends on.
template <typename Layout> Layout known(Expected<Layout> layout) {
  if (!layout)
    llvm::report_fatal_error(llvm::Twine("a kernel asked for a layout that does not exist: ") + layout.status().text());
  return std::move(*layout);
}

class KernelBuilder {
public:
  /// A kernel without arguments at the end of the module.
  KernelBuilder(mlir::ModuleOp module, llvm::StringRef name, const arch::GpuTarget &target);

  KernelBuilder(const KernelBuilder &) = delete; // Handles point to it.

  /// The finished kernel, verified; on failure it is gone from the module and reported.
  mlir::FailureOr<BuiltKernel> finish(LaunchPlan plan);

  // Arguments, in order; extents of views in elements, ? = mlir::ShapedType::kDynamic.
  View view(unsigned operand, llvm::ArrayRef<int64_t> shape, mlir::Type element, tile::ArgRole role = tile::ArgRole::StepIn);
  TensorMap map(View of, llvm::ArrayRef<int64_t> box, int64_t swizzle = 128);
  Scalar tokens();

  void cluster(int32_t ctas);
  /// So many CTAs fit a multiprocessor: bounds the registers of a thread.
  void minCtas(int64_t ctas) { kernel->setAttr("tile.min_ctas", b.getI64IntegerAttr(ctas)); }

  // Prologue.
  Shared alloc(llvm::StringRef name, const layout::SharedLayout &layout, mlir::Type element, int64_t stages = 1);
  Barrier barrier(llvm::StringRef name, int64_t slots, int64_t arrivals);

  void roles(Body body);
  void role(llvm::StringRef name, Team team, Each body);
  void elect(Body body);

  // Control flow.
  void loop(Scalar from, Scalar to, Scalar step, Carried carried, Each body);
  void loop(int64_t from, int64_t to, Carried carried, Each body);
  /// The CTA's share of `count` units: its number, then one grid further.
  void persistent(Scalar count, Carried carried, Each body);
  void if_(Scalar condition, Carried carried, Body then, Body otherwise = nullptr);

  // Where a CTA is.
  Scalar ctaId(), numCtas(), clusterId(), numClusters(), ctaRank();

  Scalar i32(int64_t value);
  Scalar f32c(double value);
  Cursor cursor(int64_t slots, int64_t start = 0);
  Policy policy(tile::Eviction eviction);

  // Lanes and global memory.
  Tile load(View view, Coords at, const layout::RegLayout &layout, Access access = {});
  void store(Tile value, View view, Coords at, Access access = {});
  void cpAsync(View view, Coords at, Shared target, const layout::RegLayout &lanes, llvm::ArrayRef<Scalar> limit = {});
  void cpAsyncCommit();
  void cpAsyncWait(int64_t pending);

  // The copy engine; in `elect`.
  void copy(TensorMap map, Coords at, Shared target, Barrier barrier, Cursor cursor, Policy policy = {});
  void copy(View view, Coords at, Shared target, Barrier barrier, Cursor cursor, Policy policy = {});
  void copyOut(Shared source, TensorMap map, Coords at);
  void copyOut(Shared source, View view, Coords at);
  /// A row on its way into L2, also before `pdlWait`: a hint.
  void prefetch(View view, Coords at, int64_t bytes);
  void bulkCommit();
  void bulkWait(int64_t pending, bool read = true);

  // Shared memory and registers.
  Tile load(Shared source, const layout::RegLayout &layout);
  void store(Tile value, Shared target);
  Tile ldmatrix(Shared source, const layout::RegLayout &layout);
  void stmatrix(Tile value, Shared target);

  // Register tiles.
  Tile splat(Scalar value, const layout::RegLayout &layout);
  Tile zeros(const layout::RegLayout &layout) { return splat(f32c(0), layout); }
  Tile concat(llvm::ArrayRef<Tile> parts, int64_t dim);
  /// Sums of tiles of rank 1 over the whole team; `scratch` as `tile.reduce` says (`reduceScratch`).
  llvm::SmallVector<Scalar> sum(llvm::ArrayRef<Tile> values, Shared scratch);
  /// The same over the teams of a cluster, each of which holds a part.
  llvm::SmallVector<Scalar> sumCluster(llvm::ArrayRef<Tile> values, Shared scratch);
  /// Sum along a dimension that lies in the registers and lanes of a warp.
  Tile sumLanes(Tile value, int64_t dim);
  /// [warps, values] f32 for `sum`, `stages` of them to alternate between.
  Shared reduceScratch(llvm::StringRef name, int64_t warps, int64_t values, int64_t stages);

  // Products.
  Pending wgmma(Shared a, Shared b, Pending acc = {});
  void wgmmaCommit();
  void wgmmaWait(int64_t pending);
  /// The products that at most `pending` younger groups leave finished; all of one wait.
  llvm::SmallVector<Tile> wgmmaWait(int64_t pending, llvm::ArrayRef<Pending> values);
  Tile mma(Tile a, Tile b, Tile c);

  // Order.
  void teamSync();
  void warpSync();
  void namedSync(llvm::StringRef name, int64_t warps, bool arrive = false);
  void clusterSync();
  /// Nothing where the architecture has no dependent launch.
  void pdlWait();
  void pdlLaunch();
  /// Unset: the kernel does not start early, and neither is written.
  bool dependent = true;

  const arch::GpuTarget &gpu() const { return target; }
  bool has(arch::Feature feature) const { return target.info->has(feature); }

  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::Type f32, bf16;

private:
  Scalar constant(mlir::TypedAttr value);

  arch::GpuTarget target;
  tile::KernelOp kernel;
  std::vector<KernelArg> args;
  llvm::SmallVector<mlir::NamedAttrList> argAttrs;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
};

/// "kernel 'norm3': rms_norm on sm_80: <why>".
mlir::LogicalResult refuse(mlir::ModuleOp module, llvm::StringRef kernel, llvm::StringRef op, const arch::GpuTarget &target,
                           const llvm::Twine &why);

/// Who holds what of a row of `extent` elements: 16-byte vectors, blocked over at most `warps` warps. A row that the vectors do
/// not fill is held with a tail outside `extent`.
struct RowLanes {
  RowLanes(int64_t extent, int64_t warps);
  layout::RegLayout layout;
  int64_t warps;
  bool exact; ///< The tile is the row; else accesses need the limit `extent`.
};

/// A row of elements, for copies of whole rows.
layout::SharedLayout rowShared(int64_t extent, int64_t elementBytes);

/// Buffers that a producer fills and consumers empty: sugar over `full` and `empty` barriers. Every role walks it with a cursor
/// of its own.
struct Ring {
  /// \param releases arrivals that empty a slot: one per consumer warp, or per elected lane.
  Ring(KernelBuilder &k, llvm::StringRef name, int64_t stages, int64_t releases);
  /// A buffer of the ring; its bytes are expected in every use of a slot.
  Shared add(llvm::StringRef name, const layout::SharedLayout &layout, mlir::Type element);

  Cursor start(int64_t slot = 0) const { return k.cursor(stages, slot); }
  /// The producer waits until the slot is free and expects `bytes` in it.
  void acquire(Cursor at, int64_t bytes) const;
  void wait(Cursor at) const { full.wait(at); }
  void release(Cursor at) const { empty.arrive(at); }

  KernelBuilder &k;
  int64_t stages;
  Barrier full, empty;
};

} // namespace k3::kernels

#endif // K3_PASSES_KERNELS_BUILDER_H
