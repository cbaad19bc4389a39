//===- Context.h - Sequences, slots and pages over an engine ----*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The managed layer: every sequence owns a state slot and a list of cache pages; a step checks everything
// before it changes anything, fills the arrays of the step ABI and commits the new lengths when the step is
// done.
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_CONTEXT_H
#define K3_RUNTIME_CONTEXT_H

#include "runtime/Engine.h"
#include "runtime/Pools.h"

#include <atomic>

namespace k3 {

class Context;

struct Sequence {
  Context *context = nullptr;
  int32_t slot = -1;
  std::vector<int32_t> pages; ///< ceil(length / page rows)
  uint64_t length = 0;        ///< committed tokens
};

enum class LogitMode { Last = 0, All = 1, None = 2 };

/// The state after token `token` of batch member `sequence` becomes a new sequence.
struct ForkPoint {
  uint32_t sequence = 0, token = 0;
};

struct BatchItem {
  Sequence *sequence = nullptr;
  std::span<const int32_t> tokens;
};

class Context {
public:
  struct Options {
    std::string device; ///< as openDevice takes it; empty: what the package needs
    uint32_t threads = 0, slots = 0;
    uint64_t pages = 0;
    bool recordTaps = false, stats = false;
    std::function<bool(uint64_t, uint64_t)> progress;
  };
  /// `device`: instead of the one that the options name.
  static Expected<std::unique_ptr<Context>> create(std::shared_ptr<const ModelPackage> package,
                                                   const WeightSource &weights, const Options &options,
                                                   std::unique_ptr<Device> device = nullptr);

  Expected<Sequence *> createSequence();
  Expected<Sequence *> forkSequence(Sequence &source);
  void freeSequence(Sequence &sequence);

  /// On success `checkpoints[i]` has become sequence `forks[i]`. On failure nothing has changed.
  Status step(std::span<const BatchItem> batch, LogitMode mode, std::span<const ForkPoint> checkpoints,
              std::vector<Sequence *> &forks);
  /// The step ABI as it is, past the managed layer.
  Status stepRaw(const StepArrays &arrays) {
    emptyRows.clear();
    return stepEngine->step(arrays);
  }
  /// One id per logit row; -1 for the row of an empty sequence.
  Status sampleGreedy(std::span<int32_t> ids);
  /// Whether row `row` of the last step has values.
  bool rowHasValues(size_t row) const { return row >= emptyRows.size() || !emptyRows[row]; }

  /// A state tap of `sequence`: recurrent [H, V, K]; conv window [channels, rows]; paged [length, width].
  Expected<HostArray> readStateTap(const Sequence &sequence, const std::string &name) const;

  Engine &engine() { return *stepEngine; }
  const Engine &engine() const { return *stepEngine; }
  uint64_t freeSlots() const { return slotPool.available(); }
  uint64_t freePages() const { return pagePool.available(); }

  /// Guards against calls from two threads at a time (CApi.cpp).
  std::atomic<bool> busy{false};

private:
  Context(std::unique_ptr<Engine> engine)
      : stepEngine(std::move(engine)), slotPool(stepEngine->slots()), pagePool(stepEngine->pages()) {}
  Status checkBatch(std::span<const BatchItem> batch, LogitMode mode,
                    std::span<const ForkPoint> checkpoints) const;
  uint64_t pagesFor(uint64_t length) const;
  void trimPages(Sequence &sequence);
  Status runStep(std::span<const BatchItem> batch, LogitMode mode, std::span<const ForkPoint> checkpoints,
                 std::span<Sequence *const> forks);
  Status commitForks(std::span<const BatchItem> batch, std::span<const ForkPoint> checkpoints,
                     std::span<Sequence *const> forks);
  Sequence *addSequence();
  void sharePast(const Sequence &source, uint64_t length, Sequence &fork, std::vector<int32_t> &copyFrom,
                 std::vector<int32_t> &copyTo);

  std::unique_ptr<Engine> stepEngine;
  NumberPool slotPool;
  PagePool pagePool;
  std::vector<std::unique_ptr<Sequence>> sequences;
  std::vector<bool> emptyRows; // by logit row of the last step
};

} // namespace k3

#endif // K3_RUNTIME_CONTEXT_H
