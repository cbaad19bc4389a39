//===- GpuCompiler.cpp - Tile kernels to PTX and machine code ---*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Pipeline/GpuCompiler.h"

#include "dialects/Tile/TileOps.h"
#include "lib/Arch/Gpu.h"
#include "lib/Codegen/GpuPtx.h"
#include "passes/Lower/Passes.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace k3 {

/// CUDA 13.0 reads PTX ISA 9.0.
static constexpr unsigned kPtxIsa = 90;

static std::string archOf(const GpuOptions &options) {
  Expected<arch::GpuTarget> gpu = arch::findGpu(options.target);
  return gpu ? std::string(gpu->info->name) : options.target;
}

FailureOr<std::string> emitTilePtx(ModuleOp kernels, const GpuOptions &options) {
  OwningOpRef<ModuleOp> lowered = kernels.clone();
  lowered->removeSymNameAttr();
  PassManager pm(kernels.getContext());
  LowerTileToNvvmPassOptions lower;
  lower.arch = archOf(options);
  pm.addPass(createLowerTileToNvvmPass(lower));
  if (failed(pm.run(*lowered)))
    return failure();
  codegen::GpuPtxOptions ptx;
  ptx.arch = archOf(options);
  ptx.ptxIsa = kPtxIsa;
  ptx.lineInfo = options.lineInfo;
  return codegen::emitGpuPtx(*lowered, ptx);
}

static codegen::CubinOptions cubinOptions(const GpuOptions &options) {
  codegen::CubinOptions cubin;
  cubin.ptxas = options.ptxas;
  cubin.lineInfo = options.lineInfo;
  return cubin;
}

static codegen::CompileCache openCache(const GpuOptions &options) {
  codegen::CacheOptions cache;
  cache.directory = options.cacheDir;
  cache.enabled = options.cache;
  return codegen::CompileCache(cache);
}

static void addRemarks(const std::string &name, const codegen::AssemblerReport &report, std::vector<std::string> &remarks) {
  for (const codegen::AssemblerRemark &remark : report.remarks)
    remarks.push_back("kernel '" + name + "': " + remark.text);
}

Expected<codegen::Cubin> assembleTilePtx(const std::string &name, const std::string &ptx, const GpuOptions &options,
                                         std::vector<std::string> &remarks) {
  codegen::CompileCache cache = openCache(options);
  codegen::PtxKernel kernel{name, archOf(options), ptx};
  K3_ASSIGN(codegen::Cubin cubin, codegen::assemblePtx(kernel, cubinOptions(options), &cache));
  addRemarks(name, cubin.report, remarks);
  if (options.perfIsError)
    K3_TRY(codegen::rejectPerfRemarks(kernel, cubin.report));
  return cubin;
}

Expected<exec::GpuCode> compileGpuKernels(ModuleOp kernels, const GpuOptions &options, std::vector<std::string> &remarks) {
  exec::GpuCode code;
  code.target = options.target;
  code.gpu = options.target;
  code.ptxVersion = kPtxIsa;
  std::vector<codegen::PtxKernel> texts;
  for (auto kernel : kernels.getOps<tile::KernelOp>()) {
    OwningOpRef<ModuleOp> alone = ModuleOp::create(kernel.getLoc());
    alone->push_back(kernel->clone());
    FailureOr<std::string> ptx = emitTilePtx(*alone, options);
    if (failed(ptx))
      return internalError("kernel '" + kernel.getSymName().str() + "' cannot be lowered to PTX");
    texts.push_back({kernel.getSymName().str(), archOf(options), std::move(*ptx)});
  }
  codegen::CompileCache cache = openCache(options);
  codegen::CompileOptions compile;
  compile.cubin = cubinOptions(options);
  compile.perfIsError = options.perfIsError;
  compile.cache = &cache;
  Expected<std::vector<codegen::Cubin>> cubins = codegen::compileKernels(texts, compile);
  if (!cubins && cubins.status().code() != Code::Unsupported)
    return cubins.status();
  if (!cubins && options.perfIsError)
    return Status(Code::Unsupported, "--Werror=perf: spills are known after assembly only; " + cubins.status().text());
  if (!cubins)
    remarks.push_back("the package holds PTX, which the driver assembles when it is loaded: " + cubins.status().text());
  for (size_t i = 0; i < texts.size(); ++i) {
    exec::GpuKernelCode &kernel = code.kernels[texts[i].name];
    kernel.ptx = std::move(texts[i].ptx);
    if (!cubins)
      continue;
    const codegen::Cubin &cubin = (*cubins)[i];
    kernel.cubin = cubin.image;
    addRemarks(texts[i].name, cubin.report, remarks);
    for (const codegen::KernelResources &resources : cubin.report.kernels) {
      kernel.registers = resources.registers;
      kernel.spillBytes = resources.spillStoreBytes + resources.spillLoadBytes;
      kernel.staticSharedBytes = resources.staticSharedBytes;
    }
  }
  return code;
}

} // namespace k3
