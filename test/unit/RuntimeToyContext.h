//===- RuntimeToyContext.h - A context of the toy package -------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TEST_UNIT_RUNTIMETOYCONTEXT_H
#define K3_TEST_UNIT_RUNTIMETOYCONTEXT_H

#include "runtime/Context.h"
#include "test/unit/RuntimeToy.h"

#include <gtest/gtest.h>

namespace k3::toy {

/// The toy package with a checkpoint whose embedding is v + d / 8 and whose head is the identity.
class Machine {
public:
  explicit Machine(Context::Options contextOptions = {}, const Options &options = {},
                   const std::string &weights = writeCheckpoint(temporaryFolder("weights"))) {
    auto model = ModelPackage::adopt(package(options));
    EXPECT_TRUE(model.ok()) << model.status().text();
    auto source = openWeights((*model)->get(), weights);
    EXPECT_TRUE(source.ok()) << source.status().text();
    auto made = Context::create(*model, **source, contextOptions);
    EXPECT_TRUE(made.ok()) << made.status().text();
    context = std::move(*made);
  }
  Context *operator->() { return context.get(); }

  Sequence &sequence() { return **context->createSequence(); }

  Status step(std::vector<BatchItem> batch, LogitMode mode = LogitMode::Last,
              std::vector<ForkPoint> points = {}) {
    return context->step(batch, mode, points, forks);
  }
  /// Element d of logit row r.
  float logit(size_t row, size_t d) const { return context->engine().logits()[row * vocab + d]; }

  std::unique_ptr<Context> context;
  std::vector<Sequence *> forks; ///< of the last step
};

/// What logits[d], d < 8, must be after these tokens of a sequence.
inline float expectedLogit(const std::vector<int32_t> &tokens, size_t d) {
  float sum = 0;
  for (int32_t token : tokens)
    sum += static_cast<float>(token) + static_cast<float>(d) / 8;
  return 3 * sum;
}

} // namespace k3::toy

#endif // K3_TEST_UNIT_RUNTIMETOYCONTEXT_H
