//===- AssemblerLog.cpp - What an assembler said about kernels -----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Codegen/AssemblerLog.h"

#include "lib/Support/Text.h"

#include <cctype>

namespace k3::codegen {

using std::string;
using std::string_view;

/// The text after `mark`, or none.
static std::optional<string_view> after(string_view line, string_view mark) {
  size_t at = line.find(mark);
  return at == string_view::npos ? std::nullopt : std::optional(line.substr(at + mark.size()));
}

/// The decimal number directly before `unit`: ("4 bytes stack frame, 8 bytes spill", " bytes spill") -> 8.
static uint64_t numberBefore(string_view line, string_view unit) {
  size_t end = line.find(unit);
  if (end == string_view::npos)
    return 0;
  size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])))
    --begin;
  return static_cast<uint64_t>(parseInt(line.substr(begin, end - begin)).value_or(0));
}

/// 'name' in quotes at the beginning.
static string quoted(string_view text) {
  if (text.empty() || text[0] != '\'')
    return {};
  size_t end = text.find('\'', 1);
  return string(text.substr(1, end == string_view::npos ? end : end - 1));
}

/// "(C7504) Potential ..." -> "C7504", and the text behind it.
static string takeId(string_view &text) {
  if (text.size() < 4 || text[0] != '(' || text[1] != 'C' ||
      !std::isdigit(static_cast<unsigned char>(text[2])))
    return {};
  size_t end = text.find(')');
  if (end == string_view::npos)
    return {};
  string id(text.substr(1, end - 1));
  text = trim(text.substr(end + 1));
  return id;
}

static void readRemark(AssemblerReport &report, string_view text, bool warning) {
  AssemblerRemark remark;
  remark.id = takeId(text);
  // C75xx are the advisories on wgmma and setmaxnreg.
  bool perf = remark.id.starts_with("C75") || text.starts_with("Potential Performance Loss");
  if (!perf && !warning)
    return;
  remark.severity = perf ? Severity::Perf : Severity::Warning;
  remark.text = string(text);
  if (auto name = after(text, " function ")) // "in the function 'k'", "in function 'k'"
    remark.kernel = quoted(trim(*name));
  report.remarks.push_back(std::move(remark));
}

AssemblerReport parseAssemblerLog(string_view log) {
  AssemblerReport report;
  string properties; // whose "bytes stack frame" line comes next
  for (string_view line : split(log, '\n')) {
    if (line.starts_with("info")) // nvJitLink's own summary repeats the figures, reserved memory added
      continue;
    if (auto name = after(line, "Compiling entry function ")) {
      KernelResources kernel;
      kernel.kernel = quoted(*name);
      report.kernels.push_back(std::move(kernel));
    } else if (auto name = after(line, "Function properties for ")) {
      properties = string(trim(*name));
    } else if (line.find(" bytes stack frame") != string_view::npos) {
      for (KernelResources &kernel : report.kernels) {
        if (kernel.kernel != properties)
          continue;
        kernel.stackBytes = numberBefore(line, " bytes stack frame");
        kernel.spillStoreBytes = numberBefore(line, " bytes spill stores");
        kernel.spillLoadBytes = numberBefore(line, " bytes spill loads");
      }
    } else if (line.find(": Used ") != string_view::npos && !report.kernels.empty()) {
      KernelResources &kernel = report.kernels.back();
      kernel.registers = static_cast<unsigned>(numberBefore(line, " registers"));
      kernel.barriers = static_cast<unsigned>(numberBefore(line, " barriers"));
      kernel.staticSharedBytes = numberBefore(line, " bytes smem");
    } else if (auto text = after(line, "ptxas info    : ")) {
      readRemark(report, *text, /*warning=*/false);
    } else if (auto text = after(line, "warning : ")) {
      readRemark(report, *text, /*warning=*/true);
    }
  }
  for (const KernelResources &kernel : report.kernels)
    if (kernel.spillStoreBytes || kernel.spillLoadBytes)
      report.remarks.push_back({Severity::Perf, "spill", kernel.kernel,
                                "registers spilled: " + std::to_string(kernel.spillStoreBytes) +
                                    " bytes stored, " + std::to_string(kernel.spillLoadBytes) +
                                    " bytes loaded per thread at " + std::to_string(kernel.registers) +
                                    " registers"});
  // An advisory that names no function belongs to the only kernel there is.
  if (report.kernels.size() == 1)
    for (AssemblerRemark &remark : report.remarks)
      if (remark.kernel.empty())
        remark.kernel = report.kernels[0].kernel;
  return report;
}

/// The kernel or function that PTX line `number` (from 1) is in, and the line.
static void locate(string_view ptx, int64_t number, string &kernel, string_view &text) {
  int64_t at = 0;
  for (string_view line : split(ptx, '\n')) {
    ++at;
    for (string_view mark : {".entry ", ".func "})
      if (auto rest = after(line, mark)) {
        *rest =
            trim(rest->substr(rest->starts_with('(') ? std::min(rest->find(')'), rest->size() - 1) + 1 : 0));
        kernel = string(rest->substr(0, rest->find_first_of(" (;\t")));
      }
    if (at == number) {
      text = trim(line);
      return;
    }
  }
}

string assemblerError(string_view log, string_view ptx) {
  string first;
  unsigned more = 0;
  for (string_view line : split(log, '\n')) {
    auto error = after(line, "error   : ");
    auto fatal = after(line, "fatal   : ");
    if (fatal && fatal->starts_with("Ptx assembly aborted"))
      continue;
    if (!error && !fatal)
      continue;
    if (!first.empty()) {
      ++more;
      continue;
    }
    string_view message = trim(error ? *error : *fatal);
    string kernel;
    string_view text;
    auto place = after(line, ", line ");
    int64_t number = place ? parseInt(place->substr(0, place->find(';'))).value_or(0) : 0; // from 1
    if (number > 0)
      locate(ptx, number, kernel, text);
    if (!kernel.empty())
      first = "kernel '" + kernel + "': ";
    if (number > 0)
      first += "PTX line " + std::to_string(number) + ": ";
    first += message;
    if (!text.empty())
      first += " in `" + string(text.substr(0, 120)) + "`";
  }
  if (first.empty()) {
    string_view said = trim(log);
    return said.empty() ? "the assembler failed and said nothing" : string(said.substr(0, said.find('\n')));
  }
  return more == 0 ? first : first + " (and " + std::to_string(more) + " more)";
}

} // namespace k3::codegen
