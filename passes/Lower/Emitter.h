//===- Emitter.h - The program of one kernel, op by op, as LLVM and NVVM -------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A walk over the structured body of a kernel that writes the function behind it: regions become blocks,
// values become the registers they live in. What a lane, a warp or a team adds to an address is computed
// once, where the role begins.
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_LOWER_EMITTER_H
#define K3_PASSES_LOWER_EMITTER_H

#include "dialects/Tile/TileOps.h"
#include "lib/Layout/Access.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>

namespace k3::lower {

using Registers = llvm::SmallVector<mlir::Value>;

/// Who executes the code that is being written.
struct Team {
  int64_t warps; ///< Of one instance.
  int64_t instances;
  mlir::Value warp, instance; ///< Of the executing warp: its number in the team, the team's number.
  mlir::Block *setup;         ///< Where what every thread computes once belongs; ends in a branch.
};

/// A number that depends on lane and warp: by XOR or by addition of `lane[i]` for every bit i of the lane,
/// and `warp[w]`.
struct ThreadTerm {
  llvm::SmallVector<int64_t, 5> lane;
  llvm::SmallVector<int64_t> warp;
  bool bits; ///< By XOR.
};

/// A layout's coordinates as sums: along every dimension what lane and warp, and what the register
/// contributes.
struct Coordinates {
  llvm::SmallVector<ThreadTerm> thread;
  llvm::SmallVector<llvm::SmallVector<int64_t>> reg; ///< [dimension][register]
};

/// Fails with an error at `op` where they are not sums.
mlir::FailureOr<Coordinates> coordinates(mlir::Operation *op, const layout::RegLayout &layout);

class Emitter {
public:
  Emitter(mlir::ModuleOp module, tile::KernelOp kernel);

  /// Writes the function in front of the kernel. Reports what is missing or cannot be lowered.
  mlir::LogicalResult run();

private:
  friend class SharedAddress;
  friend class GlobalAddress;
  using Result = mlir::LogicalResult;

  //===--- Structure.cpp: the frame, roles, control flow
  void createFunction();
  Result initialise();
  Result emit(mlir::Block &block);
  Result emit(mlir::Operation *op);
  Result lower(tile::RolesOp op);
  Result role(tile::RoleOp op, int64_t end);
  Result lower(tile::ElectOp op);
  Result lower(mlir::scf::ForOp op);
  Result lower(mlir::scf::IfOp op);
  Result lower(mlir::scf::WhileOp op);
  mlir::Block *addBlock(mlir::TypeRange types = {});
  void branch(mlir::Block *to, mlir::ValueRange values = {});
  void branch(mlir::Value condition, mlir::Block *then, mlir::Block *otherwise,
              mlir::ValueRange otherwiseValues = {});
  void start(mlir::Block *block) { b.setInsertionPointToEnd(block); }
  /// Code that only threads with the condition execute.
  void when(mlir::Value condition, llvm::function_ref<void()> body);

  //===--- Emitter.cpp: values
  Registers get(mlir::Value value);
  Registers get(mlir::ValueRange values);
  mlir::Value one(mlir::Value value);
  void set(mlir::Value value, mlir::ValueRange registers);
  /// Several values from the registers of all of them.
  void set(mlir::ValueRange values, mlir::ValueRange registers);
  llvm::SmallVector<mlir::Type> types(mlir::Type type);
  llvm::SmallVector<mlir::Type> types(mlir::TypeRange list);
  bool elected(mlir::Operation *op) { return op->getParentOfType<tile::ElectOp>() != nullptr; }

  //===--- Registers.cpp: how elements share registers
  mlir::Type registerType(mlir::Type element);
  static int64_t perRegister(mlir::Type element);
  int64_t numRegisters(mlir::RankedTensorType tile);
  /// Elements as scalars of their type, and back.
  Registers unpack(mlir::ValueRange registers, mlir::Type element, int64_t count);
  Registers pack(mlir::ValueRange elements, mlir::Type element);
  /// Element i of the result is element from[i] of the registers.
  Registers permute(mlir::ValueRange registers, mlir::Type element, llvm::ArrayRef<int32_t> from);
  mlir::Value bitcast(mlir::Value value, mlir::Type type);
  mlir::Value toBits(mlir::Value value);

  //===--- Scalar.cpp: instructions
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value i32(int64_t value) { return constant(b.getI32Type(), value); }
  mlir::Value i64(int64_t value) { return constant(b.getI64Type(), value); }
  mlir::Value f32(float value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t y);
  mlir::Value mul(mlir::Value x, int64_t y);
  mlir::Value shl(mlir::Value x, int64_t y);
  mlir::Value shr(mlir::Value x, int64_t y);
  mlir::Value land(mlir::Value x, int64_t y);
  mlir::Value lxor(mlir::Value x, int64_t y);
  mlir::Value lxor(mlir::Value x, mlir::Value y);
  mlir::Value compare(mlir::LLVM::ICmpPredicate predicate, mlir::Value x, mlir::Value y);
  mlir::Value compare(mlir::LLVM::ICmpPredicate predicate, mlir::Value x, int64_t y);
  mlir::Value both(mlir::Value x, mlir::Value y); ///< Either may be null: true.
  mlir::Value toI64(mlir::Value x);
  mlir::Value assembly(llvm::StringRef text, llvm::StringRef constraints, mlir::ValueRange operands,
                       mlir::Type result, bool sideEffects = true);
  Registers fields(mlir::Value structure);
  mlir::Value structure(mlir::ValueRange fields);
  mlir::Value sharedPointer(mlir::Value address, int64_t offset = 0);
  mlir::Value clusterPointer(mlir::Value address, int64_t offset = 0);
  mlir::Value offsetPointer(mlir::Value pointer, int64_t bytes);
  mlir::Value bytesBehind(mlir::Value pointer, mlir::Value bytes);
  void warpSync();
  mlir::Value shuffle(mlir::Value value, mlir::NVVM::ShflKind kind, mlir::Value lane);

  //===--- Address.cpp: what lane and warp contribute
  /// Computed once per role. Null, with an error, where the warps' numbers follow no rule.
  mlir::Value threadTerm(mlir::Operation *op, const ThreadTerm &term);
  /// A number of the lane by table.
  mlir::Value laneTable(llvm::ArrayRef<int32_t> table);
  /// Whether the lane is in a set.
  mlir::Value laneIn(uint32_t lanes);
  mlir::Value once(std::vector<int64_t> key, llvm::function_ref<mlir::Value()> make);
  /// Whether this thread is the one that stores the elements it holds copies of; null: always.
  mlir::Value owns(const layout::RegLayout &layout);
  /// The power of two that a scalar, or the address of a shared tile, is a multiple of.
  static int64_t multipleOf(mlir::Value value);

  //===--- Elementwise.cpp
  Result elementwise(mlir::Operation *op);
  mlir::FailureOr<mlir::Value> scalarOp(mlir::Operation *op, mlir::ValueRange operands, mlir::Type result);
  mlir::Value approximate(llvm::StringRef instruction, mlir::ValueRange operands);
  Result lower(mlir::arith::ConstantOp op);
  Result lower(tile::RcpOp op);

  //===--- Tensors.cpp, Convert.cpp, Reduce.cpp
  Result lower(tile::SplatOp op);
  Result lower(tile::IotaOp op);
  Result lower(tile::ExpandOp op);
  Result lower(tile::SliceOp op);
  Result lower(tile::ConcatOp op);
  Result lower(tile::TransOp op);
  Result lower(tile::BitcastOp op);
  Result lower(tile::ConvertOp op);
  Result byShuffles(tile::ConvertOp op);
  Result lower(tile::ReduceOp op);
  mlir::Value combine(tile::ReduceKind kind, mlir::Value x, mlir::Value y);
  Result exchange(tile::ReduceOp op, llvm::MutableArrayRef<Registers> partial);
  mlir::Value fold(tile::ReduceKind kind, Registers values);
  mlir::Value loadVector(mlir::Value pointer, mlir::Type unit, int64_t count);

  //===--- Global.cpp, Shared.cpp, Copies.cpp
  Result lower(tile::StridedOp op);
  Result lower(tile::LoadOp op);
  Result lower(tile::StoreOp op);
  Result lower(tile::GatherLoadOp op);
  Result lower(tile::CpAsyncOp op);
  /// A vector of `count` units (integers of 8 to 64 bits); zeros where the predicate, which may be null, does
  /// not hold.
  Registers loadGlobal(mlir::Value pointer, int64_t count, mlir::Type unit, mlir::Value predicate,
                       tile::CacheHint cache, bool raw);
  /// The registers of one tile, vector by vector.
  Registers loadTile(class GlobalAddress &address, mlir::RankedTensorType tile, tile::CacheHint cache,
                     bool raw);
  void storeGlobal(mlir::Value pointer, mlir::ValueRange units, mlir::Value predicate, tile::CacheHint cache);
  /// The address of a scalar of a view.
  mlir::Value element(mlir::Operation *op, mlir::Value view, mlir::ValueRange coords);

  Result lower(tile::AliasOp op);
  Result lower(tile::SlotOp op);
  Result lower(tile::PartOp op);
  Result lower(tile::PeerOp op);
  Result lower(tile::LoadSharedOp op);
  Result lower(tile::StoreSharedOp op);
  Result lower(tile::LdmatrixOp op);
  Result lower(tile::StmatrixOp op);
  static bool isPeer(mlir::Value shared);
  Result storeShared(mlir::Operation *op, mlir::ValueRange registers, mlir::RankedTensorType tile,
                     mlir::Value target);
  mlir::FailureOr<Registers> loadShared(mlir::Operation *op, mlir::RankedTensorType tile, mlir::Value source);

  Result lower(tile::PolicyOp op);
  Result lower(tile::MapLoadOp op);
  Result lower(tile::MapStoreOp op);
  Result lower(tile::BulkLoadOp op);
  Result lower(tile::BulkStoreOp op);
  Result lower(tile::BulkPrefetchOp op);
  Result lower(tile::BulkCommitOp op);
  Result lower(tile::BulkWaitOp op);
  Result lower(tile::CpAsyncCommitOp op);
  Result lower(tile::CpAsyncWaitOp op);

  //===--- Sync.cpp
  Result lower(tile::CursorOp op);
  Result lower(tile::AdvanceOp op);
  Result lower(tile::MbarExpectOp op);
  Result lower(tile::MbarArriveOp op);
  Result lower(tile::MbarWaitOp op);
  Result lower(tile::WarpSyncOp op);
  Result lower(tile::TeamSyncOp op);
  Result lower(tile::NamedSyncOp op);
  Result lower(tile::ClusterArriveOp op);
  Result lower(tile::ClusterWaitOp op);
  Result lower(tile::FenceProxyOp op);
  Result lower(tile::SignalOp op);
  Result lower(tile::AwaitOp op);
  Result lower(tile::AtomicAddOp op);
  Result lower(tile::AssertFlagOp op);
  Result lower(tile::PdlWaitOp op);
  Result lower(tile::PdlLaunchOp op);
  Result lower(tile::CtaIdOp op);
  Result lower(tile::NumCtasOp op);
  Result lower(tile::ClusterIdOp op);
  Result lower(tile::NumClustersOp op);
  Result lower(tile::CtaRankOp op);
  mlir::Value barrierSlot(mlir::Value barrier, mlir::Value index);
  void clusterBarrier(bool aligned);
  /// The barrier of the executing team; none where a team of one warp needs none. Fails where `id` is
  /// missing.
  Result teamSync(mlir::Operation *op);
  mlir::FailureOr<mlir::Value> barrierId(mlir::Operation *op, bool perInstance);

  //===--- Matrix.cpp
  Result lower(tile::WgmmaOp op);
  Result lower(tile::WgmmaFenceOp op);
  Result lower(tile::WgmmaCommitOp op);
  Result lower(tile::WgmmaWaitOp op);
  Result lower(tile::MmaOp op);

  mlir::ModuleOp module;
  tile::KernelOp kernel;
  mlir::ImplicitLocOpBuilder b;
  mlir::LLVM::LLVMFuncOp function;
  mlir::Value lane, warp, sharedBase; ///< `warp`: of the CTA.
  Team team;
  llvm::DenseMap<mlir::Value, Registers> values;
  std::map<std::pair<const void *, int64_t>, mlir::Value> constants;
  std::map<std::pair<mlir::Block *, std::vector<int64_t>>, mlir::Value> terms;
};

/// Addresses of the registers of a tile in shared memory: a thread's address, an XOR where a swizzle asks for
/// one, a constant.
class SharedAddress {
public:
  /// Fails with an error at `op` where the layouts do not compose.
  static mlir::FailureOr<SharedAddress> make(Emitter &e, mlir::Operation *op, mlir::Value shared,
                                             const layout::AddressMap &map);
  mlir::Value pointer(int64_t reg);

private:
  SharedAddress(Emitter &e, const layout::AddressMap &map) : e(e), map(map) {}
  Emitter &e;
  const layout::AddressMap &map;
  mlir::Value base, thread; ///< Address of the tile plus what is added; what is XORed.
  int64_t threadMask = 0;
  bool swizzleInPlace = false; ///< XORs of constants may be done on the sum.
  bool peer = false;
  std::map<int64_t, mlir::Value> pointers; ///< By XORed constant.
};

} // namespace k3::lower

#endif // K3_PASSES_LOWER_EMITTER_H
