//===- Timing.cpp - Graphs of kernels, timed side by side -----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/bench/Timing.h"

#include <algorithm>
#include <array>

using namespace k3;
using namespace k3::bench;

double Timed::median() const {
  if (seconds.empty())
    return 0;
  std::vector<double> sorted = seconds;
  auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

Expected<Timed> bench::record(CudaDevice &device, unsigned nodes, const std::function<Status(unsigned)> &node) {
  // A first run does what a recording may not, such as loading code.
  K3_TRY(node(0));
  K3_TRY(device.synchronise());
  Timed timed;
  timed.nodes = nodes;
  K3_ASSIGN(timed.graph, device.capture([&] {
    for (unsigned i = 0; i < nodes; ++i)
      K3_TRY(node(i));
    return Status::success();
  }));
  return timed;
}

Status bench::measure(CudaDevice &device, std::span<Timed *const> graphs, double budget, unsigned fewest) {
  constexpr double longReplay = 2e-3; // the host's part of a launch, some microseconds, vanishes beside it
  constexpr unsigned unmeasured = 2, most = 60;
  std::vector<double> last(graphs.size(), 0);
  double spent = 0;
  for (unsigned round = 0; round < unmeasured + most && (round < unmeasured + fewest || spent < budget); ++round) {
    for (size_t i = 0; i < graphs.size(); ++i) {
      Timed &timed = *graphs[i];
      if (last[i] < longReplay)
        K3_TRY(device.replay(*timed.graph));
      K3_ASSIGN(last[i], device.workStream().time([&] { return device.replay(*timed.graph); }));
      spent += last[i];
      if (round >= unmeasured)
        timed.seconds.push_back(last[i] / timed.nodes);
    }
  }
  return Status::success();
}

/// Copies of 2 GiB, the median of 10.
static Expected<double> copyRate(CudaDevice &device) {
  constexpr uint64_t bytes = uint64_t(2) << 30;
  K3_ASSIGN(DeviceMemory memory, device.allocate(2 * bytes));
  Status status = device.fill(memory.data, 0x5A, bytes);
  std::vector<double> seconds;
  for (int i = 0; i < 12 && status.ok(); ++i) {
    auto time = device.workStream().time([&] { return device.copy(memory.data + bytes, memory.data, bytes); });
    status = time ? Status::success() : time.takeStatus();
    if (time && i >= 2)
      seconds.push_back(*time);
  }
  device.release(memory);
  K3_TRY(status);
  std::nth_element(seconds.begin(), seconds.begin() + 5, seconds.end());
  return 2.0 * static_cast<double>(bytes) / seconds[5];
}

// With dependent launch a kernel has to say when the next one may start, or it starts as without.
static const char *const emptyKernels = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry empty() { ret; }
.visible .entry empty_dependent() { griddepcontrol.launch_dependents; griddepcontrol.wait; ret; }
)";

Expected<Ceilings> bench::measureCeilings(CudaDevice &device) {
  constexpr unsigned nodes = 20;
  Ceilings ceilings;
  K3_ASSIGN(ceilings.copyBytes, copyRate(device));
  K3_ASSIGN(std::unique_ptr<cuda::Module> module, cuda::Module::load(device.hardware(), emptyKernels, "the empty kernels"));
  std::array<Timed, 2> timed;
  for (int dependent = 0; dependent < 2; ++dependent) {
    cuda::Launch launch;
    K3_ASSIGN(launch.kernel, module->kernel(dependent ? "empty_dependent" : "empty"));
    launch.dependent = dependent;
    launch.grid[0] = static_cast<unsigned>(device.hardware()->multiprocessors());
    launch.block[0] = 128;
    K3_ASSIGN(timed[static_cast<size_t>(dependent)],
              record(device, nodes, [&](unsigned) { return device.workStream().launch(launch, {}); }));
  }
  Timed *graphs[] = {&timed[0], &timed[1]};
  K3_TRY(measure(device, graphs, 0.05));
  ceilings.emptySeconds = timed[0].median();
  ceilings.dependentSeconds = timed[1].median();
  return ceilings;
}
