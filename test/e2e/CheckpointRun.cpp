//===- CheckpointRun.cpp - Checkpoints and forks of a compiled model -------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: k3-checkpoint-run PACKAGE WEIGHTS. The package is compiled with --all-logits. A prompt runs once with checkpoints
// inside; each checkpoint, continued with the rest of the prompt, has to give the logits of the whole run. A fork
// continues with the same bits, and is not changed by what its origin does.
//
//===----------------------------------------------------------------------===//

#include "k3/runtime.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

void check(k3_status status, const char *what) {
  if (status.code == K3_OK)
    return;
  std::fprintf(stderr, "%s: %s\n", what, status.text);
  std::exit(1);
}

void expect(bool condition, const std::string &what) {
  if (condition)
    return;
  std::fprintf(stderr, "wrong: %s\n", what.c_str());
  std::exit(1);
}

using Rows = std::vector<std::vector<float>>;

/// One step of one sequence; the logits of every token.
Rows step(k3_context *context, k3_sequence *sequence, const std::vector<int32_t> &tokens,
          const std::vector<uint32_t> &checkpoints = {}, std::vector<k3_sequence *> *made = nullptr) {
  const int32_t *data = tokens.data();
  uint32_t length = static_cast<uint32_t>(tokens.size());
  std::vector<uint32_t> member(checkpoints.size(), 0);
  std::vector<k3_sequence *> out(checkpoints.size(), nullptr);
  k3_batch batch{};
  batch.size = sizeof(batch);
  batch.count = 1;
  batch.sequences = &sequence;
  batch.tokens = &data;
  batch.lengths = &length;
  batch.logits = K3_LOGITS_ALL;
  batch.ckpts = checkpoints.size();
  batch.ckpt_sequence = member.data();
  batch.ckpt_token = checkpoints.data();
  batch.ckpt_out = out.data();
  check(k3_step(context, &batch), "step");
  if (made)
    *made = out;
  Rows rows(k3_logit_rows(context));
  for (size_t row = 0; row < rows.size(); ++row) {
    const float *values = nullptr;
    size_t vocab = 0;
    check(k3_logits(context, row, &values, &vocab), "logits");
    rows[row].assign(values, values + vocab);
  }
  return rows;
}

/// |a - b| / |b| in the 2-norm over rows from `first` of b on.
double difference(const Rows &a, const Rows &b, size_t first) {
  double error = 0, norm = 0;
  for (size_t row = 0; row < a.size(); ++row)
    for (size_t column = 0; column < a[row].size(); ++column) {
      double want = b[first + row][column], d = a[row][column] - want;
      error += d * d;
      norm += want * want;
    }
  return std::sqrt(error / norm);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  k3_package *package = nullptr;
  k3_weights *weights = nullptr;
  k3_context *context = nullptr;
  k3_sequence *sequence = nullptr;
  check(k3_package_load(argv[1], &package), "package");
  check(k3_weights_open(package, argv[2], &weights), "weights");
  k3_context_options options{};
  options.size = sizeof(options);
  options.slots = 12;
  check(k3_context_create(package, weights, &options, &context), "context");
  check(k3_sequence_create(context, &sequence), "sequence");

  std::string text = "The kernel of a program is the part that does the work, and the rest of it is in the way of that.";
  std::vector<int32_t> tokens(text.begin(), text.end());
  // First token, inside and at the end of a chunk of the delta rule, at a page, before the last token.
  std::vector<uint32_t> places = {0, 7, 15, 16, 63, 64, uint32_t(tokens.size()) - 2};
  std::vector<k3_sequence *> checkpoints;
  Rows whole = step(context, sequence, tokens, places, &checkpoints);
  expect(whole.size() == tokens.size(), "number of logit rows");

  // A checkpoint cuts a chunk of the delta rule in two; what the whole run computes stays within rounding.
  k3_sequence *plain = nullptr;
  check(k3_sequence_create(context, &plain), "sequence");
  double worst = difference(step(context, plain, tokens), whole, 0);
  for (size_t i = 0; i < places.size(); ++i) {
    expect(k3_sequence_length(checkpoints[i]) == places[i] + 1, "length of checkpoint " + std::to_string(i));
    std::vector<int32_t> rest(tokens.begin() + places[i] + 1, tokens.end());
    worst = std::max(worst, difference(step(context, checkpoints[i], rest), whole, places[i] + 1));
    k3_sequence_free(checkpoints[i]);
  }
  std::printf("checkpoints: %zu, worst difference %.1e\n", places.size(), worst);
  expect(worst < 1e-4, "a continued checkpoint differs from the whole run");

  // A fork has the same bits; what its origin does afterwards does not reach it, across a page boundary too.
  k3_sequence *fork = nullptr;
  check(k3_sequence_fork(sequence, &fork), "fork");
  std::vector<int32_t> more(40, 'x'), other(40, 'y');
  Rows changed = step(context, sequence, other);
  Rows first = step(context, fork, more);
  Rows again = step(context, plain, more);
  expect(difference(first, again, 0) < 1e-4, "a fork continues as its origin would have");
  expect(difference(first, changed, 0) > 1e-3, "the test can tell the two apart");
  std::printf("fork: ok\n");

  k3_sequence_free(fork);
  k3_sequence_free(plain);
  k3_sequence_free(sequence);
  k3_context_free(context);
  k3_weights_free(weights);
  k3_package_free(package);
  return 0;
}
