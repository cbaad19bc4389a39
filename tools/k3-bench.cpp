//===- k3-bench.cpp - Checks and times the kernels of a package -----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes packages of functions of one kernel each (examples/kernels). Exit code 1: bad input or a kernel that is wrong, 2: bad
// usage.
//
//===----------------------------------------------------------------------===//

#include "lib/Package/GpuIsa.h"
#include "lib/Support/AtomicFile.h"
#include "lib/Support/Text.h"
#include "tools/bench/Report.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <regex>

using namespace k3;
using namespace k3::bench;

namespace {

struct Flags {
  Options options;
  std::string rows = "1,2,4,8,16,128,512,2048,8192", json;
  bool checkOnly = false, warm = false, cold = false, noPeers = false, noChecks = false, list = false;
};

void addFlags(CLI::App &app, Flags &flags) {
  app.set_version_flag("--version", std::string("k3-bench ") + K3_VERSION);
  app.add_option("packages", flags.options.packages, "Packages of functions of one kernel each, compiled for a GPU")->required();
  app.add_option("--rows", flags.rows,
                 "Numbers of rows and ranges of them; the default leaves out what a function was not compiled for")
      ->capture_default_str();
  app.add_option("--filter", flags.options.filter, "Only what this regular expression finds in function/rows/mode; modes are "
                                                   "check, warm and cold")
      ->capture_default_str();
  app.add_flag("--warm", flags.warm, "Only timings on the same tensors");
  app.add_flag("--cold", flags.cold, "Only timings that go around in 200 MB and more");
  app.add_flag("--check-only", flags.checkOnly, "No timings");
  app.add_flag("--no-check", flags.noChecks, "No comparison with fp64");
  app.add_flag("--no-peers", flags.noPeers, "No comparison with cuBLAS and cuBLASLt");
  app.add_flag("--tune", flags.options.tune, "At the end, the fastest kernel of every problem by rows, as rows of a schedule table");
  app.add_flag("--list", flags.list, "List functions, kernels and what they compute; needs no GPU");
  app.add_option("--json", flags.json, "Write results as JSON of Google Benchmark; - is stdout");
  app.add_option("--cublas", flags.options.cublas, "Folder of libcublas and libcublasLt (default: where the system looks)");
  app.add_option("--seconds", flags.options.budget, "Device time of one comparison")->capture_default_str();
  app.add_option("--gpu", flags.options.ordinal, "Number of the GPU")->capture_default_str();
}

/// "1,2,4,100-131"
Status parseRows(const std::string &text, std::vector<int64_t> &rows) {
  for (std::string_view part : split(text, ',')) {
    size_t dash = part.find('-');
    auto first = parseInt(part.substr(0, dash)), last = dash == std::string_view::npos ? first : parseInt(part.substr(dash + 1));
    if (!first || !last || *first < 1 || *last < *first || *last > 1'000'000)
      return badUsage("--rows=" + text + ": '" + std::string(part) + "' is no number of rows, expected such as 1,2,4 or 100-131");
    for (int64_t row = *first; row <= *last; ++row)
      rows.push_back(row);
  }
  return Status::success();
}

Status checkFlags(CLI::App &app, Flags &flags) {
  Options &options = flags.options;
  K3_TRY(parseRows(flags.rows, options.rows));
  options.rowsGiven = app.count("--rows") > 0;
  if (flags.checkOnly && (flags.warm || flags.cold || flags.noChecks || options.tune))
    return badUsage("--check-only leaves nothing for --warm, --cold, --no-check and --tune");
  if (flags.warm && flags.cold)
    return badUsage("--warm and --cold are both of the timings; leave them out");
  if (app.count("--json") && flags.json.empty())
    return badUsage("--json is empty; expected a file");
  if (!(options.budget > 0))
    return badUsage("--seconds must be positive");
  try {
    std::regex pattern(options.filter);
  } catch (const std::regex_error &error) {
    return badUsage("--filter=" + options.filter + " is no regular expression: " + error.what());
  }
  options.warm = !flags.checkOnly && !flags.cold;
  options.cold = !flags.checkOnly && !flags.warm;
  options.checks = !flags.noChecks;
  options.peers = !flags.noPeers;
  return Status::success();
}

/// Before a GPU is looked for: whether the packages are such that this tool takes.
Status checkPackages(const Flags &flags) {
  for (const std::string &path : flags.options.packages) {
    K3_ASSIGN(std::shared_ptr<const ModelPackage> model, ModelPackage::load(path));
    const fb::PackageT &package = model->get();
    const fb::TargetT &target = *package.targets[model->runTarget()];
    if (!isaNumber(target.isa))
      return unsupported(path + ": the package is for target '" + target.name + "' (" + isaText(target.isa) +
                         ") and has no GPU code; compile with a GPU as --target");
    if (model->graphs().empty())
      return badInput(path + ": the package is a model; k3-bench takes functions of one kernel, such as examples/kernels");
    for (const GraphFunction &graph : model->graphs())
      for (const fb::ProgramT *program : graph.programs) {
        auto which = caseOf(package, graph, *program);
        if (!which)
          return which.takeStatus().withContext(path);
        if (flags.list)
          std::printf("%s %s %s\n", program->name.c_str(), which->kernel.c_str(), which->problem.text.c_str());
      }
  }
  return Status::success();
}

Status runBench(const Flags &flags) {
  K3_TRY(checkPackages(flags));
  if (flags.list)
    return Status::success();
  std::FILE *table = flags.json == "-" ? stderr : stdout;
  K3_ASSIGN(std::unique_ptr<Bench> bench, Bench::create(flags.options));
  std::fputs((machineText(bench->machine()) + "\n" + tableHead()).c_str(), table);
  std::vector<Result> results;
  size_t failures = 0;
  Status status = bench->run([&](const Result &result) {
    std::fputs(tableLine(result).c_str(), table);
    std::fflush(table);
    results.push_back(result);
    failures += !result.failure.empty();
  });
  // What was measured before a failure is worth keeping.
  if (!flags.json.empty()) {
    std::string json = resultsJson(bench->machine(), results);
    if (flags.json == "-")
      std::fputs(json.c_str(), stdout);
    else
      K3_TRY(writeFile(flags.json, json));
  }
  K3_TRY(status);
  if (flags.options.tune)
    std::fputs(tuneTable(results).c_str(), table);
  if (results.empty())
    return badInput("nothing was run; --filter=" + flags.options.filter + " and --rows=" + flags.rows + " leave nothing");
  if (failures)
    return badInput(std::to_string(failures) + " of " + std::to_string(results.size()) + " results are wrong");
  return Status::success();
}

int fail(const Status &status) {
  std::fprintf(stderr, "k3-bench: error: %s\n", printable(status.text()).c_str());
  return status.code() == Code::BadUsage ? 2 : 1;
}

} // namespace

int main(int argc, char **argv) {
  reserveStandardStreams();
  CLI::App app("Checks and times the kernels of packages on a GPU, beside cuBLAS.", "k3-bench");
  Flags flags;
  addFlags(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error); // --help, --version
    return fail(badUsage(std::string(error.what()) + "; see k3-bench --help"));
  }
  Status status = checkFlags(app, flags);
  if (status.ok())
    status = runBench(flags);
  return status.ok() ? 0 : fail(status);
}
