//===- Engine.h - The step ABI on one device --------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A package made runnable: its buffers on a device, packed weights, and @step, @copy_state and @sample as
// functions of host arrays. It knows slots and pages only as numbers; who owns which is Context's affair.
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_ENGINE_H
#define K3_RUNTIME_ENGINE_H

#include "runtime/Executor.h"
#include "runtime/ModelPackage.h"
#include "runtime/Taps.h"
#include "runtime/Weights.h"

#include <memory>

namespace k3 {

struct HostSide;

struct EngineOptions {
  uint32_t threads = 0; ///< for programs on the host beside a GPU; 0: one per CPU
  uint32_t slots = 0;
  uint64_t pages = 0;
  bool recordTaps = false, stats = false;
  /// Bytes of checkpoint packed so far and in all; false stops.
  std::function<bool(uint64_t done, uint64_t total)> progress;
};

/// Arrays of one step in the step ABI. P is StepLimits::blockTableWidth.
struct StepArrays {
  fb::Variant variant = fb::Variant::Any;
  bool decodeShape = false;             ///< cu_seqlens[s] = s for all s
  std::span<const int32_t> tokens;      ///< [T]
  std::span<const int32_t> cuSeqlens;   ///< [S + 1]
  std::span<const int32_t> contextLens; ///< [S]
  std::span<const int32_t> readSlots;   ///< [S]
  std::span<const int32_t> writeSlots;  ///< [S]
  std::span<const int32_t> blockTable;  ///< [S, P]
  std::span<const int32_t> logitRows;   ///< [R]
  std::span<const int32_t> ckptSlots;   ///< [C]
  std::span<const int32_t> ckptRows;    ///< [C]
};

class Engine {
public:
  /// Allocates, packs the weights, drops the staging memory.
  static Expected<std::unique_ptr<Engine>> create(std::shared_ptr<const ModelPackage> package,
                                                  const WeightSource &weights, std::unique_ptr<Device> device,
                                                  const EngineOptions &options);
  ~Engine();

  /// Runs @step; logits() holds [R, vocab] afterwards. Sizes are checked against the package's limits,
  /// contents not.
  Status step(const StepArrays &arrays);
  /// Copies slots and pages of every state, any number of them.
  Status copyState(std::span<const int32_t> sourceSlots, std::span<const int32_t> destinationSlots,
                   std::span<const int32_t> sourcePages, std::span<const int32_t> destinationPages);
  /// Runs @sample, greedy, over the rows of the last step.
  Status sampleGreedy(std::span<int32_t> ids);

  /// Runs a graph (Graph.cpp). `inputs` by name of a graph's input or of a state, whose first slots (or
  /// pages) it fills; the launch-time sizes follow from the shapes. `outputs` receives the results, and every
  /// state that was an input or else its first slot.
  using NamedArrays = std::map<std::string, HostArray>;
  Status runGraph(const GraphFunction &graph, const NamedArrays &inputs, NamedArrays &outputs);

  /// f32 [logitRowCount, vocab] of the last step.
  const std::vector<float> &logits() const { return logitValues; }
  size_t logitRowCount() const { return logitRows; }

  /// One slot of a recurrent or conv state as it lies in memory, or one page of a paged one.
  Status readState(const fb::StateT &state, uint64_t slotOrPage, std::vector<std::byte> &out) const;

  const ModelPackage &package() const { return *model; }
  Device &device() { return *machine; }
  StepTaps &taps() { return stepTaps; }
  const EntryStats &stats() const { return entryStats; }
  uint32_t slots() const { return slotCount; }
  uint64_t pages() const { return pageCount; }

private:
  Engine(std::shared_ptr<const ModelPackage> package, std::unique_ptr<Device> device,
         const EngineOptions &options);
  Status allocate();
  Status openHostSide(uint32_t threads);
  /// Whether the program runs on the host although the steps do not.
  bool onHostSide(const fb::ProgramT &program) const { return hostSide && program.target != model->runTarget(); }
  Expected<uint64_t> bufferBytes(size_t index) const;
  Status pack(const WeightSource &weights, const EngineOptions &options);
  Status fetch(Device &device, const WeightSource &weights, const fb::FetchT &fetch, uint64_t member,
               const ResolvedView &destination, std::vector<std::byte> &scratch);
  Status run(const fb::ProgramT &program, const SymbolValues &symbols, const ExecutorHooks &hooks);
  /// Copies the input arrays, found by name, into the program's io buffers.
  struct NamedInput {
    const char *name;
    std::span<const int32_t> values;
  };
  Status writeInputs(const fb::ProgramT &program, const SymbolValues &symbols,
                     std::span<const NamedInput> inputs);
  SymbolValues baseSymbols() const;
  Status writeGraphState(const fb::StateT &state, const HostArray &value);
  Status readGraphState(const fb::StateT &state, const HostArray *input, HostArray &out) const;

  std::shared_ptr<const ModelPackage> model;
  std::unique_ptr<Device> machine;
  std::vector<DeviceMemory> buffers; // by number in Package.buffers
  Executor executor;
  std::unique_ptr<HostSide> hostSide; // NULL: all programs run on `machine`
  uint32_t slotCount;
  uint64_t pageCount;
  StepTaps stepTaps;
  EntryStats entryStats;
  bool timing;
  std::vector<float> logitValues;
  size_t logitRows = 0;
};

} // namespace k3

#endif // K3_RUNTIME_ENGINE_H
