//===- ProxyFences.cpp - Where generic writes need a proxy fence -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Lanes and the copy engine (and wgmma) see shared memory through different paths: what lanes wrote reaches
// an async access only behind a fence that each writer executes before it publishes the write, or that the
// accessing team executes after it has acquired. A forward analysis over each role's program finds the writes
// that leave without one.
//
//===----------------------------------------------------------------------===//

#include "passes/Tile/Fences.h"
#include "passes/Tile/Utils.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

namespace {

struct AsyncAccess {
  Operation *op;
  SharedBytes bytes;
  bool write;
};

/// What may have happened on some path to here.
struct State {
  llvm::SmallSetVector<Operation *, 8> dirty;   ///< Generic writes that no fence of the team follows.
  llvm::SmallSetVector<Operation *, 4> copying; ///< cp.async not waited for.
  llvm::SmallSetVector<Operation *, 4> awaits;  ///< Acquires across CTAs that no global fence follows.
  bool acquired = false;                        ///< An acquire that no shared fence of this team follows.

  bool join(const State &other) {
    size_t before = dirty.size() + copying.size() + awaits.size() + acquired;
    dirty.insert(other.dirty.begin(), other.dirty.end());
    copying.insert(other.copying.begin(), other.copying.end());
    awaits.insert(other.awaits.begin(), other.awaits.end());
    acquired |= other.acquired;
    return before != dirty.size() + copying.size() + awaits.size() + acquired;
  }
};

class ProxyFences {
public:
  explicit ProxyFences(KernelOp kernel) : kernel(kernel) {
    kernel.walk([&](Operation *op) {
      for (const MemoryAccess &access : accessesOf(op)) {
        if (isa<SharedType>(access.memory.getType())) {
          if (access.proxy == Proxy::Async)
            asyncAccesses.push_back({op, sharedBytes(access.memory), access.write});
        } else if (isa<StoreOp>(op)) {
          if (std::optional<unsigned> argument = argumentOf(kernel, access.memory))
            storedArguments.insert(*argument);
        }
      }
    });
  }

  void run() {
    // First who fences on the accessing side, then what that leaves.
    for (bool look : {true, false}) {
      looking = look;
      for (RoleOp role : rolesOf(kernel)) {
        State state;
        walk(role.getBody().front(), state, /*elected=*/false);
      }
    }
  }

  /// The op before which the team has to fence, and one write and access between which it is missing.
  struct Missing {
    Operation *write;
    Operation *access;
  };
  llvm::MapVector<Operation *, Missing> beforeOp;
  /// Acquires behind which the team has to fence global memory, and an access that needs it.
  llvm::MapVector<Operation *, Missing> behindAwait;

private:
  static bool acquires(Operation *op) {
    if (auto named = dyn_cast<NamedSyncOp>(op))
      return !named.getArrive();
    return isa<MbarWaitOp, TeamSyncOp, WarpSyncOp, ClusterWaitOp, AwaitOp, AtomicAddOp>(op) ||
           syncsInside(op);
  }

  static bool publishes(Operation *op) {
    if (auto arrive = dyn_cast<ClusterArriveOp>(op))
      return !arrive.getRelaxed();
    return isa<MbarArriveOp, MbarExpectOp, TeamSyncOp, WarpSyncOp, NamedSyncOp, SignalOp, AtomicAddOp>(op) ||
           syncsInside(op);
  }

  /// Exchanges through shared memory synchronise the team (or cluster) in the middle.
  static bool syncsInside(Operation *op) {
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return reduce.getAcross() != Across::Lane;
    auto convert = dyn_cast<ConvertOp>(op);
    return convert && convert.getVia() == ConvertVia::Shared;
  }

  /// An async access to the bytes of a write whose team does not fence for itself; a read, if there is one.
  Operation *accessAfter(Operation *write) {
    Operation *overwrite = nullptr;
    for (const MemoryAccess &access : accessesOf(write)) {
      if (!access.write || access.proxy != Proxy::Generic || !isa<SharedType>(access.memory.getType()))
        continue;
      SharedBytes bytes = sharedBytes(access.memory);
      for (const AsyncAccess &async : asyncAccesses)
        if (async.bytes.overlaps(bytes) && unfenced.contains(async.op)) {
          if (!async.write)
            return async.op;
          overwrite = async.op;
        }
    }
    return overwrite;
  }

  /// The team has to have fenced when `op` begins.
  void requireFence(Operation *op, State &state) {
    if (looking)
      return;
    for (Operation *write : state.dirty)
      if (Operation *access = accessAfter(write)) {
        beforeOp.try_emplace(op, Missing{write, access});
        break;
      }
    state.dirty.clear();
  }

  void touch(Operation *op, State &state, bool elected) {
    for (const MemoryAccess &access : accessesOf(op)) {
      bool shared = isa<SharedType>(access.memory.getType());
      if (access.proxy == Proxy::Async && shared) {
        if (looking && (state.acquired || !state.dirty.empty()))
          unfenced.insert(op);
        if (!elected)
          requireFence(op, state);
      } else if (access.proxy == Proxy::Async && !access.write && !looking) {
        std::optional<unsigned> argument = argumentOf(kernel, access.memory);
        if (argument && storedArguments.contains(*argument))
          for (Operation *await : state.awaits)
            behindAwait.try_emplace(await, Missing{await, op});
      } else if (access.write && shared) {
        if (access.completion == Completion::CpAsyncGroup)
          state.copying.insert(op);
        else
          state.dirty.insert(op);
      }
    }
  }

  /// Whether one lane alone publishes or copies: what the team wrote has to be fenced before.
  static bool handsOver(ElectOp elect) {
    return elect
        .walk([](Operation *op) {
          bool async =
              llvm::any_of(accessesOf(op), [](const MemoryAccess &a) { return a.proxy == Proxy::Async; });
          return async || publishes(op) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  void walk(Block &block, State &state, bool elected) {
    for (Operation &op : block) {
      if (auto fence = dyn_cast<FenceProxyOp>(op)) {
        if (fence.getSpace() == Space::Global) {
          state.awaits.clear();
          continue;
        }
        state.acquired = false;
        if (!elected)
          state.dirty.clear();
        continue;
      }
      if (auto elect = dyn_cast<ElectOp>(op)) {
        if (handsOver(elect))
          requireFence(elect, state);
        walk(elect.getBody().front(), state, /*elected=*/true);
        continue;
      }
      if (op.getNumRegions()) {
        walkRegions(op, state, elected);
        continue;
      }
      if (publishes(&op) && !elected)
        requireFence(&op, state);
      touch(&op, state, elected);
      if (isa<CpAsyncWaitOp>(op)) {
        state.dirty.insert(state.copying.begin(), state.copying.end());
        state.copying.clear();
      }
      if (acquires(&op))
        state.acquired = true;
      if (isa<AwaitOp, AtomicAddOp>(op))
        state.awaits.insert(&op);
    }
  }

  void walkRegions(Operation &op, State &state, bool elected) {
    if (isa<scf::IfOp>(op)) {
      State joined;
      bool first = true;
      for (Region &region : op.getRegions()) {
        State branch = state;
        if (!region.empty())
          walk(region.front(), branch, elected);
        if (first)
          joined = branch;
        else
          joined.join(branch);
        first = false;
      }
      state = std::move(joined);
      return;
    }
    // A loop: none, one or more passes.
    while (true) {
      State next = state;
      for (Region &region : op.getRegions())
        for (Block &block : region)
          walk(block, next, elected);
      if (!state.join(next))
        break;
    }
  }

  KernelOp kernel;
  SmallVector<AsyncAccess> asyncAccesses;
  llvm::SmallSetVector<unsigned, 4> storedArguments;
  llvm::SmallPtrSet<Operation *, 16>
      unfenced; ///< Async accesses whose team may not have fenced since it acquired.
  bool looking = true;
};

} // namespace

LogicalResult tile::fenceProxies(KernelOp kernel, bool verifyOnly) {
  ProxyFences fences(kernel);
  fences.run();
  OpBuilder builder(kernel);
  auto handle = [&](Operation *at, const ProxyFences::Missing &missing, Space space) {
    std::string text = "tile.fence_proxy<" + stringifySpace(space).str() + "> missing between " +
                       opText(missing.write) + " and " + opText(missing.access);
    if (verifyOnly) {
      kernelError(missing.access) << text;
      return;
    }
    kernelRemark(missing.access) << text << " (inserted)";
    if (space == Space::Shared)
      builder.setInsertionPoint(at);
    else
      builder.setInsertionPointAfter(at);
    FenceProxyOp::create(builder, at->getLoc(), space);
  };
  for (auto &[at, missing] : fences.beforeOp)
    handle(at, missing, Space::Shared);
  for (auto &[at, missing] : fences.behindAwait)
    handle(at, missing, Space::Global);
  return success(!verifyOnly || (fences.beforeOp.empty() && fences.behindAwait.empty()));
}
