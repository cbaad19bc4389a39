//===- Order.cpp - What happens before what in a program ----------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Exec/Order.h"

using namespace mlir;
using namespace k3::exec;

EntryOrder::EntryOrder(Block &block) : block(block) {
  for (auto entry : block.getOps<EntryOpInterface>()) {
    indices[entry] = entries.size();
    entries.push_back(entry);
  }
  DenseMap<int64_t, unsigned> lastOfStream;
  for (unsigned i = 0; i < entries.size(); ++i) {
    reach.emplace_back(entries.size());
    auto startsAfter = [&](unsigned other) {
      reach[i] |= reach[other];
      reach[i].set(other);
    };
    int64_t stream = entries[i].getEntryStream();
    if (auto last = lastOfStream.find(stream); last != lastOfStream.end())
      startsAfter(last->second);
    lastOfStream[stream] = i;
    for (Value event : entries[i].getWaits())
      if (std::optional<unsigned> other = indexOf(event.getDefiningOp()))
        startsAfter(*other);
  }
}

std::optional<unsigned> EntryOrder::indexOf(Operation *op) const {
  while (op && op->getBlock() != &block)
    op = op->getParentOp();
  auto it = op ? indices.find(op) : indices.end();
  return it == indices.end() ? std::nullopt : std::optional<unsigned>(it->second);
}

unsigned EntryOrder::position(Operation *op) const {
  unsigned count = 0;
  for (EntryOpInterface entry : entries)
    count += entry->isBeforeInBlock(op);
  return count;
}
