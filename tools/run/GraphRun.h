//===- GraphRun.h - Runs a package of a hand-written graph -----*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A package without @step: inputs "<set>.<name>" come from the file of --given, states too where it has them;
// results and states go to --dump-tensors. Arrays of the batch (cu_seqlens, ...) that the file lacks describe
// one sequence; it has a past exactly where a state is given.
//
//===----------------------------------------------------------------------===//

#ifndef K3_TOOLS_RUN_GRAPHRUN_H
#define K3_TOOLS_RUN_GRAPHRUN_H

#include "tools/run/Session.h"

namespace k3::run {

/// `set` may be empty: names without a prefix. The session's weights are loaded.
Status runGraph(Session &session, const std::string &given, const std::string &set, const std::string &dump);

} // namespace k3::run

#endif // K3_TOOLS_RUN_GRAPHRUN_H
