//===- RuntimeApiTest.cpp - The C API through the shared library ----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "k3/runtime.h"
#include "lib/Package/Package.h"
#include "test/unit/RuntimeToy.h"

#include <gtest/gtest.h>

using namespace k3;

/// Text of a failure, "" for a success; frees the status.
static std::string take(k3_status status) {
  std::string text = status.code == K3_OK ? "" : status.text;
  k3_status_free(&status);
  return text;
}

class RuntimeApi : public testing::Test {
protected:
  void SetUp() override {
    std::string path = toy::temporaryFolder("api") + "/toy.k3x";
    Status written = writePackage(*toy::package({.taps = true}), path);
    ASSERT_TRUE(written.ok()) << written.text();
    ASSERT_EQ(take(k3_package_load(path.c_str(), &package)), "");
    std::string directory = toy::writeCheckpoint(toy::temporaryFolder("api"));
    ASSERT_EQ(take(k3_weights_open(package, directory.c_str(), &weights)), "");
    k3_context_options options{};
    options.size = sizeof options;
    options.threads = 2;
    options.record_taps = options.stats = 1;
    ASSERT_EQ(take(k3_context_create(package, weights, &options, &context)), "");
    k3_package_free(package); // the context keeps what it needs
    k3_weights_free(weights);
    ASSERT_EQ(take(k3_sequence_create(context, &sequence)), "");
  }
  void TearDown() override { k3_context_free(context); }

  std::string step(const std::vector<int32_t> &tokens) {
    const int32_t *data = tokens.data();
    auto length = static_cast<uint32_t>(tokens.size());
    k3_batch batch{};
    batch.size = sizeof batch;
    batch.count = 1;
    batch.sequences = &sequence;
    batch.tokens = &data;
    batch.lengths = &length;
    return take(k3_step(context, &batch));
  }

  k3_package *package = nullptr;
  k3_weights *weights = nullptr;
  k3_context *context = nullptr;
  k3_sequence *sequence = nullptr;
};

TEST_F(RuntimeApi, StepLogitsSample) {
  ASSERT_EQ(step({1, 2}), "");
  EXPECT_EQ(k3_sequence_length(sequence), 2u);
  const float *row = nullptr;
  size_t vocab = 0;
  ASSERT_EQ(take(k3_logits(context, 0, &row, &vocab)), "");
  EXPECT_EQ(vocab, 16u);
  EXPECT_EQ(row[0], 9.0f);
  int32_t id = 0;
  ASSERT_EQ(take(k3_sample(context, nullptr, &id, 1)), "");
  EXPECT_EQ(id, 7);
  k3_sample_options warm{sizeof warm, 0.7f, 1, 0};
  EXPECT_NE(take(k3_sample(context, &warm, &id, 1)).find("this package's @sample is greedy"),
            std::string::npos);
  EXPECT_NE(take(k3_logits(context, 1, &row, &vocab)).find("logit row 1 has no values"), std::string::npos);
}

TEST_F(RuntimeApi, ForkAndCapacity) {
  ASSERT_EQ(step({1, 2, 3}), "");
  k3_sequence *fork = nullptr;
  ASSERT_EQ(take(k3_sequence_fork(sequence, &fork)), "");
  EXPECT_EQ(k3_sequence_length(fork), 3u);
  k3_capacity capacity{};
  capacity.size = sizeof capacity;
  ASSERT_EQ(take(k3_context_get_capacity(context, &capacity)), "");
  EXPECT_EQ(capacity.slots - capacity.free_slots, 2u);
  EXPECT_EQ(capacity.threads, 2u);
  k3_sequence_free(fork);
}

/// Two sequences in slots 4 and 1, pages chosen by hand, then a copy to slot 0 and page 5.
TEST_F(RuntimeApi, RawStepAndCopyState) {
  const int32_t tokens[] = {1, 2, 3}, cu[] = {0, 2, 3}, contexts[] = {0, 0}, slots[] = {4, 1};
  int32_t table[2 * toy::tablePages];
  std::fill(std::begin(table), std::end(table), -1);
  table[0] = 7;
  table[toy::tablePages] = 2;
  const int32_t rows[] = {1, 2}, zeros[] = {0, 0};
  float logits[2 * 16];
  k3_step_args args{};
  args.size = sizeof args;
  args.T = 3, args.S = 2, args.R = 2;
  args.tokens = tokens, args.cu_seqlens = cu, args.context_lens = contexts;
  args.read_slots = args.write_slots = slots;
  args.block_table = table, args.logit_rows = rows;
  args.draft_lens = args.accepted = zeros;
  args.logits = logits;
  ASSERT_EQ(take(k3_step_raw(context, &args)), "");
  EXPECT_EQ(logits[0], 9.0f);
  EXPECT_EQ(logits[16], 9.0f);

  const int32_t from[] = {4}, to[] = {0}, fromPage[] = {7}, toPage[] = {5};
  ASSERT_EQ(take(k3_copy_state_raw(context, 1, from, to, 1, fromPage, toPage)), "");
  const int32_t one[] = {0, 1}, past[] = {2};
  table[0] = 5;
  args.T = args.S = args.R = 1;
  args.cu_seqlens = one, args.context_lens = past;
  args.read_slots = args.write_slots = to;
  args.logit_rows = zeros;
  ASSERT_EQ(take(k3_step_raw(context, &args)), "");
  EXPECT_EQ(logits[0], 12.0f); // 3 * (1 + 2 + 1)

  const int32_t drafts[] = {1};
  args.draft_lens = drafts;
  EXPECT_NE(
      take(k3_step_raw(context, &args)).find("draft_lens is 1: the host target does not run draft tokens"),
      std::string::npos);
  args.draft_lens = nullptr;
  args.accepted = drafts;
  EXPECT_NE(take(k3_step_raw(context, &args)).find("accepted is 1"), std::string::npos);
  args.accepted = nullptr;
  args.T = 13;
  EXPECT_NE(take(k3_step_raw(context, &args)).find("the step has 13 tokens"), std::string::npos);
}

TEST_F(RuntimeApi, TapsAndStats) {
  ASSERT_EQ(step({1, 2}), "");
  k3_array array{};
  array.size = sizeof array;
  ASSERT_EQ(take(k3_tap_read(context, nullptr, "x", &array)), "");
  EXPECT_EQ(array.rank, 2);
  EXPECT_EQ(array.dims[0], 2);
  std::vector<float> values(16);
  array.data = values.data();
  array.bytes = 4;
  EXPECT_NE(take(k3_tap_read(context, nullptr, "x", &array)).find("needs 64 bytes, the array has 4"),
            std::string::npos);
  array.bytes = 64;
  ASSERT_EQ(take(k3_tap_read(context, nullptr, "x", &array)), "");
  EXPECT_EQ(values[8], 2.0f);
  ASSERT_EQ(take(k3_tap_give(context, "x", &array)), "");
  ASSERT_EQ(step({9, 9}), "");
  array.data = nullptr;
  ASSERT_EQ(take(k3_tap_read(context, sequence, "latent", &array)), "");
  EXPECT_EQ(array.dims[0], 4);

  k3_stat stat{};
  stat.size = sizeof stat;
  ASSERT_EQ(take(k3_context_stat(context, 0, &stat)), "");
  EXPECT_STREQ(stat.name, "gemm");
  EXPECT_EQ(stat.calls, 2u);
  EXPECT_EQ(stat.flops, 2u * 2 * 16 * 8);
}

TEST_F(RuntimeApi, OlderCallersSeeTheirPartOfAStruct) {
  k3_capacity capacity{};
  capacity.size = offsetof(k3_capacity, pages);
  capacity.pages = 77;
  ASSERT_EQ(take(k3_context_get_capacity(context, &capacity)), "");
  EXPECT_GT(capacity.slots, 0u);
  EXPECT_EQ(capacity.pages, 77u);
  EXPECT_EQ(capacity.size, offsetof(k3_capacity, pages));
}

TEST_F(RuntimeApi, NullArguments) {
  EXPECT_EQ(take(k3_package_load(nullptr, &package)), "k3_package_load: path is NULL");
  EXPECT_EQ(take(k3_step(context, nullptr)), "k3_step: batch is NULL");
  EXPECT_EQ(k3_abi_version() >> 16, K3_RUNTIME_ABI >> 16);
}
