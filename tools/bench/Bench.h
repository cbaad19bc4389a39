//===- Bench.h - Checks and times the kernels of packages -------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TOOLS_BENCH_BENCH_H
#define K3_TOOLS_BENCH_BENCH_H

#include "tools/bench/Check.h"
#include "tools/bench/Cublas.h"
#include "tools/bench/Timing.h"

#include <optional>

namespace k3::bench {

struct Options {
  std::vector<std::string> packages;
  std::vector<int64_t> rows;
  std::string filter = ".*";  ///< of "function/rows/mode"
  bool rowsGiven = false;     ///< rows beyond what a function was compiled for are an error and not left out
  bool checks = true, warm = true, cold = true, peers = true, tune = false;
  std::string cublas; ///< folder of the libraries
  double budget = 0.15;
  int ordinal = 0;
};

/// One line of the result.
struct Result {
  std::string function, mode; ///< mode: check, warm or cold
  std::string kernel;
  int64_t rows = 0;
  Problem problem;
  std::optional<CheckResult> check;
  double seconds = 0, floor = 0, bytes = 0, flops = 0; ///< of one launch; 0: not measured
  double cublas = 0, cublasLt = 0;                     ///< seconds; 0: not compared
  unsigned nodes = 0, samples = 0;
  std::string failure; ///< of the check, or why it could not run
};

struct Machine {
  std::string name;
  Ceilings ceilings;
  double matrixRate = 0; ///< FLOP/s of cuBLAS's 8192^3; 0: no cuBLAS
  std::string note;      ///< why there is no peer
};

class Bench {
public:
  static Expected<std::unique_ptr<Bench>> create(const Options &options);
  /// Everything of every package; `each` sees a result as soon as it is there. Fails where nothing could go on; what only one
  /// case has is in its result.
  Status run(const std::function<void(const Result &)> &each);
  const Machine &machine() const { return machineSeen; }

private:
  Bench(const Options &options, std::unique_ptr<CudaDevice> device) : options(options), device(std::move(device)) {}
  struct Job;
  Status openCublas();
  Status measureMachine();
  Status check(const Job &job, const std::vector<Operand> &operands, const Tensors &tensors, Result &result);
  Status runPackage(const std::string &path, const std::function<void(const Result &)> &each);
  Status runJob(const Job &job, const std::function<void(const Result &)> &each);
  Status time(const Job &job, const Tensors &tensors, bool cold, Result &result);

  const Options &options;
  std::unique_ptr<CudaDevice> device;
  std::unique_ptr<Cublas> cublas; // NULL: not there or not wanted
  DeviceMemory workspace;
  Machine machineSeen;
};

/// "gemm n=.. k=..: rows 1-16: SCHEDULE" for the fastest kernel of every problem and number of rows.
std::string tuneTable(const std::vector<Result> &results);

} // namespace k3::bench

#endif // K3_TOOLS_BENCH_BENCH_H
