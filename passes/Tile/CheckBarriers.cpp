//===- CheckBarriers.cpp - k3-tile-check-barriers -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Tile/Passes.h"
#include "passes/Tile/RolePath.h"
#include "passes/Tile/Utils.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <deque>
#include <map>

using namespace mlir;

namespace k3::tile {

#define GEN_PASS_DEF_CHECKBARRIERSPASS
#include "passes/Tile/Passes.h.inc"

namespace {

/// What one role does to one mbarrier along its path. Phases are positions of cursors.
struct Traffic {
  std::map<int64_t, int64_t> arrivals, expected,
      copied; ///< Per phase, of all instances; bytes of one instance.
  Operation *arrive = nullptr, *expect = nullptr, *copy = nullptr;
  Operation *unclear = nullptr; ///< An op whose effect cannot be counted.
  const char *why = "";
};

/// Barriers and products of a role along its path.
class BarrierPath : public RolePath {
public:
  BarrierPath(RoleOp role, const llvm::MapVector<AllocOp, llvm::SmallSetVector<MbarAllocOp, 2>> &guards)
      : RolePath(role), guards(guards) {}

  llvm::MapVector<MbarAllocOp, Traffic> traffic;
  bool ok = true;

private:
  struct Read {
    WgmmaOp op;
    AllocOp buffer;
    int64_t position;
    int64_t group;
  };

  Traffic &of(Value barrier) { return traffic[cast<MbarAllocOp>(barrier.getDefiningOp())]; }

  /// Where the op counts; none where that is unclear.
  std::optional<int64_t> phase(Operation *op, Traffic &of, Value cursor) {
    const char *why = nullptr;
    if (!isa<CursorType>(cursor.getType()))
      why = "it names its slot by a number";
    else if (conditional())
      why = "it is under a condition";
    else if (instancesDiffer())
      why = "the instances of the role take different paths";
    else if (!position(cursor))
      why = "its cursor depends on a branch";
    if (!why)
      return position(cursor);
    markUnclear(op, of, why);
    return std::nullopt;
  }

  static void markUnclear(Operation *op, Traffic &of, const char *why) {
    if (!of.unclear) {
      of.unclear = op;
      of.why = why;
    }
  }

  void visit(Operation *op) override {
    if (auto arrive = dyn_cast<MbarArriveOp>(op)) {
      Traffic &at = of(arrive.getBarrier());
      checkRelease(arrive);
      if (arrive.getPeer())
        return markUnclear(op, at, "it arrives at another CTA");
      int64_t count = elected() || arrive.getArrival() == Arrival::PerTeam ? 1 : role.getWarps();
      at.arrive = op;
      if (std::optional<int64_t> p = phase(op, at, arrive.getCursor()))
        at.arrivals[*p] += count * role.getInstances();
    } else if (auto expect = dyn_cast<MbarExpectOp>(op)) {
      Traffic &at = of(expect.getBarrier());
      at.arrive = at.expect = op;
      if (std::optional<int64_t> p = phase(op, at, expect.getCursor())) {
        at.arrivals[*p] += role.getInstances();
        at.expected[*p] += expect.getBytes();
      }
    } else if (auto load = dyn_cast<MapLoadOp>(op)) {
      copies(op, load.getBarrier(), load.getCursor(), load.getMap().getType().getBytes(),
             load.getMulticast() != nullptr);
    } else if (auto load = dyn_cast<BulkLoadOp>(op)) {
      SharedType type = load.getTarget().getType();
      int64_t bytes = type.getElementBytes();
      for (int64_t extent : type.getShape())
        bytes *= extent;
      copies(op, load.getBarrier(), load.getCursor(), bytes, false);
    } else if (auto wgmma = dyn_cast<WgmmaOp>(op)) {
      uncertain |= conditional();
      groups[wgmma.getResult()] = commits;
      for (const MemoryAccess &access : accessesOf(op))
        noteRead(wgmma, access.memory);
    } else if (isa<WgmmaCommitOp>(op)) {
      uncertain |= conditional();
      ++commits;
    } else if (auto wait = dyn_cast<WgmmaWaitOp>(op)) {
      uncertain |= conditional();
      checkWindow(wait);
      retired = std::max(retired, commits - static_cast<int64_t>(wait.getPending()));
      llvm::erase_if(reads, [&](const Read &read) { return read.group < retired; });
    }
  }

  void rename(Value from, Value to) override {
    if (!isa<PendingType>(to.getType()))
      return;
    auto found = groups.find(from);
    if (found == groups.end())
      groups.erase(to);
    else
      groups[to] = int64_t(found->second);
  }

  void copies(Operation *op, Value barrier, Value cursor, int64_t bytes, bool multicast) {
    Traffic &at = of(barrier);
    at.copy = op;
    if (multicast)
      return markUnclear(op, at, "it copies to several CTAs");
    if (std::optional<int64_t> p = phase(op, at, cursor))
      at.copied[*p] += bytes;
  }

  //===--------------------------------------------------------------------===//
  // Products in flight
  //===--------------------------------------------------------------------===//

  void noteRead(WgmmaOp op, Value memory) {
    AllocOp buffer = sharedBytes(memory).alloc;
    while (auto part = memory.getDefiningOp<PartOp>())
      memory = part.getSource();
    auto slot = memory.getDefiningOp<SlotOp>();
    std::optional<int64_t> at = slot ? position(slot.getIndex()) : std::nullopt;
    if (buffer && at)
      reads.push_back({op, buffer, *at, commits});
  }

  /// A product may be taken only when its group has ended.
  void checkWindow(WgmmaWaitOp wait) {
    int64_t pending = wait.getPending();
    for (Value value : wait.getValues()) {
      auto group = groups.find(value);
      if (uncertain || group == groups.end())
        continue;
      int64_t later = commits - 1 - group->second;
      if (later >= pending || !said.insert(wait).second)
        continue;
      if (later < 0)
        kernelError(wait) << "tile.wgmma_wait " << pending
                          << " yields a product that no tile.wgmma_commit has closed";
      else
        kernelError(wait) << "tile.wgmma_wait " << pending << " yields a product with " << later
                          << " later commits; wait " << later << " or commit another group";
      ok = false;
    }
  }

  /// The slot that an arrival gives back is no longer read.
  void checkRelease(MbarArriveOp arrive) {
    auto barrier = cast<MbarAllocOp>(arrive.getBarrier().getDefiningOp());
    std::optional<int64_t> at =
        isa<CursorType>(arrive.getCursor().getType()) ? position(arrive.getCursor()) : std::nullopt;
    if (uncertain || conditional() || !at)
      return;
    for (Read &read : reads) {
      auto guard = guards.find(read.buffer);
      if (read.position != *at || guard == guards.end() || guard->second.size() != 1 ||
          guard->second.front() != barrier)
        continue;
      if (said.insert(arrive).second)
        kernelError(arrive) << "slot of '" << read.buffer.getName()
                            << "' is released before the wait that retires its reader at "
                            << placeText(read.op.getLoc());
      ok = false;
      return;
    }
  }

  const llvm::MapVector<AllocOp, llvm::SmallSetVector<MbarAllocOp, 2>> &guards;
  llvm::DenseMap<Value, int64_t> groups; ///< Of the last product of an accumulator.
  SmallVector<Read> reads;
  int64_t commits = 0, retired = 0;
  bool uncertain = false; ///< A branch has touched the queue.
  llvm::SmallPtrSet<Operation *, 8> said;
};

struct CheckBarriersPass : impl::CheckBarriersPassBase<CheckBarriersPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    bool ok = true;
    auto guards = findGuards(kernel);
    std::deque<BarrierPath> paths;
    for (RoleOp role : rolesOf(kernel)) {
      paths.emplace_back(role, guards);
      paths.back().walk();
      ok &= paths.back().ok;
    }
    for (MbarAllocOp barrier : kernel.getBody().getOps<MbarAllocOp>()) {
      SmallVector<std::pair<RoleOp, Traffic *>> users;
      for (BarrierPath &path : paths)
        if (auto found = path.traffic.find(barrier); found != path.traffic.end())
          users.push_back({path.role, &found->second});
      ok &= succeeded(checkArrivals(barrier, users));
      ok &= succeeded(checkBytes(barrier, users));
    }
    if (!ok)
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  //===--------------------------------------------------------------------===//
  // Counts
  //===--------------------------------------------------------------------===//

  /// The barriers that a producer waits for before it copies into a buffer, cursor for cursor.
  static llvm::MapVector<AllocOp, llvm::SmallSetVector<MbarAllocOp, 2>> findGuards(KernelOp kernel) {
    llvm::MapVector<AllocOp, llvm::SmallSetVector<MbarAllocOp, 2>> guards;
    kernel.walk([&](MbarWaitOp wait) {
      if (!wait.getProducer())
        return;
      for (Operation *user : wait.getCursor().getUsers()) {
        auto slot = dyn_cast<SlotOp>(user);
        bool filled =
            slot && llvm::any_of(slot.getSlot().getUsers(), [&](Operation *copy) {
              return llvm::any_of(accessesOf(copy), [&](const MemoryAccess &access) {
                return access.memory == slot.getSlot() && access.write && access.proxy == Proxy::Async;
              });
            });
        AllocOp buffer = filled ? sharedBytes(slot.getBuffer()).alloc : AllocOp();
        if (buffer)
          guards[buffer].insert(cast<MbarAllocOp>(wait.getBarrier().getDefiningOp()));
      }
    });
    return guards;
  }

  static int64_t largest(const std::map<int64_t, int64_t> &counts) {
    int64_t most = 0;
    for (auto [phase, count] : counts)
      most = std::max(most, count);
    return most;
  }

  using Users = ArrayRef<std::pair<RoleOp, Traffic *>>;

  /// A remark where something cannot be counted.
  static bool anyUnclear(MbarAllocOp barrier, Users users) {
    for (auto [role, traffic] : users)
      if (traffic->unclear) {
        kernelRemark(traffic->unclear)
            << "mbarrier '" << barrier.getName() << "' is not counted: " << traffic->why;
        return true;
      }
    return false;
  }

  LogicalResult checkArrivals(MbarAllocOp barrier, Users users) {
    bool waited = llvm::any_of(barrier.getBarrier().getUsers(), [](Operation *user) {
      auto wait = dyn_cast<MbarWaitOp>(user);
      return wait && !wait.getProducer();
    });
    bool arrives =
        llvm::any_of(users, [](auto &user) { return user.second->arrive || user.second->unclear; });
    if (!arrives && waited)
      return kernelError(barrier) << "mbarrier '" << barrier.getName()
                                  << "' is waited for, but nobody arrives";
    if (!arrives || anyUnclear(barrier, users))
      return success();
    int64_t sum = 0;
    std::string parts;
    for (auto [role, traffic] : users) {
      int64_t count = largest(traffic->arrivals);
      if (!count)
        continue;
      sum += count;
      parts += (parts.empty() ? "role '" : ", role '") + role.getName().str() + "' (" +
               std::to_string(role.getInstances()) + " x " + std::to_string(role.getWarps()) +
               " warps) makes " + std::to_string(count);
    }
    int64_t wanted = barrier.getBarrier().getType().getArrivals();
    if (sum == wanted || !sum)
      return success();
    return kernelError(barrier) << "mbarrier '" << barrier.getName() << "': " << wanted
                                << " arrivals a phase expected, " << parts;
  }

  LogicalResult checkBytes(MbarAllocOp barrier, Users users) {
    Operation *expect = nullptr, *copy = nullptr;
    for (auto [role, traffic] : users) {
      expect = traffic->expect ? traffic->expect : expect;
      copy = traffic->copy ? traffic->copy : copy;
    }
    if (copy && !expect)
      return kernelError(copy) << "copies complete on mbarrier '" << barrier.getName()
                               << "', but no tile.mbar_expect announces their bytes";
    if (expect && !copy)
      return kernelError(expect) << "phases of mbarrier '" << barrier.getName()
                                 << "' expect bytes, but no copy completes on it";
    for (auto [role, traffic] : users) {
      if (traffic->unclear || !traffic->expect || !traffic->copy)
        continue;
      // Phases at the ends of the path may lack one half; an error is what holds for all others.
      std::optional<std::pair<int64_t, int64_t>> wrong;
      bool right = false;
      for (auto [phase, bytes] : traffic->expected) {
        auto found = traffic->copied.find(phase);
        if (found == traffic->copied.end())
          continue;
        if (found->second == bytes)
          right = true;
        else if (!wrong)
          wrong = {bytes, found->second};
      }
      bool alone =
          llvm::count_if(users, [](auto &user) { return user.second->expect || user.second->copy; }) == 1;
      if (!wrong || !alone)
        continue;
      if (right) {
        kernelRemark(traffic->expect)
            << "mbarrier '" << barrier.getName() << "': a phase expects " << wrong->first
            << " B, the copies seen for it bring " << wrong->second << " B";
        continue;
      }
      return kernelError(traffic->expect)
             << "mbarrier '" << barrier.getName() << "': phases expect " << wrong->first
             << " B, the copies of one step bring " << wrong->second << " B";
    }
    return success();
  }
};

} // namespace
} // namespace k3::tile
