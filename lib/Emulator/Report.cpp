//===- Report.cpp - What the Emulator found ------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Report.h"

namespace k3::emu {

const char *findingName(FindingKind kind) {
  switch (kind) {
  case FindingKind::Race:
    return "race";
  case FindingKind::MissingFence:
    return "missing proxy fence";
  case FindingKind::MissingSync:
    return "missing warp_sync";
  case FindingKind::BeforePdlWait:
    return "access before pdl_wait";
  case FindingKind::Barrier:
    return "barrier";
  case FindingKind::Wgmma:
    return "wgmma";
  case FindingKind::Lifetime:
    return "lifetime";
  case FindingKind::Bounds:
    return "out of bounds";
  case FindingKind::Poison:
    return "unwritten value";
  case FindingKind::Deadlock:
    return "deadlock";
  case FindingKind::Limit:
    return "limit";
  }
  return "";
}

bool Report::seen(FindingKind kind, uint64_t key) {
  auto at = index.find({static_cast<int>(kind), key});
  if (at == index.end())
    return false;
  ++findings[at->second].count;
  return true;
}

void Report::add(FindingKind kind, uint64_t key, std::string text) {
  if (seen(kind, key))
    return;
  index[{static_cast<int>(kind), key}] = findings.size();
  findings.push_back({kind, std::move(text)});
}

unsigned Report::count(FindingKind kind) const {
  unsigned n = 0;
  for (const Finding &finding : findings)
    n += finding.kind == kind;
  return n;
}

std::string Report::first(FindingKind kind) const {
  for (const Finding &finding : findings)
    if (finding.kind == kind)
      return finding.text;
  return "";
}

std::string Report::text() const {
  std::string all;
  for (const Finding &finding : findings) {
    all += std::string(findingName(finding.kind)) + ": " + finding.text;
    if (finding.count > 1)
      all += " (" + std::to_string(finding.count) + " times)";
    all += '\n';
  }
  return all;
}

void Report::append(const Report &other) {
  for (const Finding &finding : other.findings) {
    bool known = false;
    for (Finding &mine : findings)
      if (mine.kind == finding.kind && mine.text == finding.text) {
        mine.count += finding.count;
        known = true;
      }
    if (!known)
      findings.push_back(finding);
  }
  switches += other.switches;
  flops += other.flops;
  checkedBytes += other.checkedBytes;
}

} // namespace k3::emu
