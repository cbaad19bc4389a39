//===- Generate.cpp - Prefill in chunks, then one token at a time ----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/run/Generate.h"

#include <algorithm>
#include <chrono>

using namespace k3;
using namespace k3::run;

static double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Generator::accept(size_t sequence, int32_t token) {
  const k3_package_info &info = session.info();
  if (std::find(info.eos, info.eos + info.eos_count, token) != info.eos + info.eos_count) {
    stopped[sequence] = true;
    return;
  }
  generated[sequence].push_back(token);
  if (onToken)
    onToken(sequence, token);
}

/// One step with the next tokens of every sequence that has some left.
Status Generator::prefillStep(size_t chunk, bool wantTokens, std::vector<size_t> &positions) {
  std::vector<size_t> members;
  std::vector<TokenList> tokens;
  StepRows rows;
  std::vector<int64_t> tokenRows, lastRows; // numbers of prompt tokens, all sequences counted through
  bool anyEnds = false;
  int64_t firstRow = 0;
  for (size_t s = 0; s < prompts.size(); ++s) {
    size_t take = std::min(chunk, prompts[s].size() - positions[s]);
    if (take > 0) {
      auto from = prompts[s].begin() + static_cast<std::ptrdiff_t>(positions[s]);
      members.push_back(s);
      tokens.emplace_back(from, from + static_cast<std::ptrdiff_t>(take));
      for (size_t t = 0; t < take; ++t)
        tokenRows.push_back(firstRow + static_cast<int64_t>(positions[s] + t));
      lastRows.push_back(tokenRows.back());
      rows.tokenSequence.insert(rows.tokenSequence.end(), take, s);
      positions[s] += take;
      anyEnds |= positions[s] == prompts[s].size();
    }
    firstRow += static_cast<int64_t>(prompts[s].size());
  }
  k3_logit_mode mode = session.allLogits() ? K3_LOGITS_ALL : anyEnds ? K3_LOGITS_LAST : K3_LOGITS_NONE;
  std::vector<int64_t> logitRows = mode == K3_LOGITS_ALL    ? tokenRows
                                   : mode == K3_LOGITS_LAST ? lastRows
                                                            : std::vector<int64_t>();
  if (given)
    K3_TRY(given->give(session, tokenRows, logitRows));
  double start = seconds();
  K3_TRY(session.step(members, tokens, mode));
  times.prefillSeconds += seconds() - start;
  times.prefillTokens += tokenRows.size();

  // The row after the last token of each member; rows of sequences that go on count only where all rows are
  // kept.
  std::vector<size_t> endRow;
  size_t row = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    bool ends = positions[members[i]] == prompts[members[i]].size();
    if (mode == K3_LOGITS_ALL) {
      rows.logitSequence.insert(rows.logitSequence.end(), tokens[i].size(), static_cast<int64_t>(members[i]));
      row += tokens[i].size();
      endRow.push_back(row - 1);
    } else if (mode == K3_LOGITS_LAST) {
      rows.logitSequence.push_back(ends ? static_cast<int64_t>(members[i]) : -1);
      endRow.push_back(i);
    }
  }
  K3_TRY(recorder.record(session, rows));
  if (!wantTokens || !anyEnds)
    return Status::success();
  std::vector<int32_t> ids;
  K3_TRY(session.sample(ids));
  for (size_t i = 0; i < members.size(); ++i)
    if (positions[members[i]] == prompts[members[i]].size())
      accept(members[i], ids[endRow[i]]);
  return Status::success();
}

Status Generator::prefill(size_t chunk, bool wantTokens) {
  std::vector<size_t> positions(prompts.size(), 0);
  auto unfinished = [&] {
    for (size_t s = 0; s < prompts.size(); ++s)
      if (positions[s] < prompts[s].size())
        return true;
    return false;
  };
  while (unfinished())
    K3_TRY(prefillStep(chunk, wantTokens, positions));
  return Status::success();
}

Status Generator::decode(size_t count) {
  while (true) {
    std::vector<size_t> members;
    std::vector<TokenList> tokens;
    StepRows rows;
    for (size_t s = 0; s < prompts.size(); ++s) {
      if (stopped[s] || generated[s].empty() || generated[s].size() >= count)
        continue;
      members.push_back(s);
      tokens.push_back({generated[s].back()});
      rows.tokenSequence.push_back(s);
      rows.logitSequence.push_back(static_cast<int64_t>(s));
    }
    if (members.empty())
      return Status::success();
    double start = seconds();
    K3_TRY(session.step(members, tokens, K3_LOGITS_LAST));
    std::vector<int32_t> ids;
    K3_TRY(session.sample(ids));
    times.decodeSeconds += seconds() - start;
    times.decodeTokens += members.size();
    K3_TRY(recorder.record(session, rows));
    for (size_t i = 0; i < members.size(); ++i)
      accept(members[i], ids[i]);
  }
}
