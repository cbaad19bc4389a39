//===- AssignArena.cpp - k3-exec-assign-arena ---------------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Exec/Passes.h"

#include "passes/Exec/Memory.h"
#include "passes/Exec/Order.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <vector>

using namespace mlir;

namespace k3 {

#define GEN_PASS_DEF_ASSIGNARENAPASS
#include "passes/Exec/Passes.h.inc"

namespace {

using namespace exec;

constexpr int64_t alignment = 64;

/// A tensor, who touches it, and where it goes.
struct Resident {
  TensorOp op;
  int64_t slotBytes = 0; ///< Bytes of one copy, a multiple of the alignment.
  int64_t copies = 1;    ///< Slots of the exec.members around it.
  BitVector accesses;    ///< Entries that touch it.
  BitVector before;      ///< Entries that have ended before any of these starts.
  int first = -1;        ///< Lowest index in `accesses`.
  int tap = -1;          ///< Entries up to this index run before its last tap.
  bool written = false;
  int64_t offset = 0;

  int64_t bytes() const { return slotBytes * copies; }
  /// Every access to this one is over before the other one begins, taps included.
  bool endsBefore(const Resident &other) const {
    BitVector open = accesses;
    open.reset(other.before);
    return open.none() && other.first > tap;
  }
};

class ArenaBuilder {
public:
  explicit ArenaBuilder(ProgramOp program) : program(program), order(program.getBody().front()) {}

  LogicalResult run() {
    if (failed(collect()) || failed(trace()))
      return failure();
    place();
    rewrite();
    return success();
  }

private:
  LogicalResult collect() {
    WalkResult result = program.getBody().walk([&](TensorOp op) {
      auto members = op->getParentOfType<MembersOp>();
      SymbolAssignment upper = upperEnds(rangesOf(program, members));
      int64_t bytes = op.getView().getType().getElementBytes();
      for (AffineExpr extent : op.getDims().getResults()) {
        std::optional<int64_t> value = evaluate(extent, upper);
        if (!value) {
          op.emitOpError("'") << op.getName() << "' has the extent " << exprText(extent)
                              << ", which the bucket of the program does not bound";
          return WalkResult::interrupt();
        }
        if (__builtin_mul_overflow(bytes, std::max<int64_t>(*value, 0), &bytes) || bytes > INT64_MAX / 2) {
          op.emitOpError("'") << op.getName() << "' is larger than 2^62 bytes";
          return WalkResult::interrupt();
        }
      }
      numbers[op] = residents.size();
      Resident &resident = residents.emplace_back();
      resident.op = op;
      resident.slotBytes = llvm::alignTo(std::max<int64_t>(bytes, 1), alignment);
      resident.copies = members ? std::min<int64_t>(members.getSlots(), members.getCount()) : 1;
      resident.accesses.resize(order.size());
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult trace() {
    for (unsigned i = 0; i < order.size(); ++i) {
      for (const EntryAccess &access : accessesOf(order.entry(i))) {
        auto it = numbers.find(access.memory.rootOp);
        if (it == numbers.end())
          continue;
        Resident &resident = residents[it->second];
        if (!resident.written && !access.write)
          return order.entry(i)->emitOpError("reads '")
                 << resident.op.getName() << "' before anything writes it";
        resident.written = true;
        if (resident.first < 0) {
          resident.first = i;
          resident.before = order.before(i);
        }
        resident.before &= order.before(i);
        resident.accesses.set(i);
      }
    }
    for (auto tap : program.getBody().front().getOps<TapOp>())
      if (auto it = numbers.find(resolve(tap.getView()).rootOp); it != numbers.end())
        residents[it->second].tap = std::max(residents[it->second].tap, int(order.position(tap)) - 1);
    return success();
  }

  /// Largest first, each at the lowest offset that is free of everything it may not share with.
  void place() {
    std::vector<unsigned> bySize;
    for (unsigned i = 0; i < residents.size(); ++i)
      if (residents[i].first >= 0)
        bySize.push_back(i);
    llvm::stable_sort(bySize,
                      [&](unsigned a, unsigned b) { return residents[a].bytes() > residents[b].bytes(); });
    std::vector<unsigned> placed;
    for (unsigned number : bySize) {
      Resident &resident = residents[number];
      std::vector<std::pair<int64_t, int64_t>> taken;
      for (unsigned other : placed) {
        const Resident &neighbour = residents[other];
        if (!resident.endsBefore(neighbour) && !neighbour.endsBefore(resident))
          taken.push_back({neighbour.offset, neighbour.offset + neighbour.bytes()});
      }
      llvm::sort(taken);
      for (auto [begin, end] : taken) {
        if (resident.offset + resident.bytes() <= begin)
          break;
        resident.offset = std::max(resident.offset, end);
      }
      placed.push_back(number);
      arenaBytes = std::max(arenaBytes, resident.offset + resident.bytes());
    }
  }

  void rewrite() {
    if (residents.empty())
      return;
    OpBuilder b = OpBuilder::atBlockBegin(&program.getBody().front());
    Value arena = BufferOp::create(b, program.getLoc(), Space::Arena, "arena",
                                   constantMap(b.getContext(), {std::max(arenaBytes, alignment)}));
    for (Resident &resident : residents) {
      TensorOp op = resident.op;
      b.setInsertionPoint(op);
      int64_t element = op.getView().getType().getElementBytes();
      AffineExpr offset = getAffineConstantExpr(resident.offset / element, b.getContext());
      if (resident.copies > 1)
        offset = offset + symbolExpr(b.getContext(), LaunchSymbol::Slot) * (resident.slotBytes / element);
      // The name goes into the location, where ExecToPackage finds it.
      auto view = ViewOp::create(b, NameLoc::get(op.getNameAttr(), op.getLoc()), arena,
                                 symbolMap(b.getContext(), {offset}), op.getDims(),
                                 op.getView().getType().getElementType());
      op.replaceAllUsesWith(view.getView());
      op.erase();
    }
  }

  ProgramOp program;
  EntryOrder order;
  std::vector<Resident> residents;
  DenseMap<Operation *, unsigned> numbers;
  int64_t arenaBytes = 0;
};

struct AssignArenaPass : impl::AssignArenaPassBase<AssignArenaPass> {
  void runOnOperation() override {
    if (!getOperation().getBody().empty() && failed(ArenaBuilder(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace k3
