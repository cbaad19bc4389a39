//===- k3-emulate.cpp - Runs a tile kernel on the CPU and judges it --------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// k3-emulate gemm.mlir --prepare=h200 --grid=4 --arg=64 --arg=random:1:100x128 ... [--output=out.safetensors]
//
// k3-emulate tile.mlir --package=m.k3x [--graph=NAME] [--rows=33]     the graphs of a package, tile.mlir by
// --emit=tile
//
// Prints what was found under all seeds, a line each, and exits with 1 if that is anything.
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Launch.h"
#include "lib/Safetensors/Writer.h"
#include "passes/Tile/Passes.h"
#include "tools/emulate/PackageRun.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <ctime>

using namespace k3;
namespace cl = llvm::cl;

static cl::OptionCategory category("k3-emulate");
static cl::opt<std::string> input(cl::Positional, cl::desc("FILE.mlir"), cl::Required, cl::cat(category));
static cl::opt<std::string> kernelName("kernel", cl::desc("which kernel; default: the only one"),
                                       cl::cat(category));
static cl::opt<std::string> prepare("prepare", cl::desc("first run k3-tile-prepare for this architecture"),
                                    cl::cat(category));
static cl::list<unsigned> grid("grid", cl::desc("CTAs along x[,y[,z]]"), cl::CommaSeparated,
                               cl::cat(category));
static cl::list<std::string>
    words("arg",
          cl::desc("argument, in order, maps left out: 64, zeros:2x3, random:SEED:2x3[:SCALE], "
                   "poison:2x3, iota:2x3, ones:2x3, FILE.safetensors#NAME"),
          cl::cat(category));
static cl::opt<unsigned> seeds("seeds", cl::desc("schedules to try"), cl::init(4), cl::cat(category));
static cl::opt<bool> noRaces("no-races", cl::desc("values and deadlocks only"), cl::cat(category));
static cl::opt<bool>
    dependent("dependent",
              cl::desc("launched while a kernel ahead still writes the views that are no constants"),
              cl::cat(category));
static cl::opt<std::string> output("output",
                                   cl::desc("safetensors file for all views after the run: arg0, arg1, .."),
                                   cl::cat(category));
static cl::opt<bool> figures("figures", cl::desc("figures of the run"), cl::cat(category));

static cl::opt<std::string>
    package("package", cl::desc("run the graphs of this package, whose tile kernels FILE.mlir holds"),
            cl::cat(category));
static cl::opt<std::string> graph("graph", cl::desc("with --package: only this graph"), cl::cat(category));
static cl::opt<int64_t> rows("rows", cl::desc("with --package: rows of the inputs"), cl::init(33),
                             cl::cat(category));
static cl::opt<std::string> weights("weights", cl::desc("with --package: checkpoint, or random:SEED"),
                                    cl::init("random:1"), cl::cat(category));

static int fail(const std::string &text) {
  llvm::errs() << "k3-emulate: " << text << "\n";
  return 2;
}

static std::optional<DType> dtypeOf(mlir::Type type) {
  if (type.isBF16())
    return DType::BF16;
  if (type.isF16())
    return DType::F16;
  if (type.isF32())
    return DType::F32;
  if (type.isInteger(32))
    return DType::I32;
  if (type.isInteger(16))
    return DType::I16;
  if (type.getIntOrFloatBitWidth() == 8)
    return DType::U8;
  return std::nullopt;
}

static Status writeOutputs(const emu::BoundLaunch &launch, tile::KernelOp kernel) {
  SafetensorsWriter writer;
  for (size_t b = 0; b < launch.blocks.size(); ++b) {
    unsigned argument = launch.viewArguments[b];
    auto dtype = dtypeOf(mlir::cast<tile::ViewType>(kernel.getArgumentTypes()[argument]).getElementType());
    if (!dtype)
      continue;
    K3_TRY(writer.add(
        "arg" + std::to_string(argument), *dtype, launch.shapes[b],
        std::as_bytes(std::span<const uint8_t>(launch.blocks[b]->data(), launch.blocks[b]->size))));
  }
  return writer.write(output);
}

/// Whether an output differs from that of the first seed: then something decides by luck.
static void compare(const emu::BoundLaunch &first, const emu::BoundLaunch &launch, unsigned seed,
                    emu::Report &report) {
  for (size_t b = 0; b < launch.blocks.size(); ++b) {
    const uint8_t *x = first.blocks[b]->data(), *y = launch.blocks[b]->data();
    for (uint64_t i = 0; i < launch.blocks[b]->size; ++i)
      if (x[i] != y[i]) {
        report.add(emu::FindingKind::Race, (~0ull << 32) | b,
                   launch.blocks[b]->describe(i, 1) + " differs between seed 0 and seed " +
                       std::to_string(seed));
        break;
      }
  }
}

static int runPackage(mlir::ModuleOp module) {
  emulate::PackageOptions options{package, weights, graph, rows, seeds, !noRaces, output};
  uint64_t launches = 0;
  Expected<emu::Report> report = emulate::runPackage(module, options, launches);
  if (!report)
    return fail(report.status().text());
  llvm::outs() << report->text() << package << ": " << launches << " launches, " << seeds << " schedules, "
               << report->findings.size() << " findings\n";
  return report->clean() ? 0 : 1;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "k3-emulate: runs a tile kernel on the CPU and judges it\n");
  mlir::DialectRegistry registry;
  registry.insert<tile::TileDialect, mlir::func::FuncDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false); // One line an error, not the kernel.
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(input, sources, &context);
  if (!module)
    return 2;
  if (!prepare.empty()) {
    mlir::PassManager pm(&context);
    tile::buildTilePrepare(pm, prepare);
    if (failed(pm.run(*module)))
      return 2;
  }
  if (!package.empty())
    return runPackage(*module);
  tile::KernelOp kernel;
  for (auto op : module->getOps<tile::KernelOp>()) {
    if (!kernelName.empty() && op.getSymName() != kernelName)
      continue;
    if (kernel)
      return fail(input + " has several kernels; say which with --kernel");
    kernel = op;
  }
  if (!kernel)
    return fail(input + (kernelName.empty() ? " has no tile.kernel" : " has no kernel '" + kernelName + "'"));
  std::array<unsigned, 3> extents{1, 1, 1};
  if (grid.size() > 3)
    return fail("--grid has up to three numbers");
  for (size_t d = 0; d < grid.size(); ++d)
    extents[d] = grid[d];

  auto program = emu::Program::decode(kernel);
  if (!program)
    return fail(program.status().text());
  emu::Report all;
  std::optional<emu::BoundLaunch> first;
  std::clock_t begin = std::clock();
  for (unsigned seed = 0; seed < seeds; ++seed) {
    auto launch =
        emu::bindLaunch(kernel, std::vector<std::string>(words.begin(), words.end()), extents, !noRaces);
    if (!launch)
      return fail(launch.status().text());
    emu::Machine machine(
        {emu::Schedule::ofSeed(seed, static_cast<unsigned>((*program)->kernel().roles.size())), !noRaces});
    if (dependent)
      emu::writeAhead(machine, *launch);
    if (Status status = (*program)->run(machine, launch->config); !status.ok())
      return fail(status.text());
    if (first)
      compare(*first, *launch, seed, machine.report);
    else
      first = std::move(*launch);
    all.append(machine.report);
  }
  llvm::outs() << all.text() << "kernel '" << kernel.getSymName() << "': " << seeds << " schedules, "
               << all.findings.size() << " findings\n";
  if (figures) {
    double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    llvm::outs() << llvm::format("%.3f s, %.0f MFLOP/s of products, %.1f MB checked, %llu switches\n",
                                 seconds, static_cast<double>(all.flops) / seconds / 1e6,
                                 static_cast<double>(all.checkedBytes) / 1e6,
                                 static_cast<unsigned long long>(all.switches));
  }
  if (!output.empty() && first)
    if (Status status = writeOutputs(*first, kernel); !status.ok())
      return fail(status.text());
  return all.clean() ? 0 : 1;
}
