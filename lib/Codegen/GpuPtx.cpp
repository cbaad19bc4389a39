//===- GpuPtx.cpp - MLIR kernels to PTX ----------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Codegen/GpuPtx.h"
#include "lib/Codegen/Guard.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

using namespace mlir;

namespace k3::codegen {

namespace {

/// One translation: the LLVM module, the machine it is for, and what is needed to explain a failure.
struct Translation {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  std::string problem;                             ///< First error LLVM reported politely.
  llvm::MapVector<StringRef, std::string> callers; ///< Intrinsic -> first function that uses it.
  std::string functions;                           ///< All with a body, for messages.
};

} // namespace

static LogicalResult makeMachine(Translation &t, Location loc, const GpuPtxOptions &options) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return emitError(loc) << "GPU code: this LLVM has no NVPTX back end (" << message << ")";
  std::unique_ptr<llvm::MCSubtargetInfo> known(target->createMCSubtargetInfo(triple, "", ""));
  if (!known || !known->isCPUStringValid(options.arch))
    return emitError(loc) << "GPU code: unknown architecture '" << options.arch
                          << "', expected one such as sm_90a";
  std::string features = options.ptxIsa ? "+ptx" + std::to_string(options.ptxIsa) : "";
  if (options.ptxIsa && llvm::none_of(known->getAllProcessorFeatures(),
                                      [&](const auto &feature) { return features.substr(1) == feature.Key; }))
    return emitError(loc) << "GPU code: unknown PTX version " << options.ptxIsa
                          << ", expected ten times the version, such as 90";
  llvm::TargetOptions targetOptions;
  // Only what the kernels spell as fma is fused; the back end then writes .rn, which ptxas does not fuse
  // either.
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  // A PTX version too old for the architecture is a fatal error.
  std::string crash = guarded([&] {
    t.machine.reset(target->createTargetMachine(triple, options.arch, features, targetOptions, std::nullopt,
                                                std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  });
  if (!crash.empty())
    return emitError(loc) << "GPU code: " << options.arch << ": " << StringRef(crash).split('\n').first;
  return success();
}

/// Also marks assembly with effects: MLIR cannot say that warps must stay together around wgmma and barriers.
static void rememberFunctions(Translation &t) {
  for (llvm::Function &function : *t.module) {
    if (function.isDeclaration())
      continue;
    t.functions += (t.functions.empty() ? "'" : ", '") + function.getName().str() + "'";
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        if (auto *text = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()); text && text->hasSideEffects())
          call->setConvergent();
        if (llvm::Function *callee = call->getCalledFunction(); callee && callee->isIntrinsic())
          t.callers.insert({callee->getName(), function.getName().str()});
      }
  }
}

/// Reports a fatal error of the back end: one line, at the function it was in, which LLVM seldom names.
static LogicalResult reportCrash(const Translation &t, ModuleOp kernels, StringRef crash,
                                 const GpuPtxOptions &options) {
  StringRef line = crash.split('\n').first;
  std::string function, what = line.str();
  if (StringRef intrinsic = line; intrinsic.consume_front("Cannot select: intrinsic %")) {
    if (auto caller = t.callers.find(intrinsic); caller != t.callers.end())
      function = caller->second;
    what = "the architecture has no " + intrinsic.str() +
           "; use an operation that it has, or another architecture";
  } else if (size_t at = crash.find("In function: "); at != StringRef::npos) {
    function = crash.substr(at + 13).split('\n').first.trim().str();
  }
  std::string names = function.empty() ? t.functions : "'" + function + "'";
  Operation *symbol = function.empty() ? nullptr : kernels.lookupSymbol(function);
  return emitError(symbol ? symbol->getLoc() : kernels.getLoc())
         << "GPU code: " << names << " for " << options.arch << ": " << what;
}

/// Lowers a copy of `kernels` and translates it. A crash leaves nothing to free safely: see `run`.
static LogicalResult translate(Translation &t, ModuleOp kernels, const GpuPtxOptions &options,
                               std::string &crash) {
  if (failed(makeMachine(t, kernels.getLoc(), options)))
    return failure();
  t.context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *info, void *text) {
        auto &problem = *static_cast<std::string *>(text);
        if (info->getSeverity() != llvm::DS_Error || !problem.empty())
          return;
        llvm::raw_string_ostream stream(problem);
        llvm::DiagnosticPrinterRawOStream printer(stream);
        info->print(printer);
      },
      &t.problem);
  MLIRContext *context = kernels.getContext();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  context->appendDialectRegistry(registry);

  OwningOpRef<ModuleOp> lowered = kernels.clone();
  PassManager pm(context);
  pm.addPass(createConvertNVVMToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  if (options.lineInfo) {
    LLVM::DIScopeForLLVMFuncOpPassOptions scope;
    scope.emissionKind = LLVM::DIEmissionKind::LineTablesOnly;
    pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass(scope));
  }
  if (failed(pm.run(*lowered)))
    return failure();
  crash = guarded([&] {
    t.module = translateModuleToLLVMIR(*lowered, t.context, "k3_kernels");
    if (!t.module)
      return;
    t.module->setTargetTriple(t.machine->getTargetTriple());
    t.module->setDataLayout(t.machine->createDataLayout());
    rememberFunctions(t);
  });
  if (!crash.empty())
    return failure();
  return t.module ? success()
                  : emitError(kernels.getLoc()) << "GPU code: a kernel could not be translated to LLVM IR";
}

/// `translate`, then `emit` under guard.
static LogicalResult run(ModuleOp kernels, const GpuPtxOptions &options,
                         llvm::function_ref<bool(Translation &)> emit) {
  auto t = std::make_unique<Translation>();
  std::string crash;
  bool supported = true;
  bool translated = succeeded(translate(*t, kernels, options, crash));
  if (!translated && crash.empty())
    return failure();
  if (translated)
    crash = guarded([&] { supported = emit(*t); });
  if (!crash.empty()) {
    LogicalResult reported = reportCrash(*t, kernels, crash, options);
    // Passes left in the middle still point into the module: freeing it would follow those pointers.
    (void)t.release();
    return reported;
  }
  if (!supported)
    return emitError(kernels.getLoc()) << "GPU code: this LLVM writes no PTX";
  if (!t->problem.empty())
    return emitError(kernels.getLoc())
           << "GPU code: " << options.arch << ": " << StringRef(t->problem).split('\n').first;
  return success();
}

FailureOr<std::string> emitGpuLlvm(ModuleOp kernels, const GpuPtxOptions &options) {
  std::string text;
  LogicalResult result = run(kernels, options, [&](Translation &t) {
    llvm::raw_string_ostream(text) << *t.module;
    return true;
  });
  if (failed(result))
    return failure();
  return text;
}

FailureOr<std::string> emitGpuPtx(ModuleOp kernels, const GpuPtxOptions &options) {
  llvm::SmallString<0> text;
  LogicalResult result = run(kernels, options, [&](Translation &t) {
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager passes;
    if (t.machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
      return false;
    passes.run(*t.module);
    return true;
  });
  if (failed(result))
    return failure();
  return text.str().str();
}

} // namespace k3::codegen
