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
#include "frontend/HuggingFace/Import.h"
#include "lib/Arch/Cpu.h"
#include "lib/Codegen/HostObject.h"
#include "lib/Package/Package.h"
#include "lib/Pipeline/PackageBuilder.h"
#include "lib/Pipeline/Phases.h"
#include "lib/Support/AtomicFile.h"
#include "lib/Support/Text.h"
#include "passes/Host/Passes.h"

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
    } else {
      report.remarks.push_back(text);
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
    if (options.target != "host")
      return unsupported("--target=" + options.target + ": this compiler has the target host");
    if (options.precision != "f32")
      return unsupported("--precision=" + options.precision + ": the host target computes in f32");
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
    if (module->getOps<func::FuncOp>().empty())
      return badInput(options.input + ": no function to compile; expected @step, or a graph of k3 ops in any function");
    Builder b(&context);
    if (!(*module)->hasAttr(K3Dialect::kVersionAttr))
      (*module)->setAttr(K3Dialect::kVersionAttr, b.getI64IntegerAttr(K3Dialect::kVersion));
    setLimits();
    return Status::success();
  }

  Status importDirectory() {
    ImportOptions import;
    import.precision = options.precision;
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
    StringRef last = options.stopAfter.empty() ? StringRef(options.emit == Emit::K3 ? "import" : "arena") : StringRef(options.stopAfter);
    unsigned number = 0;
    for (const Phase &phase : phases()) {
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
    report.rerun = "k3-opt " + path.str().str() + " " + flags;
    return badInput(text);
  }

  Status write() {
    if (options.emit == Emit::K3 || options.emit == Emit::Exec || !options.stopAfter.empty())
      return writeFile(options.output, printed(*module));

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
  std::string firstError;
  unsigned errors = 0;
};

} // namespace

Status compile(const CompileOptions &options, CompileReport &report) { return Compilation(options, report).run(); }

} // namespace k3
