//===- Timing.h - Graphs of kernels, timed side by side ---------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is to be timed is recorded as the nodes of one graph. A measurement is the time of one replay on the stream divided by
// the nodes; graphs that are compared take turns, and the median of each counts.
//
//===----------------------------------------------------------------------===//

#ifndef K3_TOOLS_BENCH_TIMING_H
#define K3_TOOLS_BENCH_TIMING_H

#include "runtime/Cuda/CudaDevice.h"

namespace k3::bench {

/// A graph of `nodes` pieces of work and its measurements so far.
struct Timed {
  std::unique_ptr<DeviceGraph> graph;
  unsigned nodes = 0;
  std::vector<double> seconds; ///< of a node

  double median() const;
};

/// Runs `node(0)` once, then records node(0) .. node(nodes - 1).
Expected<Timed> record(CudaDevice &device, unsigned nodes, const std::function<Status(unsigned)> &node);

/// Replays the graphs in turns until `budget` seconds of device time have passed, between `fewest` and 60 rounds; 2 more come
/// first and do not count. A short replay follows an untimed one of the same graph, which hides the host and sets the caches.
Status measure(CudaDevice &device, std::span<Timed *const> graphs, double budget, unsigned fewest = 5);

/// What the machine can do, measured in this run.
struct Ceilings {
  double copyBytes = 0;      ///< bytes read and written in a second by a copy of 2 GiB
  double emptySeconds = 0;   ///< a node of a 20-node graph of empty kernels
  double dependentSeconds = 0; ///< the same with programmatic dependent launch
};
Expected<Ceilings> measureCeilings(CudaDevice &device);

} // namespace k3::bench

#endif // K3_TOOLS_BENCH_TIMING_H
