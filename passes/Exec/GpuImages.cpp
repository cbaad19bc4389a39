//===- GpuImages.cpp - GPU code as images of a package ------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Exec/GpuImages.h"

#include "lib/Package/GpuIsa.h"
#include "lib/Support/Hash.h"

#include <algorithm>

using namespace mlir;
using namespace k3;
using namespace k3::exec;

LogicalResult GpuImages::addTarget(Operation *op) {
  Expected<arch::GpuTarget> gpu = arch::findGpu(code.gpu);
  if (!gpu)
    return op->emitError("GPU code for '") << code.gpu << "': " << gpu.status().text();
  isa = isaOf(gpu->info->gpu);
  target = static_cast<uint32_t>(package.targets.size());
  auto record = std::make_unique<fb::TargetT>();
  record->name = code.target;
  record->isa = isa;
  record->sm_count = gpu->product->sms;
  package.targets.push_back(std::move(record));
  return success();
}

LogicalResult GpuImages::addKernel(KernelOp kernel, fb::KernelT &record) {
  auto found = code.kernels.find(kernel.getGpu()->str());
  if (found == code.kernels.end() || (found->second.cubin.empty() && found->second.ptx.empty()))
    return kernel.emitOpError("names the GPU code '") << *kernel.getGpu() << "', which was not compiled";
  const GpuKernelCode &source = found->second;
  record.symbol = source.symbol.empty() ? found->first : source.symbol;
  record.regs = static_cast<uint16_t>(source.registers);
  record.spill = static_cast<uint16_t>(std::min(source.spillBytes, 65535u));
  record.static_smem = source.staticSharedBytes;
  bool isCubin = !source.cubin.empty();
  record.hash = isCubin ? hash64(source.cubin.data(), source.cubin.size()) : hash64(source.ptx.data(), source.ptx.size());
  auto [image, isNew] = images.try_emplace(record.hash, static_cast<uint32_t>(package.images.size()));
  record.image = image->second;
  if (!isNew)
    return success();
  auto added = std::make_unique<fb::ImageT>();
  added->hash = record.hash;
  if (isCubin) {
    fb::CubinT cubin;
    cubin.elf.assign(source.cubin.begin(), source.cubin.end());
    cubin.isa = isa;
    added->code.Set(std::move(cubin));
  } else {
    fb::PtxT ptx;
    ptx.text = source.ptx;
    ptx.isa = isa;
    ptx.version = code.ptxVersion;
    added->code.Set(std::move(ptx));
  }
  package.targets[target]->images.push_back(image->second);
  package.images.push_back(std::move(added));
  return success();
}
