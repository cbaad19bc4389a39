//===- k3-compile.cpp - A model directory or a graph becomes a package -----===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Pipeline/Compiler.h"
#include "lib/Pipeline/Phases.h"
#include "lib/Support/AtomicFile.h"
#include "lib/Support/Text.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static cl::OptionCategory category("k3-compile options");

static cl::opt<std::string> input(cl::Positional, cl::desc("<model directory | file.mlir | ->"), cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("Output file, - for standard output"), cl::value_desc("file"),
                                   cl::init("-"), cl::cat(category));
static cl::opt<std::string> target("target", cl::desc("What the package runs on: host, or a GPU such as h200, b200, rtx5090, sm_90a"), cl::init("host"), cl::cat(category));
static cl::opt<std::string> isaLevel("isa", cl::desc("x86-64 level of the host target (default x86-64-v3)"), cl::init("x86-64-v3"),
                                cl::cat(category));
static cl::opt<std::string> precision("precision", cl::desc("Precision of activations and state: f32 on the host, bf16 on a GPU"), cl::init(""),
                                      cl::cat(category));
static cl::opt<k3::Emit> emit(
    "emit", cl::desc("What to write:"), cl::init(k3::Emit::Package), cl::cat(category),
    cl::values(clEnumValN(k3::Emit::K3, "k3", "the imported model, k3 dialect"),
               clEnumValN(k3::Emit::Exec, "exec", "the programs, exec dialect, and their kernels"),
               clEnumValN(k3::Emit::Tile, "tile", "the GPU kernels, tile dialect"),
               clEnumValN(k3::Emit::Ptx, "ptx", "the GPU kernels as PTX"),
               clEnumValN(k3::Emit::Cubin, "cubin", "the GPU kernels as machine code"),
               clEnumValN(k3::Emit::Llvm, "llvm", "the kernels as optimised LLVM IR"),
               clEnumValN(k3::Emit::Object, "obj", "the kernels as an ELF object"),
               clEnumValN(k3::Emit::Package, "package", "the package (default)")));
static cl::opt<int64_t> maxTokens("max-tokens", cl::desc("Tokens of one step (default 256)"), cl::cat(category));
static cl::opt<int64_t> maxSeqs("max-seqs", cl::desc("Sequences of one step (default 8)"), cl::cat(category));
static cl::opt<int64_t> maxContext("max-context", cl::desc("Tokens of one sequence (default: the model's, at most 4096)"),
                                   cl::cat(category));
static cl::opt<bool> allLogits("all-logits", cl::desc("Room for the logits of every token of a step"), cl::cat(category));
static cl::opt<std::string> taps("taps", cl::desc("Tensors that k3-run can dump or replace, by name"), cl::value_desc("regex"),
                                 cl::cat(category));
static cl::opt<std::string> saveTemps("save-temps", cl::desc("Write the module after every phase here"), cl::value_desc("dir"),
                                      cl::cat(category));
static cl::opt<std::string> compileTo("compile-to", cl::desc("Stop after this phase and write its module"),
                                      cl::value_desc("phase"), cl::cat(category));
static cl::opt<unsigned> optLevel("O", cl::desc("Optimisation of the kernels, 0 to 3 (default 2)"), cl::Prefix, cl::init(2),
                                  cl::cat(category));

static cl::opt<std::string> ptxas("ptxas", cl::desc("Assemble GPU kernels with this ptxas and nothing else"), cl::value_desc("file"),
                                  cl::cat(category));
static cl::opt<std::string> cacheDir("cache-dir", cl::desc("Where machine code is kept between runs (default: the user's cache folder)"),
                                     cl::value_desc("dir"), cl::cat(category));
static cl::opt<bool> noCache("no-cache", cl::desc("Assemble every kernel anew"), cl::cat(category));
static cl::opt<std::string> werror("Werror", cl::desc("Remarks that are errors: perf (spills, serialised wgmma)"), cl::value_desc("kind"),
                                   cl::cat(category));
static cl::opt<bool> lineInfo("line-info", cl::desc("Source lines in GPU kernels, for profilers"), cl::cat(category));

/// One line on standard error; 2 for bad usage, 1 for any other failure.
static int fail(const k3::Status &status) {
  errs() << "k3-compile: " << k3::printable(status.text()) << "\n";
  return status.code() == k3::Code::BadUsage ? 2 : 1;
}

static int usage(const Twine &what) { return fail(k3::badUsage(what.str() + "; k3-compile --help lists the flags")); }

int main(int argc, char **argv) {
  k3::reserveStandardStreams();
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](raw_ostream &os) { os << "k3-compile " K3_VERSION "\n"; });
  std::string overview = "Compiles a Kimi K3 model directory (config.json and safetensors) or a graph of k3 IR.\n\nPhases of --compile-to:\n";
  for (const k3::Phase &phase : k3::phases())
    overview += "  " + (phase.name + std::string(12 - phase.name.size(), ' ') + phase.description + "\n").str();
  std::string errors;
  raw_string_ostream errorStream(errors);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &errorStream)) {
    StringRef first = StringRef(errors).split('\n').first;
    if (first.empty()) // a value that an option refused; it has printed its line
      return 2;
    if (!first.consume_front(argv[0]))
      first.consume_front(sys::path::filename(argv[0]));
    first.consume_front(": ");
    return usage(first.split(".  Try:").first);
  }
  if (input.empty())
    return usage("no input; expected a model directory, an .mlir file or -");
  for (const cl::opt<int64_t> *limit : {&maxTokens, &maxSeqs, &maxContext})
    if (limit->getNumOccurrences() && *limit < 1)
      return usage("--" + limit->ArgStr + "=" + Twine(int64_t(*limit)) + ": expected at least 1");
  if (optLevel > 3)
    return usage("-O" + Twine(unsigned(optLevel)) + ": expected 0 to 3");

  k3::CompileOptions options;
  options.input = input;
  options.output = output;
  options.target = target;
  options.isa = isaLevel;
  options.precision = precision;
  options.emit = emit;
  options.maxTokens = maxTokens;
  options.maxSeqs = maxSeqs;
  options.maxContext = maxContext;
  options.allLogits = allLogits;
  options.taps = taps;
  options.saveTemps = saveTemps;
  options.stopAfter = compileTo;
  options.optLevel = optLevel;
  if (!werror.empty() && werror != "perf")
    return usage("--Werror=" + werror + ": expected perf");
  options.ptxas = ptxas;
  options.cacheDir = cacheDir;
  options.cache = !noCache;
  options.perfIsError = werror == "perf";
  options.lineInfo = lineInfo;
  k3::CompileReport report;
  k3::Status status = k3::compile(options, report);
  for (const std::string &remark : report.remarks)
    errs() << "k3-compile: " << remark << "\n";
  if (status.ok())
    return 0;
  int code = fail(status);
  if (!report.rerun.empty())
    errs() << "k3-compile: to run the failed phase again: " << report.rerun << "\n";
  return code;
}
