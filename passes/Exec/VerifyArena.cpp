//===- VerifyArena.cpp - k3-exec-verify-arena ---------------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Exec/Passes.h"

#include "passes/Exec/Memory.h"
#include "passes/Exec/Order.h"

#include "llvm/ADT/MapVector.h"

#include <vector>

using namespace mlir;

namespace k3 {

#define GEN_PASS_DEF_VERIFYARENAPASS
#include "passes/Exec/Passes.h.inc"

namespace {

using namespace exec;

/// One value in the arena: the first view of the buffer, and all that is seen through it.
struct ArenaValue {
  ViewOp view;
  int64_t begin = 0, end = 0; ///< Bytes, over the whole bucket and all slots.
  std::vector<unsigned> accesses;
  int tap = -1;
};

class ArenaVerifier {
public:
  explicit ArenaVerifier(ProgramOp program) : program(program), order(program.getBody().front()) {}

  LogicalResult run() {
    if (failed(collect()))
      return failure();
    std::vector<ArenaValue *> byBegin;
    for (auto &item : values)
      byBegin.push_back(&item.second);
    llvm::sort(byBegin, [](ArenaValue *a, ArenaValue *b) { return a->begin < b->begin; });
    for (size_t i = 0; i < byBegin.size(); ++i)
      for (size_t j = i + 1; j < byBegin.size() && byBegin[j]->begin < byBegin[i]->end; ++j)
        if (!endsBefore(*byBegin[i], *byBegin[j]) && !endsBefore(*byBegin[j], *byBegin[i]))
          return complain(*byBegin[i], *byBegin[j]);
    return checkRaces();
  }

private:
  /// The view that lies directly in the arena, or null.
  static ViewOp outermost(Value value) {
    auto view = value.getDefiningOp<ViewOp>();
    while (view && view.getSource().getDefiningOp<ViewOp>())
      view = view.getSource().getDefiningOp<ViewOp>();
    auto buffer = view ? view.getSource().getDefiningOp<BufferOp>() : BufferOp();
    return buffer && buffer.getSpace() == Space::Arena ? view : ViewOp();
  }

  LogicalResult collect() {
    WalkResult result = program.getBody().walk([&](ViewOp op) {
      if (outermost(op) != op)
        return WalkResult::advance();
      MemoryRef memory = resolve(op.getView());
      SymbolRanges ranges = rangesOf(program, op->getParentOfType<MembersOp>());
      auto begin = bounds(memory.begin, ranges), size = bounds(memory.size(), ranges);
      auto room = bounds(op.getSource().getDefiningOp<BufferOp>().getBytes().getResult(0), ranges);
      if (!begin || !size || !room || begin->first < 0 || begin->second + size->second > room->second) {
        op.emitOpError("leaves the arena");
        return WalkResult::interrupt();
      }
      ArenaValue &value = values[op];
      value.view = op;
      value.begin = begin->first;
      value.end = begin->second + size->second;
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    for (unsigned i = 0; i < order.size(); ++i)
      for (const ViewAccess &access : order.entry(i).getViewAccesses())
        if (ViewOp view = outermost(access.view))
          values[view].accesses.push_back(i);
    for (auto tap : program.getBody().front().getOps<TapOp>())
      if (ViewOp view = outermost(tap.getView()))
        values[view].tap = std::max(values[view].tap, int(order.position(tap)) - 1);
    return success();
  }

  bool endsBefore(const ArenaValue &a, const ArenaValue &b) const {
    for (unsigned second : b.accesses) {
      if (int(second) <= a.tap)
        return false;
      for (unsigned first : a.accesses)
        if (!order.before(second).test(first))
          return false;
    }
    return true;
  }

  static std::string nameOf(ViewOp view) {
    auto loc = dyn_cast<NameLoc>(view.getLoc());
    return loc ? loc.getName().str() : std::string("?");
  }

  LogicalResult complain(const ArenaValue &a, const ArenaValue &b) {
    ViewOp view = b.view;
    InFlightDiagnostic diagnostic = view.emitOpError("'")
                                    << nameOf(b.view) << "' at bytes " << b.begin << ".." << b.end
                                    << " of the arena meets '" << nameOf(a.view) << "' at " << a.begin << ".."
                                    << a.end << ": both are in use at the same time";
    return diagnostic;
  }

  /// Conflicting accesses to the same bytes of anything are ordered.
  LogicalResult checkRaces() {
    struct Access {
      unsigned entry;
      EntryAccess access;
      SymbolRanges ranges;
    };
    llvm::MapVector<const void *, std::vector<Access>> byRoot;
    for (unsigned i = 0; i < order.size(); ++i) {
      SymbolRanges ranges = rangesOf(program, dyn_cast<MembersOp>(order.entry(i).getOperation()));
      for (const EntryAccess &access : accessesOf(order.entry(i)))
        byRoot[access.memory.root].push_back({i, access, ranges});
    }
    for (auto &item : byRoot) {
      const std::vector<Access> &accesses = item.second;
      bool written = llvm::any_of(accesses, [](const Access &access) { return access.access.write; });
      for (size_t j = 0; written && j < accesses.size(); ++j)
        for (size_t i = 0; i < j; ++i) {
          const Access &first = accesses[i], &second = accesses[j];
          bool conflict = (first.access.write || second.access.write) && first.entry != second.entry &&
                          !order.before(second.entry).test(first.entry);
          if (conflict &&
              mayOverlap(first.access.memory, second.access.memory, second.ranges, /*sameMember=*/false))
            return order.entry(second.entry)->emitOpError("touches '")
                   << memoryName(second.access.memory) << "' as entry " << first.entry
                   << " does, without an order between them";
        }
    }
    return success();
  }

  ProgramOp program;
  EntryOrder order;
  llvm::MapVector<ViewOp, ArenaValue> values;
};

struct VerifyArenaPass : impl::VerifyArenaPassBase<VerifyArenaPass> {
  void runOnOperation() override {
    if (!getOperation().getBody().empty() && failed(ArenaVerifier(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace k3
