//===- EmulatorDevice.h - GPU launches of a package, emulated ---*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Device of the runtime whose GPU code is the tile kernels of a module (k3-compile --emit=tile), found by
// the names of the package's kernels. Memory is that of this process. Every finding makes the launch fail;
// output arguments start as unwritten.
//
//===----------------------------------------------------------------------===//

#ifndef K3_EMULATOR_EMULATORDEVICE_H
#define K3_EMULATOR_EMULATORDEVICE_H

#include "lib/Emulator/Program.h"
#include "runtime/Device.h"
#include "runtime/Host/HostDevice.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace k3::emu {

class EmulatorDevice final : public Device {
public:
  /// `multiprocessors`: what the package's symbol SM becomes. The module outlives the device.
  EmulatorDevice(mlir::ModuleOp module, const Options &options, unsigned multiprocessors = 4);
  ~EmulatorDevice() override;

  std::string name() const override { return "emulator"; }
  unsigned workers() const override { return multiprocessors; }
  Expected<DeviceMemory> allocate(uint64_t bytes) override;
  void release(DeviceMemory memory) override;
  Status loadKernels(const fb::PackageT &package, uint32_t target) override;
  Status copyIn(std::byte *destination, const void *source, uint64_t bytes) override;
  Status copyOut(void *destination, const std::byte *source, uint64_t bytes) override;
  Status copy(std::byte *destination, const std::byte *source, uint64_t bytes) override;
  Status fill(std::byte *destination, uint8_t value, uint64_t bytes) override;
  Status launch(const LaunchRecord &record) override;
  Status launchGpu(const GpuLaunchRecord &record) override;
  Status gemm(const GemmRecord &record) override;
  Status synchronise() override;

  /// What was found, and the figures, since the device was made.
  const Report &report() const { return total; }
  uint64_t launches() const { return launchCount; }

private:
  mlir::ModuleOp module;
  Options options;
  unsigned multiprocessors;
  HostDevice host;
  std::map<const std::byte *, std::unique_ptr<Block>> blocks; ///< by address
  std::vector<std::string> symbols;                           ///< of the package's kernels
  std::map<std::string, std::unique_ptr<Program>> programs;
  std::unique_ptr<Machine> machine;
  Report total;
  uint64_t launchCount = 0, ctas = 0;

  Block *find(const std::byte *data, uint64_t bytes);
  Expected<Array> arrayAt(const std::byte *data, uint64_t bytes);
  Expected<Argument> argument(const KernelArgument &from, mlir::Type type);
  Expected<const Program *> program(const std::string &name);
  void settle();
};

} // namespace k3::emu

#endif // K3_EMULATOR_EMULATORDEVICE_H
