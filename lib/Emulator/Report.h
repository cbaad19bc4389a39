//===- Report.h - What the Emulator found -----------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Findings: one line each, with both operations where there are two. Equal findings are counted, not
// repeated.
//
//===----------------------------------------------------------------------===//

#ifndef K3_EMULATOR_REPORT_H
#define K3_EMULATOR_REPORT_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace k3::emu {

enum class FindingKind {
  Race,          ///< two conflicting accesses without an order between them
  MissingFence,  ///< ordered, but the async proxy need not see the generic write
  MissingSync,   ///< lanes of one warp without a warp_sync between them
  BeforePdlWait, ///< an earlier grid's bytes before griddepcontrol.wait
  Barrier,       ///< wrong counts, wrong phases
  Wgmma,         ///< registers in flight, missing wgmma fence, results not retired
  Lifetime,      ///< copies that outlive their CTA
  Bounds,        ///< outside a buffer or a view
  Poison,        ///< an unwritten value decides something
  Deadlock,
  Limit, ///< the step budget ran out
};

/// The name in messages, e.g. "missing proxy fence".
const char *findingName(FindingKind kind);

struct Finding {
  FindingKind kind;
  std::string text; ///< one line, without the name of the kind
  uint64_t count = 1;
};

class Report {
public:
  /// `key` identifies equal findings, e.g. the pair of operations.
  void add(FindingKind kind, uint64_t key, std::string text);
  bool seen(FindingKind kind, uint64_t key);

  bool clean() const { return findings.empty(); }
  unsigned count(FindingKind kind) const;
  /// The first finding of a kind; empty where there is none.
  std::string first(FindingKind kind) const;
  /// All findings, a line each: "race: ... (12 times)".
  std::string text() const;
  void append(const Report &other);

  std::vector<Finding> findings;

  // Of the run: figures for the speed of the Emulator itself.
  uint64_t switches = 0;     ///< changes of the running fibre
  uint64_t flops = 0;        ///< 2 M N K of every product
  uint64_t checkedBytes = 0; ///< bytes whose order was checked

private:
  std::map<std::pair<int, uint64_t>, size_t> index;
};

} // namespace k3::emu

#endif // K3_EMULATOR_REPORT_H
