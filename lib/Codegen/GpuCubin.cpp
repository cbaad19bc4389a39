//===- GpuCubin.cpp - PTX to cubin ---------------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Codegen/GpuCubin.h"

#include "lib/Codegen/NvJitLink.h"
#include "lib/Codegen/Ptxas.h"
#include "lib/Support/Text.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstring>
#include <optional>
#include <thread>

namespace k3::codegen {

namespace {

/// The assembler of one run: exactly one of the two is set.
struct Chosen {
  const NvJitLink *library = nullptr;
  std::optional<Ptxas> program;

  const std::string &identity() const { return library ? library->identity : program->identity; }
};

} // namespace

static Expected<Chosen> choose(const PtxKernel &kernel, const CubinOptions &options) {
  Chosen chosen;
  bool wantsProgram = !options.ptxas.empty() || options.tool == AssemblerTool::Ptxas;
  // Under Auto a kernel with setmaxnreg does better with ptxas, and still assembles without it.
  bool prefersProgram =
      options.tool == AssemblerTool::Auto && kernel.ptx.find("setmaxnreg") != std::string::npos;
  if (wantsProgram || prefersProgram) {
    auto program = findPtxas(options.ptxas, options.toolkit);
    if (program) {
      chosen.program = std::move(*program);
      return chosen;
    }
    if (wantsProgram)
      return program.takeStatus();
  }
  auto library = loadNvJitLink(options.toolkit);
  if (library) {
    chosen.library = *library;
    return chosen;
  }
  if (options.tool == AssemblerTool::NvJitLink)
    return library.takeStatus();
  auto program = findPtxas({}, options.toolkit);
  if (!program)
    return unsupported("no assembler for GPU code: " + library.status().text() + "; and " +
                       program.status().text());
  chosen.program = std::move(*program);
  return chosen;
}

/// The words both assemblers understand differ in little.
static std::vector<std::string> assemblerOptions(const Chosen &chosen, const PtxKernel &kernel,
                                                 const CubinOptions &options) {
  std::vector<std::string> words = {"-arch=" + kernel.arch, "-O" + std::to_string(options.optLevel)};
  if (chosen.library) {
    // -no-cache: nvJitLink's own cache would start a driver.
    words.insert(words.end(), {"-verbose", "-no-cache"});
    if (options.lineInfo)
      words.push_back("-lineinfo");
  } else {
    words.push_back("-v");
    if (options.lineInfo)
      words.push_back("--generate-line-info");
  }
  return words;
}

/// Cache value: the log's length, the log (the report is read from it again), the image.
static std::string packValue(const Assembled &assembled) {
  uint64_t logBytes = assembled.log.size();
  std::string value(reinterpret_cast<const char *>(&logBytes), sizeof logBytes);
  value += assembled.log;
  value.append(assembled.image.data(), assembled.image.size());
  return value;
}

static std::optional<Assembled> unpackValue(std::string_view value) {
  uint64_t logBytes = 0;
  if (value.size() < sizeof logBytes)
    return std::nullopt;
  std::memcpy(&logBytes, value.data(), sizeof logBytes);
  value.remove_prefix(sizeof logBytes);
  if (logBytes >= value.size())
    return std::nullopt;
  Assembled assembled;
  assembled.log = std::string(value.substr(0, logBytes));
  value.remove_prefix(logBytes);
  assembled.image.assign(value.begin(), value.end());
  return assembled;
}

static bool plainArch(std::string_view arch) {
  return arch.starts_with("sm_") && arch.size() >= 5 && arch.size() <= 8 &&
         std::all_of(arch.begin() + 3, arch.end(), [](char c) { return std::isalnum((unsigned char)c); });
}

Expected<Cubin> assemblePtx(const PtxKernel &kernel, const CubinOptions &options, CompileCache *cache) {
  std::string where = kernel.name + " (" + kernel.arch + ")";
  if (!plainArch(kernel.arch))
    return badUsage(where + ": '" + kernel.arch + "' is no GPU architecture, expected one such as sm_90a");
  if (options.optLevel != 0 && options.optLevel != 3)
    return badUsage(where + ": optimisation level " + std::to_string(options.optLevel) + ", expected 0 or 3");
  auto chosen = choose(kernel, options);
  if (!chosen)
    return chosen.takeStatus().withContext(where);
  std::vector<std::string> words = assemblerOptions(*chosen, kernel, options);
  std::string key = chosen->identity() + "\n" + join(words, " ") + "\n" + kernel.ptx;

  Cubin cubin;
  cubin.tool = chosen->identity();
  std::vector<AssemblerRemark> cacheRemarks;
  std::optional<Assembled> assembled;
  if (cache) {
    std::string remark;
    if (auto value = cache->load(key, remark))
      assembled = unpackValue(*value);
    if (!remark.empty())
      cacheRemarks.push_back({Severity::Info, "cache", kernel.name, std::move(remark)});
  }
  cubin.cached = assembled.has_value();
  if (!assembled) {
    auto run = chosen->library ? runNvJitLink(*chosen->library, kernel.ptx, words)
                               : runPtxas(*chosen->program, kernel.ptx, words);
    if (!run)
      return run.takeStatus().withContext(where);
    if (run->image.empty())
      return badInput(where + ": " + cubin.tool + ": " + assemblerError(run->log, kernel.ptx));
    assembled = std::move(*run);
    if (cache)
      if (std::string remark = cache->store(key, packValue(*assembled)); !remark.empty())
        cacheRemarks.push_back({Severity::Info, "cache", kernel.name, std::move(remark)});
  }
  cubin.report = parseAssemblerLog(assembled->log);
  if (chosen->library)
    for (AssemblerRemark &remark : cubin.report.remarks)
      if (remark.id == "C7504")
        remark.text += " (nvJitLink links; install ptxas or give --ptxas=PATH)";
  cubin.report.remarks.insert(cubin.report.remarks.end(), cacheRemarks.begin(), cacheRemarks.end());
  cubin.image = std::move(assembled->image);
  return cubin;
}

Status rejectPerfRemarks(const PtxKernel &kernel, const AssemblerReport &report) {
  const AssemblerRemark *first = nullptr;
  unsigned more = 0;
  for (const AssemblerRemark &remark : report.remarks)
    if (remark.severity == Severity::Perf)
      first ? void(++more) : void(first = &remark);
  if (!first)
    return Status::success();
  std::string text = kernel.name + " (" + kernel.arch + "): ";
  if (!first->kernel.empty() && first->kernel != kernel.name)
    text += "kernel '" + first->kernel + "': ";
  text += first->text + " [" + (first->id.empty() ? "perf" : first->id) + ", --Werror=perf]";
  return badInput(more == 0 ? text : text + " (and " + std::to_string(more) + " more)");
}

Expected<std::vector<Cubin>> compileKernels(const std::vector<PtxKernel> &kernels,
                                            const CompileOptions &options) {
  std::vector<std::optional<Expected<Cubin>>> results(kernels.size());
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i; (i = next++) < kernels.size();) {
      results[i] = assemblePtx(kernels[i], options.cubin, options.cache);
      if (results[i]->ok() && options.perfIsError)
        if (Status status = rejectPerfRemarks(kernels[i], (*results[i])->report); !status.ok())
          results[i] = Expected<Cubin>(std::move(status));
    }
  };
  size_t threads = options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < std::min(threads, kernels.size()); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();

  std::vector<Cubin> cubins;
  Status first;
  unsigned more = 0;
  for (auto &result : results) {
    if (result->ok())
      cubins.push_back(std::move(**result));
    else if (first.ok())
      first = result->takeStatus();
    else
      ++more;
  }
  if (first.ok())
    return cubins;
  return more == 0 ? first
                   : Status(first.code(), first.text() + " (" + std::to_string(more) + " more kernel" +
                                              (more == 1 ? "" : "s") + " failed)");
}

} // namespace k3::codegen
