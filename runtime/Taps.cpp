//===- Taps.cpp - Named tensors read and written inside a step ------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Taps.h"

#include "lib/Package/DType.h"
#include "lib/Support/Text.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace k3;

Expected<HostArray> k3::narrowToI32(const std::string &name, const HostArray &source) {
  HostArray result{fb::DType::I32, source.dims, std::vector<std::byte>(source.bytes.size() / 2)};
  for (size_t i = 0; i < source.bytes.size() / 8; ++i) {
    int64_t wide;
    std::memcpy(&wide, source.bytes.data() + 8 * i, 8);
    if (wide < std::numeric_limits<int32_t>::min() || wide > std::numeric_limits<int32_t>::max())
      return badInput("array '" + name + "': element " + std::to_string(i) + " is " + std::to_string(wide) +
                      ", which is no i32");
    auto narrow = static_cast<int32_t>(wide);
    std::memcpy(result.bytes.data() + 4 * i, &narrow, 4);
  }
  return result;
}

Status StepTaps::give(const ModelPackage &package, const std::string &name, HostArray value) {
  const auto &taps = package.taps();
  auto tap = std::find_if(taps.begin(), taps.end(), [&](const TapInfo &info) { return info.name == name; });
  if (tap == taps.end())
    return badInput("the package has no tap '" + name + "'");
  if (!tap->writable)
    return unsupported(
        "tap '" + name + "' cannot be given: it is " +
        (tap->isState ? "a state, which is only read after the step" : "read-only in this package"));
  if (value.dtype == fb::DType::I64 && tap->dtype == fb::DType::I32) {
    K3_ASSIGN(value, narrowToI32(name, value));
  }
  if (value.dtype != tap->dtype)
    return badInput("tap '" + name + "' is " + std::string(dtypeName(tap->dtype)) + ", the given tensor is " +
                    std::string(dtypeName(value.dtype)));
  given[name] = std::move(value);
  return Status::success();
}

Status StepTaps::prepare(const fb::ProgramT &program, const SymbolValues &symbols,
                         const std::vector<DeviceMemory> &buffers) {
  records.clear();
  for (const auto &[name, value] : given) {
    const fb::TapT *found = nullptr;
    for (const auto &tap : program.taps)
      if (tap->name == name)
        found = tap.get();
    if (!found || !found->view)
      return badInput("program '" + program.name + "' has no tap '" + name +
                      "', which a tensor was given for");
    K3_ASSIGN(ResolvedView view, resolveView(*found->view, symbols, buffers));
    if (value.dims != view.shape())
      return badInput("tap '" + name + "' is " + shapeText(view.shape()) +
                      " in this step, the given tensor is " + shapeText(value.dims));
  }
  return Status::success();
}

Status StepTaps::afterEntry(Device &device, const fb::ProgramT &program, size_t entry,
                            const SymbolValues &symbols, const std::vector<DeviceMemory> &buffers) {
  for (const auto &tap : program.taps) {
    if (tap->entry != entry || !tap->view)
      continue;
    auto value = given.find(tap->name);
    if (value == given.end() && !recording)
      continue;
    K3_TRY(device.synchronise());
    K3_ASSIGN(ResolvedView view, resolveView(*tap->view, symbols, buffers));
    if (value != given.end())
      K3_TRY(copyViewIn(device, view, value->second.bytes.data()));
    if (!recording)
      continue;
    HostArray &record = records[tap->name];
    record.dtype = view.dtype;
    record.dims = view.shape();
    record.bytes.resize(view.bytes());
    K3_TRY(copyViewOut(device, view, record.bytes.data()));
  }
  return Status::success();
}

const HostArray *StepTaps::record(const std::string &name) const {
  auto found = records.find(name);
  return found == records.end() ? nullptr : &found->second;
}
