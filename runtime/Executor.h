//===- Executor.h - Runs the entries of a program ---------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks a program's entries in list order, which is a legal order of its DAG, evaluates their expressions at
// the actual sizes and hands them to the device. On a device that records graphs, a program that runs again with the
// sizes of an earlier run is recorded, and from then on replayed.
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_EXECUTOR_H
#define K3_RUNTIME_EXECUTOR_H

#include "runtime/Device.h"
#include "runtime/View.h"

#include <functional>
#include <map>

namespace k3 {

/// Time and estimated work of one class of entries.
struct EntryStat {
  uint64_t calls = 0, bytes = 0, flops = 0;
  double seconds = 0;
};

/// By class: the symbol of a kernel, or "gemm", "copy", "fill", "fetch".
using EntryStats = std::map<std::string, EntryStat>;

struct ExecutorHooks {
  /// Copies a checkpoint tensor of the manifest to its destination; only @pack has such entries.
  std::function<Status(const fb::FetchT &fetch, uint64_t member, const ResolvedView &destination)> fetch;
  /// After entry number `entry` of the program that `run` was called with.
  std::function<Status(size_t entry, const SymbolValues &symbols)> afterEntry;
  /// NULL: no timing.
  EntryStats *stats = nullptr;
};

class Executor {
public:
  /// All three outlive the executor. `buffers` is indexed like Package.buffers; its elements may change
  /// between runs.
  Executor(const fb::PackageT &package, Device &device, const std::vector<DeviceMemory> &buffers)
      : package(package), device(device), buffers(buffers) {}

  /// Runs all entries. An error names the program and the entry.
  Status run(const fb::ProgramT &program, const SymbolValues &symbols, const ExecutorHooks &hooks);

  /// Whether programs without hooks are recorded. Graphs hold addresses: forget them when memory moves.
  void setRecordGraphs(bool record) { recordGraphs = record; }
  void forgetGraphs() { graphs.clear(); }

private:
  Status runEntries(const fb::ProgramT &program, const SymbolValues &symbols, const ExecutorHooks &hooks);
  Status runEntry(const fb::EntryT &entry, SymbolValues &symbols, const ExecutorHooks &hooks);
  Status runTimed(const fb::EntryT &entry, SymbolValues &symbols, const ExecutorHooks &hooks);
  Status launch(const fb::LaunchT &launch, const SymbolValues &symbols);
  Status gemm(const fb::GemmT &gemm, const SymbolValues &symbols);
  Status call(const fb::CallT &call, SymbolValues &symbols, const ExecutorHooks &hooks);

  const fb::PackageT &package;
  Device &device;
  const std::vector<DeviceMemory> &buffers;
  std::vector<DeviceArray> arrays; // arguments of the present launch
  std::vector<KernelArgument> arguments;

  /// A program and the value of every symbol.
  using GraphKey = std::pair<const fb::ProgramT *, std::array<int64_t, symbolCount>>;
  static constexpr size_t maxGraphs = 256;
  std::map<GraphKey, std::unique_ptr<DeviceGraph>> graphs; // NULL: ran once, not yet recorded
  bool recordGraphs = true;
};

} // namespace k3

#endif // K3_RUNTIME_EXECUTOR_H
