//===- Report.cpp - Results as a table and as JSON ------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/bench/Report.h"

#include <benchmark/benchmark.h>
#include <cstdarg>
#include <cstdio>
#include <sstream>

using namespace k3;
using namespace k3::bench;

[[gnu::format(printf, 1, 2)]] static std::string format(const char *pattern, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof(text), pattern, arguments);
  va_end(arguments);
  return text;
}

std::string bench::machineText(const Machine &machine) {
  const Ceilings &c = machine.ceilings;
  std::string text = machine.name + "\n";
  if (c.copyBytes > 0)
    text += format("copy of 2 GiB, read and written: %.0f GB/s\nempty node of a 20-node graph: %.2f us, with dependent launch %.2f us\n",
                   c.copyBytes * 1e-9, c.emptySeconds * 1e6, c.dependentSeconds * 1e6);
  if (machine.matrixRate > 0)
    text += format("cuBLAS bf16 8192^3: %.0f TFLOP/s\n", machine.matrixRate * 1e-12);
  if (!machine.note.empty())
    text += machine.note + "\n";
  return text;
}

std::string bench::tableHead() {
  return format("%-22s %6s %-5s %10s %10s %6s %7s %8s %10s %6s %10s %6s  %s\n", "function", "rows", "mode", "us", "floor us", "floor",
                "GB/s", "TFLOP/s", "cuBLAS us", "ours", "Lt us", "ours", "check");
}

static std::string checkText(const Result &result) {
  if (!result.failure.empty())
    return "FAILED: " + result.failure;
  return result.check ? format("ok %.1e", result.check->relative) : std::string("-");
}

/// A time in microseconds, and how much of it `part` is; "-" where there is nothing.
static std::string microseconds(double seconds) { return seconds > 0 ? format("%.2f", seconds * 1e6) : "-"; }
static std::string percent(double part, double whole) { return part > 0 && whole > 0 ? format("%.1f%%", 100 * part / whole) : "-"; }

std::string bench::tableLine(const Result &r) {
  bool timed = r.seconds > 0;
  return format("%-22s %6lld %-5s %10s %10s %6s %7s %8s %10s %6s %10s %6s  ", r.function.c_str(), static_cast<long long>(r.rows),
                r.mode.c_str(), microseconds(r.seconds).c_str(), microseconds(r.floor).c_str(),
                percent(r.floor, r.seconds).c_str(), timed ? format("%.0f", r.bytes / r.seconds * 1e-9).c_str() : "-",
                timed ? format("%.1f", r.flops / r.seconds * 1e-12).c_str() : "-", microseconds(r.cublas).c_str(),
                percent(r.cublas, r.seconds).c_str(), microseconds(r.cublasLt).c_str(), percent(r.cublasLt, r.seconds).c_str()) +
         checkText(r) + "\n";
}

std::string bench::resultsJson(const Machine &machine, const std::vector<Result> &results) {
  benchmark::AddCustomContext("gpu", machine.name);
  benchmark::AddCustomContext("copy_GB_per_s", format("%.1f", machine.ceilings.copyBytes * 1e-9));
  benchmark::AddCustomContext("cublas_8192_TFLOP_per_s", format("%.1f", machine.matrixRate * 1e-12));
  benchmark::AddCustomContext("empty_node_us", format("%.3f", machine.ceilings.emptySeconds * 1e6));
  benchmark::AddCustomContext("empty_dependent_node_us", format("%.3f", machine.ceilings.dependentSeconds * 1e6));
  std::ostringstream text;
  benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&text);
  reporter.SetErrorStream(&text);
  benchmark::BenchmarkReporter::Context context;
  reporter.ReportContext(context);
  std::vector<benchmark::BenchmarkReporter::Run> runs;
  for (const Result &result : results) {
    benchmark::BenchmarkReporter::Run &run = runs.emplace_back();
    run.run_name.function_name = result.function + "/" + std::to_string(result.rows) + "/" + result.mode;
    run.iterations = 1;
    run.repetitions = 1;
    run.time_unit = benchmark::kMicrosecond;
    run.real_accumulated_time = result.seconds;
    run.report_label = result.kernel;
    run.error_occurred = !result.failure.empty();
    run.error_message = result.failure;
    auto count = [&](const char *name, double value) {
      if (value > 0)
        run.counters[name] = benchmark::Counter(value);
    };
    count("rows", static_cast<double>(result.rows));
    count("bytes", result.bytes);
    count("flops", result.flops);
    count("floor_us", result.floor * 1e6);
    count("cublas_us", result.cublas * 1e6);
    count("cublaslt_us", result.cublasLt * 1e6);
    count("of_floor", result.seconds > 0 ? result.floor / result.seconds : 0);
    count("of_cublas", result.seconds > 0 ? result.cublas / result.seconds : 0);
    count("of_cublaslt", result.seconds > 0 ? result.cublasLt / result.seconds : 0);
    count("nodes", result.nodes);
    count("replays", result.samples);
    if (result.check) {
      count("error_2norm", result.check->relative);
      count("error_of_row_maximum", result.check->worst);
      count("checked", static_cast<double>(result.check->samples));
    }
  }
  reporter.ReportRuns(runs);
  reporter.Finalize();
  return text.str();
}
