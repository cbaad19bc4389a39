//===- k3-dump.cpp - Shows packages, compares tensor files ---------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Package/Manifest.h"
#include "lib/Package/Package.h"
#include "lib/Package/Print.h"
#include "lib/Support/AtomicFile.h"
#include "lib/Support/Text.h"
#include "tools/dump/Diff.h"

#include <CLI/CLI.hpp>

#include <cstdio>

using namespace k3;

namespace {

struct Options {
  std::string package, section;
  bool json = false, manifest = false;
  std::vector<std::string> diff;
  DiffOptions comparison;
};

int fail(const Status &status) {
  std::fprintf(stderr, "k3-dump: error: %s\n", printable(status.text()).c_str());
  return status.code() == Code::BadUsage ? 2 : 1;
}

int print(const Expected<std::string> &text) {
  if (!text.ok())
    return fail(text.status());
  bool written =
      std::fwrite(text->data(), 1, text->size(), stdout) == text->size() && std::fflush(stdout) == 0;
  return written ? 0 : fail(ioError("standard output cannot be written"));
}

/// Every checkpoint tensor as `name <tab> dtype <tab> shape`; count and bytes on standard error.
int printManifest(const fb::PackageT &package) {
  std::string text;
  Status status = forEachTensor(package, [&](const ManifestTensor &tensor) {
    std::vector<int64_t> shape(tensor.shape.begin(), tensor.shape.end());
    text += tensor.name + "\t" + std::string(dtypeName(tensor.dtype)) + "\t" + shapeText(shape) + "\n";
    return Status::success();
  });
  if (!status.ok())
    return fail(status);
  int code = print(std::move(text));
  ManifestTotals totals = manifestTotals(package);
  std::fprintf(stderr, "%s tensors, %s bytes\n", groupDigits(totals.count).c_str(),
               groupDigits(totals.bytes).c_str());
  for (const auto &rule : package.skipped)
    std::fprintf(stderr, "skipped (%s): %s tensors, %s bytes\n", rule->reason.c_str(),
                 groupDigits(rule->count).c_str(), groupDigits(rule->bytes).c_str());
  return code;
}

int runDiff(Options &options) {
  options.comparison.result = options.diff[0];
  options.comparison.reference = options.diff[1];
  Expected<bool> equal = diffTensors(options.comparison);
  if (!equal.ok())
    return fail(equal.status());
  return *equal ? 0 : 1;
}

int run(Options &options) {
  if (!options.diff.empty())
    return runDiff(options);
  if (options.package.empty())
    return fail(badUsage("no package given; see k3-dump --help"));
  auto package = readPackage(options.package);
  if (!package.ok())
    return fail(package.status());
  if (options.manifest)
    return printManifest(**package);
  return print(options.json ? packageJson(**package, options.section)
                            : packageText(**package, options.section));
}

} // namespace

int main(int argc, char **argv) {
  reserveStandardStreams();
  Options options;
  CLI::App app("Shows what is in a package, or how far the tensors of two safetensors files are apart.\n"
               "Exit code 0: shown, or no difference; 1: bad input, or a difference; 2: bad usage.");
  app.set_version_flag("--version", "k3-dump " K3_VERSION);
  app.add_option("package", options.package, "the file that k3-compile wrote");
  app.add_flag("--json", options.json,
               "all fields, by their names in Package.fbs; code is given by its size");
  app.add_option("--section", options.section,
                 "only a part: " + join(packageSections(), ", ") +
                     "; with --json any field of table Package");
  app.add_flag("--manifest", options.manifest,
               "every checkpoint tensor the package needs, one a line: name, type, shape");
  app.add_option("--diff", options.diff, "two safetensors files: result, reference")->expected(2);
  app.add_option("--tolerance", options.comparison.tolerance,
                 "with --diff: largest relative 2-norm of the difference of a tensor");
  app.add_option("--names", options.comparison.names,
                 "with --diff: only tensors whose whole name matches this regex");
  app.add_option("--strip-prefix", options.comparison.stripPrefix,
                 "with --diff: where a file has names with this prefix, only those count, without it");
  app.add_option(
      "--last-columns", options.comparison.lastColumns,
      "with --diff: of reference tensors with these names (regex) only as many columns as the result "
      "has, the last ones");
  app.add_flag("--allow-extra", options.comparison.allowExtra,
               "with --diff: names of the result only are no difference");
  app.add_flag("--common", options.comparison.commonOnly,
               "with --diff: names of one file only are no difference");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error); // --help, --version
    return fail(badUsage(std::string(error.what()) + "; see k3-dump --help"));
  }
  return run(options);
}
