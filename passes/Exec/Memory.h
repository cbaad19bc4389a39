//===- Memory.h - Which bytes a view means ------------------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_EXEC_MEMORY_H
#define K3_PASSES_EXEC_MEMORY_H

#include "dialects/Exec/ExecOps.h"

#include <array>
#include <optional>
#include <utility>

namespace k3::exec {

/// Closed range of each symbol, or nothing where it has no bound.
using SymbolRanges = std::array<std::optional<std::pair<int64_t, int64_t>>, launchSymbolCount>;

/// The bucket of a program; SM counts from 1. With `members` also member and slot inside it.
SymbolRanges rangesOf(ProgramOp program, MembersOp members = nullptr);

/// The upper ends of the ranges.
SymbolAssignment upperEnds(const SymbolRanges &ranges);

/// Interval arithmetic; nothing where a symbol has no bound or the result leaves 64 bits.
std::optional<std::pair<int64_t, int64_t>> bounds(mlir::AffineExpr expression, const SymbolRanges &ranges);

/// The bytes behind a view: `rows` rows of `rowBytes` bytes, `rowStride` bytes apart, from `begin` on in the
/// memory `root`.
struct MemoryRef {
  /// The tensor, or the named buffer, argument, packed weight or state; equal for equal memory.
  const void *root = nullptr;
  /// The op that stands for the root: exec.tensor, exec.buffer, exec.io, exec.packed or exec.state.
  mlir::Operation *rootOp = nullptr;
  mlir::AffineExpr begin;
  mlir::AffineExpr rows;
  int64_t rowBytes = 0;
  int64_t rowStride = 0;

  /// (rows - 1) * rowStride + rowBytes.
  mlir::AffineExpr size() const;
};

/// Resolves a view through `exec.view`s.
MemoryRef resolve(mlir::Value view);

/// False only where the two are surely apart for all values in the ranges. `sameMember`: symbols member and
/// slot mean the same in both, as they do inside one `exec.members`.
bool mayOverlap(const MemoryRef &a, const MemoryRef &b, const SymbolRanges &ranges, bool sameMember);

/// Whether the place depends on the member or its slot.
bool dependsOnMember(const MemoryRef &memory);

/// An access of an entry with its memory.
struct EntryAccess {
  MemoryRef memory;
  bool read;
  bool write;
};
llvm::SmallVector<EntryAccess> accessesOf(EntryOpInterface entry);

/// The name of the tensor, buffer, argument or symbol, for messages.
std::string memoryName(const MemoryRef &memory);

} // namespace k3::exec

#endif // K3_PASSES_EXEC_MEMORY_H
