//===- EmulatorDevice.cpp - GPU launches of a package, emulated -----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/EmulatorDevice.h"

#include <cstring>

using namespace mlir;

namespace k3::emu {

// Agents have 20 bits for their CTA; beyond this many the Machine starts anew at the next synchronisation.
static constexpr uint64_t kMachineCtas = 1 << 18;

EmulatorDevice::EmulatorDevice(ModuleOp module, const Options &options, unsigned multiprocessors)
    : module(module), options(options), multiprocessors(multiprocessors), host(1),
      machine(std::make_unique<Machine>(options)) {}
EmulatorDevice::~EmulatorDevice() = default;

Expected<DeviceMemory> EmulatorDevice::allocate(uint64_t bytes) {
  K3_ASSIGN(DeviceMemory memory, host.allocate(bytes));
  blocks[memory.data] =
      std::make_unique<Block>("buffer " + std::to_string(blocks.size()), Space::Global,
                              reinterpret_cast<uint8_t *>(memory.data), bytes, options.trackRaces);
  return memory;
}

void EmulatorDevice::release(DeviceMemory memory) {
  blocks.erase(memory.data);
  host.release(memory);
}

Status EmulatorDevice::loadKernels(const fb::PackageT &package, uint32_t) {
  for (const auto &kernel : package.kernels)
    symbols.push_back(kernel->symbol);
  return Status::success();
}

Block *EmulatorDevice::find(const std::byte *data, uint64_t bytes) {
  auto after = blocks.upper_bound(data);
  if (after == blocks.begin())
    return nullptr;
  auto &[base, block] = *std::prev(after);
  return block->inside(static_cast<uint64_t>(data - base), bytes) ? block.get() : nullptr;
}

Expected<Array> EmulatorDevice::arrayAt(const std::byte *data, uint64_t bytes) {
  Block *block = find(data, bytes);
  if (!block)
    return internalError("an argument of " + std::to_string(bytes) +
                         " bytes lies in no allocation of the device");
  Array array;
  array.block = block;
  array.offset = static_cast<uint64_t>(data - reinterpret_cast<const std::byte *>(block->data()));
  array.end = array.offset + bytes;
  return array;
}

/// The host sees and changes memory: everything before is over.
void EmulatorDevice::settle() {
  machine->newStep();
  if (ctas < kMachineCtas)
    return;
  ctas = 0;
  machine = std::make_unique<Machine>(options);
  for (auto &[base, block] : blocks)
    if (block->shadow())
      block->shadow()->reset();
}

Status EmulatorDevice::copyIn(std::byte *destination, const void *source, uint64_t bytes) {
  settle();
  if (Block *block = find(destination, bytes))
    block->clearPoison(static_cast<uint64_t>(destination - reinterpret_cast<std::byte *>(block->data())),
                       bytes);
  return host.copyIn(destination, source, bytes);
}
Status EmulatorDevice::copyOut(void *destination, const std::byte *source, uint64_t bytes) {
  settle();
  return host.copyOut(destination, source, bytes);
}
Status EmulatorDevice::copy(std::byte *destination, const std::byte *source, uint64_t bytes) {
  settle();
  Block *to = find(destination, bytes), *from = find(source, bytes);
  if (!to || !from || to == from)
    return host.copy(destination, source, bytes);
  to->copyFrom(static_cast<uint64_t>(destination - reinterpret_cast<std::byte *>(to->data())), *from,
               static_cast<uint64_t>(source - reinterpret_cast<std::byte *>(from->data())), bytes);
  return Status::success();
}
Status EmulatorDevice::fill(std::byte *destination, uint8_t value, uint64_t bytes) {
  settle();
  if (Block *block = find(destination, bytes))
    block->clearPoison(static_cast<uint64_t>(destination - reinterpret_cast<std::byte *>(block->data())),
                       bytes);
  return host.fill(destination, value, bytes);
}
Status EmulatorDevice::synchronise() {
  settle();
  return Status::success();
}
Status EmulatorDevice::launch(const LaunchRecord &) {
  return unsupported("the emulator runs tile kernels, not grid functions");
}
Status EmulatorDevice::gemm(const GemmRecord &) {
  return unsupported("the emulator runs tile kernels, not library products");
}

Expected<const Program *> EmulatorDevice::program(const std::string &name) {
  std::unique_ptr<Program> &known = programs[name];
  if (!known) {
    auto kernel = module.lookupSymbol<tile::KernelOp>(name);
    if (!kernel)
      return badInput("the module of tile kernels has no '" + name + "', which the package launches");
    K3_ASSIGN(known, Program::decode(kernel));
  }
  return known.get();
}

Expected<Argument> EmulatorDevice::argument(const KernelArgument &from, Type type) {
  Argument result;
  switch (from.kind) {
  case KernelArgument::Kind::Scalar:
    if (type.isF32())
      std::memcpy(&result.real, &from.bits, 4);
    else
      result.integer = type.isInteger(32) ? static_cast<int32_t>(from.bits) : static_cast<int64_t>(from.bits);
    return result;
  case KernelArgument::Kind::Pointer: {
    K3_ASSIGN(result.array, arrayAt(from.data, from.bytes));
    return result;
  }
  case KernelArgument::Kind::TensorMap:
    break;
  }
  auto type_ = dyn_cast<tile::MapType>(type);
  if (!type_ || from.map.rank != type_.getBox().size())
    return badInput("a tensor map of rank " + std::to_string(from.map.rank) +
                    " for a parameter that is none of that rank");
  // A record counts dimensions innermost first and strides in bytes.
  int64_t element = type_.getElementBytes(), last = 0;
  for (uint32_t d = from.map.rank; d-- > 0;) {
    if (static_cast<int64_t>(from.map.box[d]) != type_.getBox()[from.map.rank - 1 - d] ||
        from.map.swizzleBytes != type_.getSwizzle())
      return badInput("a tensor map with another box or swizzle than its parameter");
    result.array.dims.push_back(static_cast<int64_t>(from.map.dims[d]));
    result.array.strides.push_back(static_cast<int64_t>(from.map.strides[d]) / element);
    last += (result.array.dims.back() - 1) * result.array.strides.back();
  }
  std::vector<int64_t> dims = result.array.dims, strides = result.array.strides;
  K3_ASSIGN(result.array, arrayAt(from.map.data, static_cast<uint64_t>((last + 1) * element)));
  result.array.dims = std::move(dims);
  result.array.strides = std::move(strides);
  return result;
}

Status EmulatorDevice::launchGpu(const GpuLaunchRecord &record) {
  if (record.kernel >= symbols.size())
    return internalError("kernel " + std::to_string(record.kernel) + " of a package with " +
                         std::to_string(symbols.size()));
  const std::string &name = symbols[record.kernel];
  auto failed = [&](Status status) {
    return std::move(status).withContext("kernel '" + name + "' on the emulator");
  };
  Expected<const Program *> found = program(name);
  if (!found)
    return found.takeStatus();
  auto kernel = module.lookupSymbol<tile::KernelOp>(name);
  ArrayRef<Type> types = kernel.getArgumentTypes();
  if (record.arguments.size() != types.size())
    return failed(badInput(std::to_string(record.arguments.size()) + " arguments for " +
                           std::to_string(types.size()) +
                           " parameters; the module is not that of the package"));
  if (kernel.getThreads() && *kernel.getThreads() != static_cast<int64_t>(record.block[0]))
    return failed(badInput("a block of " + std::to_string(record.block[0]) + " threads, the kernel has " +
                           std::to_string(*kernel.getThreads())));
  LaunchConfig config;
  config.grid = {record.grid[0], record.grid[1], record.grid[2]};
  config.dependent = record.dependent;
  for (size_t i = 0; i < types.size(); ++i) {
    Expected<Argument> bound = argument(record.arguments[i], types[i]);
    if (!bound)
      return failed(bound.takeStatus());
    config.arguments.push_back(std::move(*bound));
  }
  // What the kernel only writes holds nothing before it.
  for (size_t i = 0; i < types.size(); ++i) {
    const Array &array = config.arguments[i].array;
    if (!isa<tile::ViewType>(types[i]) ||
        kernel.getArgRole(static_cast<unsigned>(i)) != tile::ArgRole::StepOut ||
        record.arguments[i].access != 2)
      continue;
    bool shared = false;
    for (size_t j = 0; j < types.size(); ++j) {
      const Array &other = config.arguments[j].array;
      shared |= j != i && record.arguments[j].access != 2 && other.block == array.block &&
                other.offset < array.end && array.offset < other.end;
    }
    if (!shared)
      array.block->setPoison(array.offset, array.end - array.offset, 0);
  }
  ++launchCount;
  ctas += record.blocks();
  machine->report = Report();
  if (Status status = (*found)->run(*machine, config); !status.ok())
    return failed(std::move(status));
  std::string first = machine->report.clean() ? "" : machine->report.text();
  total.append(machine->report);
  return first.empty() ? Status::success() : failed(internalError(first.substr(0, first.find('\n'))));
}

} // namespace k3::emu
