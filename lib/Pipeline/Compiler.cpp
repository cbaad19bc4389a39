//===- Compiler.cpp - From a model to a package ---------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Pipeline/Compiler.h"

#include "dialects/Exec/ExecOps.h"
#include "dialects/K3/K3Ops.h"
#include "dialects/Tile/TileOps.h"
#include "frontend/HuggingFace/Import.h"
#include "lib/Arch/Cpu.h"
#include "lib/Arch/Gpu.h"
#include "lib/Codegen/HostObject.h"
#include "lib/Package/Package.h"
#include "lib/Pipeline/GpuCompiler.h"
#include "lib/Pipeline/PackageBuilder.h"
#include "lib/Pipeline/Phases.h"
#include "lib/Support/AtomicFile.h"
#include "lib/Support/Text.h"
#include "passes/Host/Passes.h"
#include "passes/Kernels/Select/Passes.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace k3 {

namespace {

std::string printed(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // Names of values live in locations, so they are part of the text.
  module.print(os, OpPrintingFlags().enableDebugInfo(true, /*prettyForm=*/false));
  os << "\n";
  return text;
}

class Compilation {
public:
  Compilation(const CompileOptions &options, CompileReport &report) : options(options), report(report), context(registry()) {
    context.loadAllAvailableDialects();
  }

  Status run() {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { return collect(diagnostic); });
    K3_TRY(check());
    K3_TRY(import());
    K3_TRY(runPhases());
    return write();
  }

private:
  static const DialectRegistry &registry() {
    static const DialectRegistry all = [] {
      DialectRegistry dialects;
      registerK3Dialects(dialects);
      return dialects;
    }();
    return all;
  }

  /// The first error and how many followed; remarks and warnings pass to the user.
  LogicalResult collect(Diagnostic &diagnostic) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (auto file = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
      os << file.getFilename().getValue() << ":" << file.getLine() << ":" << file.getColumn() << ": ";
    else if (auto name = dyn_cast<NameLoc>(diagnostic.getLocation()))
      os << name.getName().getValue() << ": ";
    os << diagnostic.str();
    for (char &c : text)
      if (c == '\n')
        c = ' ';
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      if (errors++ == 0)
        firstError = text;
    } else if (diagnostic.getSeverity() != DiagnosticSeverity::Remark) {
      report.remarks.push_back(text); // What passes remark (fences that they insert) is for k3-opt.
    }
    return success();
  }

  std::string errorText(const std::string &otherwise) const {
    std::string text = errors ? firstError : otherwise;
    if (errors > 1)
      text += " (and " + std::to_string(errors - 1) + " more)";
    return text;
  }

  Status check() const {
    K3_TRY(checkTarget());
    if (!arch::parseIsa(options.isa))
      return badUsage("--isa=" + options.isa + ": known are " + join(arch::isaNames(), ", "));
    if (!options.stopAfter.empty() && !findPhase(options.stopAfter)) {
      std::string names;
      for (const Phase &phase : phases())
        names += (names.empty() ? "" : ", ") + phase.name.str();
      return badUsage("--compile-to=" + options.stopAfter + ": phases are " + names);
    }
    if (std::string error; !options.taps.empty() && !llvm::Regex(options.taps).isValid(error))
      return badUsage("--taps=" + options.taps + ": not a regular expression (" + error + ")");
    return Status::success();
  }

  bool isHost() const { return options.target == "host"; }
  std::string precision() const { return !options.precision.empty() ? options.precision : isHost() ? "f32" : "bf16"; }

  Status checkTarget() const {
    auto only = [&](bool allowed, const std::string &what, const char *expected) {
      return allowed ? Status::success() : badUsage(what + ": --target=" + options.target + " has " + expected);
    };
    if (isHost()) {
      if (precision() != "f32")
        return unsupported("--precision=" + precision() + ": the host target computes in f32");
      return only(!llvm::is_contained({Emit::Tile, Emit::Ptx, Emit::Cubin}, options.emit), "--emit=tile|ptx|cubin",
                  "no GPU kernels; name a GPU, such as --target=h200");
    }
    Expected<arch::GpuTarget> gpu = arch::findGpu(options.target);
    if (!gpu)
      return badUsage("--target=" + options.target + ": host, or a GPU: " + gpu.status().text());
    if (precision() != "bf16")
      return unsupported("--precision=" + precision() + ": GPU targets compute in bf16");
    return only(options.emit != Emit::Object && options.emit != Emit::Llvm, "--emit=obj|llvm", "no host code; --emit=tile, ptx or cubin");
  }

  Status import() {
    if (options.input != "-" && llvm::sys::fs::is_directory(options.input))
      return importDirectory();
    llvm::SourceMgr sources;
    auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options.input);
    if (!buffer)
      return ioError(options.input + ": cannot be read (" + buffer.getError().message() +
                     "); expected a model directory or an .mlir file");
    sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
    module = parseSourceFile<ModuleOp>(sources, &context);
    if (!module)
      return badInput(errorText(options.input + ": not a module of k3 IR"));
    if (module->getOps<func::FuncOp>().empty()) {
      if (isHost() || module->getOps<tile::KernelOp>().empty())
        return badInput(options.input + ": no function to compile; expected @step, or a graph of k3 ops in any function" +
                        (isHost() ? "" : ", or tile.kernels"));
      return wrapKernels();
    }
    Builder b(&context);
    if (!(*module)->hasAttr(K3Dialect::kVersionAttr))
      (*module)->setAttr(K3Dialect::kVersionAttr, b.getI64IntegerAttr(K3Dialect::kVersion));
    setLimits();
    return Status::success();
  }

  /// Kernels without a program: written out as tile, ptx or cubin.
  Status wrapKernels() {
    if (!llvm::is_contained({Emit::Tile, Emit::Ptx, Emit::Cubin}, options.emit))
      return badUsage(options.input + ": has tile kernels and no function; --emit=tile, ptx or cubin writes them");
    auto kernels = ModuleOp::create(module->getLoc(), kGpuKernels);
    for (auto kernel : llvm::make_early_inc_range(module->getOps<tile::KernelOp>())) {
      kernel->remove();
      kernels.push_back(kernel);
    }
    module->push_back(kernels);
    firstPhase = "tile";
    return Status::success();
  }

  Status importDirectory() {
    ImportOptions import;
    import.precision = precision();
    if (options.maxTokens)
      import.maxTokens = options.maxTokens;
    if (options.maxSeqs)
      import.maxSeqs = options.maxSeqs;
    import.maxContext = options.maxContext;
    import.allLogits = options.allLogits;
    ImportReport imported;
    K3_ASSIGN(module, importHuggingFace(context, options.input, import, &imported));
    llvm::append_range(report.remarks, imported.remarks);
    return Status::success();
  }

  /// Flags override what a stored module says of its limits.
  void setLimits() {
    Builder b(&context);
    NamedAttrList limits((*module)->getAttrOfType<DictionaryAttr>(K3Dialect::kLimitsAttr));
    auto set = [&](StringRef name, int64_t value, int64_t otherwise) {
      if (value || !limits.get(name))
        limits.set(name, b.getI64IntegerAttr(value ? value : otherwise));
    };
    ImportOptions defaults;
    set("max_tokens", options.maxTokens, defaults.maxTokens);
    set("max_seqs", options.maxSeqs, defaults.maxSeqs);
    set("max_context", options.maxContext, 4096);
    if (options.allLogits || !limits.get("all_logits"))
      limits.set("all_logits", b.getBoolAttr(options.allLogits));
    (*module)->setAttr(K3Dialect::kLimitsAttr, limits.getDictionary(&context));
  }

  Status runPhases() {
    PhaseOptions phaseOptions;
    phaseOptions.taps = options.taps;
    phaseOptions.target = options.target;
    StringRef last = !options.stopAfter.empty()    ? StringRef(options.stopAfter)
                     : options.emit == Emit::K3    ? "import"
                     : llvm::is_contained({Emit::Tile, Emit::Ptx, Emit::Cubin}, options.emit) ? "tile"
                                                                                              : "arena";
    unsigned number = 0;
    for (const Phase &phase : phases()) {
      // What comes before the first phase has nothing to do.
      if (!firstPhase.empty() && number < indexOf(firstPhase)) {
        ++number;
        continue;
      }
      OwningOpRef<ModuleOp> before = module->clone();
      PassManager pm(&context);
      phase.build(pm, phaseOptions);
      if (failed(pm.run(*module)))
        return reproducer(phase, *before);
      if (!options.saveTemps.empty())
        K3_TRY(saveTemp((number < 10 ? "0" : "") + std::to_string(number) + "." + phase.name.str() + ".mlir"));
      ++number;
      if (phase.name == last)
        break;
    }
    return Status::success();
  }

  static unsigned indexOf(StringRef name) { return findPhase(name) - phases().data(); }

  Status saveTemp(const std::string &name) {
    if (std::error_code error = llvm::sys::fs::create_directories(options.saveTemps))
      return ioError("--save-temps=" + options.saveTemps + ": cannot be created (" + error.message() + ")");
    return writeFile(options.saveTemps + "/" + name, printed(*module));
  }

  /// The failure, and how to see it again.
  Status reproducer(const Phase &phase, ModuleOp before) {
    std::string text = errorText("phase " + phase.name.str() + " failed");
    llvm::SmallString<128> path;
    if (llvm::sys::fs::createTemporaryFile("k3-" + phase.name, "mlir", path) || !writeFile(path.str().str(), printed(before)).ok())
      return badInput(text);
    std::string flags = "--k3-phase-" + phase.name.str();
    if (phase.name == "tap")
      flags += "=\"taps=" + options.taps + "\"";
    if (!isHost())
      flags += "=target=" + options.target;
    report.rerun = "k3-opt " + path.str().str() + " " + flags;
    return badInput(text);
  }

  Status write() {
    if (options.emit == Emit::K3 || options.emit == Emit::Exec || !options.stopAfter.empty())
      return writeFile(options.output, printed(*module));
    return isHost() ? writeHost() : writeGpu();
  }

  Status writeGpu() {
    auto kernels = module->lookupSymbol<ModuleOp>(kGpuKernels);
    if (options.emit == Emit::Tile)
      return writeFile(options.output, text(kernels));
    GpuOptions gpu{options.target, options.ptxas, options.cache, options.cacheDir, options.perfIsError, options.lineInfo};
    if (options.emit == Emit::Package) {
      Expected<exec::GpuCode> code = compileGpuKernels(kernels, gpu, report.remarks);
      if (!code)
        return errors ? badInput(errorText("")) : code.takeStatus();
      Expected<fb::PackageT> package = buildPackage(*module, {}, options.isa, &*code);
      if (!package)
        return errors ? internalError(errorText("")) : package.takeStatus();
      package->precision = precision();
      for (auto kernel : module->getOps<exec::KernelOp>())
        if (auto problem = kernel->getAttrOfType<StringAttr>(kProblemAttr)) {
          auto entry = std::make_unique<fb::KeyValueT>();
          entry->key = "kernel." + kernel.getSymName().str();
          entry->value = problem.str();
          package->meta.push_back(std::move(entry));
        }
      return writePackage(*package, options.output);
    }
    FailureOr<std::string> ptx = emitTilePtx(kernels, gpu);
    if (failed(ptx))
      return internalError(errorText("the kernels cannot be lowered to PTX"));
    if (options.emit == Emit::Ptx)
      return writeFile(options.output, *ptx);
    K3_ASSIGN(codegen::Cubin cubin, assembleTilePtx(options.input, *ptx, gpu, report.remarks));
    return writeFile(options.output, std::string_view(cubin.image.data(), cubin.image.size()));
  }

  /// Without locations: kernels are read.
  static std::string text(ModuleOp kernels) {
    std::string text;
    llvm::raw_string_ostream os(text);
    kernels.print(os);
    os << "\n";
    return text;
  }

  Status writeHost() {
    codegen::HostObjectOptions host;
    host.isa = options.isa;
    host.optLevel = options.optLevel;
    host.tempDir = options.saveTemps;
    auto kernels = module->lookupSymbol<ModuleOp>(kHostKernels);
    if (options.emit == Emit::Llvm) {
      FailureOr<std::string> text = codegen::emitHostLlvm(kernels, host);
      return failed(text) ? internalError(errorText("the kernels cannot be translated to LLVM IR")) : writeFile(options.output, *text);
    }
    FailureOr<std::vector<char>> bytes =
        options.emit == Emit::Object ? codegen::emitHostObject(kernels, host) : codegen::compileHostObject(kernels, host);
    if (failed(bytes))
      return internalError(errorText("the kernels cannot be compiled"));
    if (options.emit == Emit::Object)
      return writeFile(options.output, std::string_view(bytes->data(), bytes->size()));
    Expected<fb::PackageT> package = buildPackage(*module, *bytes, options.isa);
    if (!package)
      return errors ? internalError(errorText("")) : package.takeStatus();
    return writePackage(*package, options.output);
  }

  const CompileOptions &options;
  CompileReport &report;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string firstPhase; ///< Where the phases begin; empty: with the first.
  std::string firstError;
  unsigned errors = 0;
};

} // namespace

Status compile(const CompileOptions &options, CompileReport &report) { return Compilation(options, report).run(); }

} // namespace k3
