//===- k3-lowered-opt.cpp - The dialects that kernels are lowered to, and no others ------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests: what passes/Lower leaves behind of other dialects does not parse here. With --ptx or --assemble
// the module goes on through lib/Codegen; what slows a kernel down (spills, serialised wgmma) is then an
// error.
//
//===----------------------------------------------------------------------===//

#include "lib/Codegen/GpuCubin.h"
#include "lib/Codegen/GpuPtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::opt<std::string> input(cl::Positional, cl::desc("<module>"), cl::init("-"));
  cl::opt<std::string> arch("arch", cl::desc("architecture of the PTX"), cl::init("sm_90a"));
  cl::opt<bool> ptx("ptx", cl::desc("print PTX instead of the module"));
  cl::opt<bool> assemble("assemble", cl::desc("print what every kernel needs instead of the module"));
  cl::opt<std::string> cubin("cubin", cl::desc("with --assemble: write the machine code to this file"));
  cl::ParseCommandLineOptions(argc, argv, "k3-lowered-opt: parses lowered kernels\n");

  mlir::DialectRegistry registry;
  registry.insert<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect, mlir::arith::ArithDialect>();
  mlir::MLIRContext context(registry);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(input, &context);
  if (!module)
    return 1;
  if (!ptx && !assemble) {
    llvm::outs() << *module << "\n";
    return 0;
  }
  k3::codegen::GpuPtxOptions options;
  options.arch = arch;
  mlir::FailureOr<std::string> text = k3::codegen::emitGpuPtx(*module, options);
  if (mlir::failed(text))
    return 1;
  if (ptx)
    llvm::outs() << *text;
  if (!assemble)
    return 0;
  k3::codegen::PtxKernel kernel{"module", arch, *text};
  k3::Expected<k3::codegen::Cubin> code = k3::codegen::assemblePtx(kernel);
  k3::Status status = code ? k3::codegen::rejectPerfRemarks(kernel, code->report) : code.status();
  if (!status.ok()) {
    llvm::errs() << status.text() << "\n";
    return 1;
  }
  for (const k3::codegen::KernelResources &resources : code->report.kernels)
    llvm::outs() << resources.kernel << ": " << resources.registers << " registers, "
                 << resources.spillStoreBytes << " bytes spilled\n";
  if (cubin.empty())
    return 0;
  std::error_code error;
  llvm::raw_fd_ostream file(cubin, error);
  file << llvm::StringRef(code->image.data(), code->image.size());
  file.close();
  if (error || file.has_error()) {
    llvm::errs() << cubin << ": cannot be written\n";
    return 1;
  }
  return 0;
}
