//===- Tensors.h - Device memory of one kernel, several times ---*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets of the operands of a launch, each in memory of its own, so that a timing can go around in more of it than any cache
// holds. Inputs are random, outputs and the gaps around everything are NaN.
//
//===----------------------------------------------------------------------===//

#ifndef K3_TOOLS_BENCH_TENSORS_H
#define K3_TOOLS_BENCH_TENSORS_H

#include "tools/bench/Case.h"

namespace k3::bench {

class Tensors {
public:
  /// `sets` copies, all with the same values.
  static Expected<std::unique_ptr<Tensors>> create(Device &device, const fb::PackageT &package, const Problem &problem,
                                                   const std::vector<Operand> &operands, unsigned sets);
  ~Tensors() { device.release(memory); }

  unsigned sets() const { return static_cast<unsigned>(bound.size()); }
  /// Indexed like Package.buffers.
  const std::vector<DeviceMemory> &buffers(unsigned set) const { return bound[set]; }
  std::byte *address(unsigned set, const Operand &operand) const { return bound[set][operand.buffer].data + operand.offset; }

  /// Of the gaps around the outputs of set 0: the bytes that something has written to.
  Expected<uint64_t> damagedBytes() const;

private:
  explicit Tensors(Device &device) : device(device) {}
  Status fillRandom(const Operand &operand, double scale);

  Device &device;
  DeviceMemory memory;
  std::vector<std::vector<DeviceMemory>> bound;
  std::vector<uint64_t> outputGaps; // offsets in set 0
};

/// Bytes of all operands.
uint64_t bytesOf(const std::vector<Operand> &operands);

} // namespace k3::bench

#endif // K3_TOOLS_BENCH_TENSORS_H
