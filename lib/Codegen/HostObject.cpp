//===- HostObject.cpp - MLIR kernels to x86-64 machine code ----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Codegen/HostObject.h"
#include "lib/Codegen/Guard.h"
#include "passes/Host/Kernels/LowerGridAbi.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <mutex>

using namespace mlir;

namespace k3::codegen {

namespace {

/// One translation: the LLVM module and the machine it is for.
struct Translation {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

} // namespace

static LogicalResult makeMachine(Translation &t, Location loc, const HostObjectOptions &options) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  if (llvm::X86::parseArchX86(options.isa, /*Only64Bit=*/true) == llvm::X86::CK_None)
    return emitError(loc) << "host code: unknown ISA level '" << options.isa
                          << "', expected an LLVM cpu name such as x86-64-v3";
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return emitError(loc) << "host code: this LLVM has no x86-64 back end (" << message << ")";
  llvm::TargetOptions targetOptions;
  // Only what the kernels spell as fma is fused.
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  auto level = options.optLevel == 0   ? llvm::CodeGenOptLevel::None
               : options.optLevel == 1 ? llvm::CodeGenOptLevel::Less
               : options.optLevel == 2 ? llvm::CodeGenOptLevel::Default
                                       : llvm::CodeGenOptLevel::Aggressive;
  t.machine.reset(target->createTargetMachine(triple, options.isa, /*Features=*/"", targetOptions,
                                              llvm::Reloc::PIC_, std::nullopt, level));
  return success();
}

static void optimise(Translation &t, unsigned optLevel) {
  for (llvm::Function &function : *t.module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", t.machine->getTargetCPU());
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(t.machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  auto level = optLevel == 1   ? llvm::OptimizationLevel::O1
               : optLevel == 2 ? llvm::OptimizationLevel::O2
                               : llvm::OptimizationLevel::O3;
  llvm::ModulePassManager passes = optLevel == 0 ? builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
                                                 : builder.buildPerModuleDefaultPipeline(level);
  passes.run(*t.module, modules);
}

/// Lowers a copy of `kernels`, translates and optimises it.
static LogicalResult translate(Translation &t, ModuleOp kernels, const HostObjectOptions &options) {
  Location loc = kernels.getLoc();
  if (failed(makeMachine(t, loc, options)))
    return failure();
  MLIRContext *context = kernels.getContext();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context->appendDialectRegistry(registry);

  OwningOpRef<ModuleOp> lowered = kernels.clone();
  PassManager pm(context);
  host::buildHostLoweringPipeline(pm);
  if (failed(pm.run(*lowered)))
    return failure();
  bool translated = false;
  std::string crash = guarded([&] {
    t.module = translateModuleToLLVMIR(*lowered, t.context, "k3_kernels");
    if (!t.module)
      return;
    translated = true;
    t.module->setTargetTriple(t.machine->getTargetTriple());
    t.module->setDataLayout(t.machine->createDataLayout());
    optimise(t, options.optLevel);
  });
  if (!crash.empty())
    return emitError(loc) << "host code: LLVM failed: " << crash;
  if (!translated)
    return emitError(loc) << "host code: a kernel could not be translated to LLVM IR";
  return success();
}

FailureOr<std::string> emitHostLlvm(ModuleOp kernels, const HostObjectOptions &options) {
  Translation t;
  if (failed(translate(t, kernels, options)))
    return failure();
  std::string text;
  llvm::raw_string_ostream(text) << *t.module;
  return text;
}

FailureOr<std::vector<char>> emitHostObject(ModuleOp kernels, const HostObjectOptions &options) {
  Translation t;
  if (failed(translate(t, kernels, options)))
    return failure();
  llvm::SmallVector<char, 0> bytes;
  bool supported = true;
  std::string crash = guarded([&] {
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    supported = !t.machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile);
    if (supported)
      passes.run(*t.module);
  });
  if (!crash.empty() || !supported)
    return emitError(kernels.getLoc()) << "host code: no machine code for " << options.isa << ": "
                                       << (supported ? crash : "no object emission");
  return std::vector<char>(bytes.begin(), bytes.end());
}

FailureOr<std::vector<char>> compileHostObject(ModuleOp kernels, const HostObjectOptions &options) {
  auto object = emitHostObject(kernels, options);
  if (failed(object))
    return failure();
  return linkHostObject(kernels.getLoc(), *object, options);
}

} // namespace k3::codegen
