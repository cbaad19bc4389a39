//===- Bench.cpp - Checks and times the kernels of packages ---------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/bench/Bench.h"

#include "lib/Package/GpuIsa.h"
#include "runtime/Executor.h"

#include <algorithm>
#include <regex>

using namespace k3;
using namespace k3::bench;

/// A cold timing goes around in at least this much memory before it comes back; the largest L2 has 126 MB.
static constexpr uint64_t coldBytes = 200'000'000;
static constexpr unsigned maxSets = 4096, nodesOfGraph = 20;
static constexpr size_t workspaceBytes = size_t(64) << 20;

struct Bench::Job {
  const fb::PackageT &package;
  Case which;
  SymbolValues symbols;
  int64_t rows;
};

Expected<std::unique_ptr<Bench>> Bench::create(const Options &options) {
  K3_ASSIGN(std::unique_ptr<CudaDevice> device, CudaDevice::open(options.ordinal));
  std::unique_ptr<Bench> bench(new Bench(options, std::move(device)));
  bench->machineSeen.name = bench->device->hardware()->name();
  if (options.peers)
    K3_TRY(bench->openCublas());
  if (options.warm || options.cold)
    K3_TRY(bench->measureMachine());
  return bench;
}

Status Bench::openCublas() {
  K3_ASSIGN(workspace, device->allocate(workspaceBytes));
  auto opened = Cublas::open(options.cublas, device->workStream(), workspace.data, workspaceBytes);
  if (!opened) {
    machineSeen.note = opened.status().text();
    return Status::success();
  }
  cublas = std::move(*opened);
  return Status::success();
}

Status Bench::measureMachine() {
  K3_ASSIGN(machineSeen.ceilings, measureCeilings(*device));
  if (!cublas)
    return Status::success();
  // The rate of the matrix units is that of the library at 8192^3, on random values.
  Problem square;
  square.n = square.k = 8192;
  std::vector<Operand> operands(3);
  fb::PackageT package;
  for (unsigned i = 0; i < 3; ++i) {
    Operand &operand = operands[i];
    operand.number = operand.buffer = i;
    operand.written = i == 2;
    operand.view.dtype = fb::DType::BF16;
    operand.view.elementBytes = operand.view.rank = 2;
    operand.view.dims = {8192, 8192};
    operand.view.strides = {8192, 1};
    package.buffers.push_back(std::make_unique<fb::BufferT>());
  }
  K3_ASSIGN(std::unique_ptr<Tensors> tensors, Tensors::create(*device, package, square, operands, 1));
  Product product{tensors->address(0, operands[0]), tensors->address(0, operands[1]), tensors->address(0, operands[2]), 8192, 8192,
                  8192};
  K3_ASSIGN(Timed timed, record(*device, nodesOfGraph, [&](unsigned) { return cublas->run(product); }));
  Timed *graphs[] = {&timed};
  K3_TRY(measure(*device, graphs, 0.1));
  machineSeen.matrixRate = square.flops(8192) / timed.median();
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

Status Bench::run(const std::function<void(const Result &)> &each) {
  for (const std::string &path : options.packages)
    K3_TRY(runPackage(path, each).withContext(path));
  return Status::success();
}

Status Bench::runPackage(const std::string &path, const std::function<void(const Result &)> &each) {
  K3_ASSIGN(std::shared_ptr<const ModelPackage> model, ModelPackage::load(path));
  K3_TRY(device->loadKernels(model->get(), model->runTarget()));
  SymbolValues symbols = model->upperSymbols();
  symbols.set(fb::Sym::Rank, 0);
  symbols.set(fb::Sym::SM, device->workers());
  symbols.set(fb::Sym::Threads, device->workers());
  std::regex filter(options.filter);
  for (const GraphFunction &graph : model->graphs()) {
    for (int64_t rows : options.rows) {
      std::string name = graph.name + "/" + std::to_string(rows);
      if (!std::regex_search(name + "/check", filter) && !std::regex_search(name + "/warm", filter) &&
          !std::regex_search(name + "/cold", filter))
        continue;
      symbols.set(fb::Sym::T, rows);
      auto program = graph.choose(symbols);
      if (!program && !options.rowsGiven)
        continue;
      if (!program)
        return program.takeStatus();
      K3_ASSIGN(Case which, caseOf(model->get(), graph, **program));
      Status status = runJob({model->get(), which, symbols, rows}, each);
      if (status.ok())
        continue;
      // What one case has, such as a launch that is refused, is no reason to leave the others out; a lost device is.
      Result failed;
      failed.function = graph.name;
      failed.mode = "run";
      failed.kernel = which.kernel;
      failed.rows = rows;
      failed.failure = status.text();
      each(failed);
      K3_TRY(device->synchronise().withContext(name));
    }
  }
  return Status::success();
}

/// Sets of operands that a cold timing goes around in.
static unsigned coldSets(uint64_t bytes) {
  return static_cast<unsigned>(std::min<uint64_t>(maxSets, std::max<uint64_t>(2, 1 + (coldBytes + bytes - 1) / bytes)));
}

Status Bench::runJob(const Job &job, const std::function<void(const Result &)> &each) {
  std::regex filter(options.filter);
  auto wanted = [&](const char *mode) {
    return std::regex_search(job.which.function + "/" + std::to_string(job.rows) + "/" + mode, filter);
  };
  K3_ASSIGN(std::vector<Operand> operands, operandsOf(job.package, job.which, job.symbols));
  uint64_t bytes = bytesOf(operands);
  bool warm = options.warm && wanted("warm"), cold = options.cold && wanted("cold");
  Result result;
  result.function = job.which.function;
  result.kernel = job.which.kernel;
  result.rows = job.rows;
  result.problem = job.which.problem;
  result.bytes = static_cast<double>(bytes);
  result.flops = job.which.problem.flops(job.rows);
  const Ceilings &ceilings = machineSeen.ceilings;
  if (ceilings.copyBytes > 0)
    result.floor = result.bytes / ceilings.copyBytes;
  if (machineSeen.matrixRate > 0 && job.which.problem.family == Family::Gemm)
    result.floor = std::max(result.floor, result.flops / machineSeen.matrixRate);

  K3_ASSIGN(std::unique_ptr<Tensors> tensors,
            Tensors::create(*device, job.package, job.which.problem, operands, cold ? coldSets(bytes) : 1));
  if (options.checks && wanted("check")) {
    K3_TRY(check(job, operands, *tensors, result));
    if (!warm && !cold) {
      result.mode = "check";
      each(result);
    }
  }
  for (bool isCold : {false, true}) {
    if (!(isCold ? cold : warm))
      continue;
    result.mode = isCold ? "cold" : "warm";
    K3_TRY(time(job, *tensors, isCold, result));
    each(result);
  }
  return Status::success();
}

Status Bench::check(const Job &job, const std::vector<Operand> &operands, const Tensors &tensors, Result &result) {
  Executor executor(job.package, *device, tensors.buffers(0));
  K3_TRY(executor.run(*job.which.program, job.symbols, {}));
  K3_TRY(device->synchronise());
  const Problem &problem = job.which.problem;
  K3_ASSIGN(result.check, checkOutputs(*device, problem, operands, tensors));
  if (cublas && problem.family == Family::Gemm && problem.epilogue == Epilogue::None) {
    const Operand &y = *findOperand(operands, 2);
    K3_ASSIGN(DeviceMemory other, device->allocate(y.view.bytes()));
    Status status = cublas->run({tensors.address(0, *findOperand(operands, 0)), tensors.address(0, *findOperand(operands, 1)),
                                 other.data, job.rows, problem.n, problem.k});
    if (status.ok())
      status = compareWhole(*device, y, tensors, other.data, *result.check);
    device->release(other);
    K3_TRY(status);
  }
  result.failure = result.check->failure;
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Timing
//===----------------------------------------------------------------------===//

/// The fastest of cuBLASLt's proposals on these tensors.
static Expected<Cublas::Algorithm> fastest(CudaDevice &device, Cublas &cublas, const Cublas::Plan &plan,
                                           const std::function<Product(unsigned)> &product) {
  std::vector<Timed> timed;
  std::vector<Cublas::Algorithm> usable;
  for (const Cublas::Algorithm &algorithm : Cublas::algorithms(plan)) {
    auto graph = record(device, 3, [&](unsigned i) { return cublas.run(plan, algorithm, product(i)); });
    if (!graph)
      continue; // some proposals do not run; the library says so when they are started
    timed.push_back(std::move(*graph));
    usable.push_back(algorithm);
  }
  if (timed.empty())
    return unsupported("cuBLASLt proposes nothing");
  std::vector<Timed *> graphs;
  for (Timed &one : timed)
    graphs.push_back(&one);
  K3_TRY(measure(device, graphs, 0.01, /*fewest=*/2));
  size_t best = 0;
  for (size_t i = 1; i < timed.size(); ++i)
    if (timed[i].median() < timed[best].median())
      best = i;
  return usable[best];
}

Status Bench::time(const Job &job, const Tensors &tensors, bool cold, Result &result) {
  unsigned sets = cold ? tensors.sets() : 1;
  unsigned nodes = (nodesOfGraph + sets - 1) / sets * sets;
  std::vector<std::unique_ptr<Executor>> executors;
  for (unsigned set = 0; set < sets; ++set) {
    executors.push_back(std::make_unique<Executor>(job.package, *device, tensors.buffers(set)));
    executors.back()->setRecordGraphs(false);
  }
  K3_ASSIGN(Timed ours, record(*device, nodes, [&](unsigned node) {
              return executors[node % sets]->run(*job.which.program, job.symbols, {});
            }));
  std::vector<Timed *> graphs{&ours};
  std::optional<Timed> library, lt;
  std::shared_ptr<Cublas::Plan> plan;
  const Problem &problem = job.which.problem;
  // The library has no epilogue of ours: it computes the plain product. Its result of SiTU-GLU would be twice as wide.
  bool fits = problem.family == Family::Gemm && problem.epilogue != Epilogue::SituGlu;
  if (cublas && fits) {
    K3_ASSIGN(std::vector<Operand> operands, operandsOf(job.package, job.which, job.symbols));
    auto product = [&](unsigned node) {
      unsigned set = node % sets;
      return Product{tensors.address(set, *findOperand(operands, 0)), tensors.address(set, *findOperand(operands, 1)),
                     tensors.address(set, *findOperand(operands, 2)), job.rows, problem.n, problem.k};
    };
    K3_ASSIGN(library, record(*device, nodes, [&](unsigned node) { return cublas->run(product(node)); }));
    graphs.push_back(&*library);
    constexpr unsigned proposals = 8;
    K3_ASSIGN(plan, cublas->plan(job.rows, problem.n, problem.k, proposals));
    if (auto algorithm = fastest(*device, *cublas, *plan, product)) {
      K3_ASSIGN(lt, record(*device, nodes, [&](unsigned node) { return cublas->run(*plan, *algorithm, product(node)); }));
      graphs.push_back(&*lt);
    }
  }
  K3_TRY(measure(*device, graphs, options.budget));
  result.seconds = ours.median();
  result.nodes = nodes;
  result.samples = static_cast<unsigned>(ours.seconds.size());
  result.cublas = library ? library->median() : 0;
  result.cublasLt = lt ? lt->median() : 0;
  return Status::success();
}
