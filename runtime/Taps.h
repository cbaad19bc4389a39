//===- Taps.h - Named tensors read and written inside a step ----*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensors of a step's taps: those to be given are written over the computed ones once the tap's entry is
// done, then the tensor is recorded, so that a record holds what the later entries see.
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_TAPS_H
#define K3_RUNTIME_TAPS_H

#include "runtime/ModelPackage.h"
#include "runtime/View.h"

#include <map>

namespace k3 {

/// A dense row-major array on the host.
struct HostArray {
  fb::DType dtype = fb::DType::None;
  std::vector<int64_t> dims;
  std::vector<std::byte> bytes;
};

/// An I64 array as I32; the message of a failure names it.
Expected<HostArray> narrowToI32(const std::string &name, const HostArray &source);

class StepTaps {
public:
  /// Record every tap after each step.
  bool recording = false;

  /// The next step takes `value` at the tap of this name. Fails for an unknown or read-only tap, and for a
  /// type that is not the tap's (I64 is converted to I32).
  Status give(const ModelPackage &package, const std::string &name, HostArray value);

  /// Whether a step has to look at taps at all.
  bool active() const { return recording || !given.empty(); }
  /// Compares what is given with what `program` will have at these sizes; nothing is written yet.
  Status prepare(const fb::ProgramT &program, const SymbolValues &symbols,
                 const std::vector<DeviceMemory> &buffers);
  /// After entry `entry` of the program.
  Status afterEntry(Device &device, const fb::ProgramT &program, size_t entry, const SymbolValues &symbols,
                    const std::vector<DeviceMemory> &buffers);
  /// Drops what was given; the step is over or was refused.
  void finish() { given.clear(); }

  /// What the last step recorded, or NULL.
  const HostArray *record(const std::string &name) const;

private:
  std::map<std::string, HostArray> given, records;
};

} // namespace k3

#endif // K3_RUNTIME_TAPS_H
