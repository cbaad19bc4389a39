//===- Tune.cpp - The fastest of several schedules ------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/bench/Bench.h"

#include <map>

using namespace k3;
using namespace k3::bench;

std::string bench::tuneTable(const std::vector<Result> &results) {
  // For every problem and mode, by rows, the fastest kernel; neighbouring rows with the same schedule are one line.
  std::map<std::pair<std::string, std::string>, std::map<int64_t, const Result *>> best;
  for (const Result &result : results) {
    if (result.seconds <= 0 || !result.failure.empty())
      continue;
    const Result *&slot = best[{result.problem.text, result.mode}][result.rows];
    if (!slot || result.seconds < slot->seconds)
      slot = &result;
  }
  auto label = [](const Result &result) { return result.problem.schedule.empty() ? result.kernel : result.problem.schedule; };
  std::string text;
  for (const auto &[key, byRows] : best) {
    text += key.first + " " + key.second + "\n";
    for (auto it = byRows.begin(); it != byRows.end();) {
      auto first = it;
      int64_t last = it->first;
      for (; it != byRows.end() && label(*it->second) == label(*first->second); ++it)
        last = it->first;
      text += "  rows " + std::to_string(first->first) + (last == first->first ? "" : "-" + std::to_string(last)) + ": " +
              label(*first->second) + "\n";
    }
  }
  return text;
}
