//===- Report.h - Results as a table and as JSON ----------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table is for people. The JSON is that of Google Benchmark, one entry a result: real_time is a launch in microseconds,
// everything else is in counters.
//
//===----------------------------------------------------------------------===//

#ifndef K3_TOOLS_BENCH_REPORT_H
#define K3_TOOLS_BENCH_REPORT_H

#include "tools/bench/Bench.h"

namespace k3::bench {

/// What the machine can do, one line per ceiling.
std::string machineText(const Machine &machine);
std::string tableHead();
std::string tableLine(const Result &result);
std::string resultsJson(const Machine &machine, const std::vector<Result> &results);

} // namespace k3::bench

#endif // K3_TOOLS_BENCH_REPORT_H
