//===- RuntimeTapsTest.cpp - Reading and giving tensors -------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/RuntimeToyContext.h"

#include <cstring>

using namespace k3;
using toy::Machine;

static std::vector<float> floats(const HostArray &array) {
  std::vector<float> values(array.bytes.size() / 4);
  std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

static HostArray array(std::vector<int64_t> dims, const std::vector<float> &values) {
  HostArray result{fb::DType::F32, std::move(dims), std::vector<std::byte>(values.size() * 4)};
  std::memcpy(result.bytes.data(), values.data(), result.bytes.size());
  return result;
}

static Machine tapped() { return Machine({.recordTaps = true}, {.taps = true}); }

TEST(RuntimeTaps, RecordsWhatTheEntryWrote) {
  Machine machine = tapped();
  std::vector<int32_t> tokens{3, 1};
  ASSERT_TRUE(machine.step({{&machine.sequence(), tokens}}).ok());
  const HostArray *x = machine->engine().taps().record("x");
  ASSERT_TRUE(x);
  EXPECT_EQ(x->dims, (std::vector<int64_t>{2, 8}));
  EXPECT_EQ(floats(*x)[0], 3.0f);
  EXPECT_EQ(floats(*x)[15], 1.875f);
  EXPECT_EQ(machine->engine().taps().record("h")->dims, (std::vector<int64_t>{1, 8}));
}

TEST(RuntimeTaps, GivenReplacesTheComputedTensorOnce) {
  Machine machine = tapped();
  Sequence &sequence = machine.sequence();
  std::vector<int32_t> tokens{3, 1};
  std::vector<float> ones(16, 1.0f);
  ASSERT_TRUE(machine->engine().taps().give(machine->engine().package(), "x", array({2, 8}, ones)).ok());
  ASSERT_TRUE(machine.step({{&sequence, tokens}}).ok());
  EXPECT_EQ(machine.logit(0, 0), 6.0f); // 3 * (1 + 1)
  EXPECT_EQ(floats(*machine->engine().taps().record("x")), ones);
  std::vector<int32_t> next{4};
  ASSERT_TRUE(machine.step({{&sequence, next}}).ok());
  EXPECT_EQ(machine.logit(0, 0), 18.0f); // 3 * (1 + 1 + 4)
}

TEST(RuntimeTaps, GivenOfTheWrongShapeStopsTheStep) {
  Machine machine = tapped();
  Sequence &sequence = machine.sequence();
  std::vector<int32_t> tokens{3, 1, 2};
  ASSERT_TRUE(machine->engine()
                  .taps()
                  .give(machine->engine().package(), "x", array({2, 8}, std::vector<float>(16)))
                  .ok());
  Status status = machine.step({{&sequence, tokens}});
  EXPECT_NE(status.text().find("tap 'x' is [3, 8] in this step, the given tensor is [2, 8]"),
            std::string::npos)
      << status.text();
  EXPECT_EQ(sequence.length, 0u);
  EXPECT_TRUE(machine.step({{&sequence, tokens}}).ok());
}

TEST(RuntimeTaps, StateTaps) {
  Machine machine = tapped();
  Sequence &sequence = machine.sequence();
  std::vector<int32_t> tokens{1, 2, 3, 4, 5, 6};
  ASSERT_TRUE(machine.step({{&sequence, tokens}}).ok());
  HostArray scan = *machine->readStateTap(sequence, "scan");
  EXPECT_EQ(scan.dims, (std::vector<int64_t>{8}));
  EXPECT_EQ(floats(scan)[0], 21.0f);
  // Channels 4..7 of the window, oldest row first.
  HostArray window = *machine->readStateTap(sequence, "conv.b");
  EXPECT_EQ(window.dims, (std::vector<int64_t>{4, 3}));
  EXPECT_EQ(floats(window)[0], 4.5f);
  EXPECT_EQ(floats(window)[11], 6.875f);
  HostArray latent = *machine->readStateTap(sequence, "latent");
  EXPECT_EQ(latent.dims, (std::vector<int64_t>{6, 8}));
  EXPECT_EQ(floats(latent)[5 * 8], 6.0f);
  EXPECT_EQ(floats(*machine->readStateTap(machine.sequence(), "scan"))[0], 0.0f); // nothing committed yet
}

TEST(RuntimeTaps, Refusals) {
  Machine machine = tapped();
  StepTaps &taps = machine->engine().taps();
  const ModelPackage &package = machine->engine().package();
  EXPECT_EQ(taps.give(package, "nope", array({1}, {0})).text(), "the package has no tap 'nope'");
  EXPECT_NE(
      taps.give(package, "scan", array({8}, std::vector<float>(8))).text().find("only read after the step"),
      std::string::npos);
  HostArray ints{fb::DType::I32, {2}, std::vector<std::byte>(8)};
  EXPECT_EQ(taps.give(package, "x", ints).text(), "tap 'x' is F32, the given tensor is I32");
  auto model = *ModelPackage::adopt(toy::package());
  auto weights = *openWeights(model->get(), "random:1");
  auto untapped = Context::create(model, *weights, {.recordTaps = true});
  EXPECT_EQ(untapped.status().text(), "the package has no taps; compile it with --taps=REGEX");
}
