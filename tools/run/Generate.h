//===- Generate.h - Prefill in chunks, then one token at a time -----*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TOOLS_RUN_GENERATE_H
#define K3_TOOLS_RUN_GENERATE_H

#include "tools/run/Given.h"
#include "tools/run/Recorder.h"

#include <functional>

namespace k3::run {

struct Timing {
  double prefillSeconds = 0, decodeSeconds = 0;
  uint64_t prefillTokens = 0, decodeTokens = 0;
};

/// Runs a batch of prompts; all sequences of the session, in order.
class Generator {
public:
  Generator(Session &session, const std::vector<TokenList> &prompts, Recorder &recorder,
            const GivenTensors *given)
      : session(session), prompts(prompts), recorder(recorder), given(given), generated(prompts.size()),
        stopped(prompts.size(), false) {}

  /// Steps of at most `chunk` tokens of each sequence. Afterwards each sequence that has tokens has its first
  /// new one.
  Status prefill(size_t chunk, bool wantTokens);
  /// Until every sequence has `count` new tokens or met an end token, which is not kept.
  Status decode(size_t count);

  /// Called with every new token.
  std::function<void(size_t sequence, int32_t token)> onToken;
  const std::vector<TokenList> &tokens() const { return generated; }
  const Timing &timing() const { return times; }

private:
  Status prefillStep(size_t chunk, bool wantTokens, std::vector<size_t> &positions);
  void accept(size_t sequence, int32_t token);

  Session &session;
  const std::vector<TokenList> &prompts;
  Recorder &recorder;
  const GivenTensors *given;
  std::vector<TokenList> generated;
  std::vector<bool> stopped;
  Timing times;
};

} // namespace k3::run

#endif // K3_TOOLS_RUN_GENERATE_H
