//===- RuntimeContextTest.cpp - Steps, slots, pages, forks ----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/RuntimeToyContext.h"

#include <numeric>

using namespace k3;
using toy::expectedLogit;
using toy::Machine;

using Tokens = std::vector<int32_t>;

static Tokens concat(Tokens a, const Tokens &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(RuntimeContext, OneStepGivesTheLastRow) {
  Machine machine;
  Tokens tokens{3, 1, 4, 1, 5};
  ASSERT_TRUE(machine.step({{&machine.sequence(), tokens}}).ok());
  ASSERT_EQ(machine->engine().logitRowCount(), 1u);
  EXPECT_EQ(machine.logit(0, 0), expectedLogit(tokens, 0));
  EXPECT_EQ(machine.logit(0, 7), expectedLogit(tokens, 7));
  EXPECT_EQ(machine.logit(0, 8), 0);
}

TEST(RuntimeContext, AllRows) {
  Machine machine;
  Tokens tokens{3, 1, 4};
  ASSERT_TRUE(machine.step({{&machine.sequence(), tokens}}, LogitMode::All).ok());
  ASSERT_EQ(machine->engine().logitRowCount(), 3u);
  EXPECT_EQ(machine.logit(1, 2), expectedLogit({3, 1}, 2));
  EXPECT_EQ(machine.logit(2, 2), expectedLogit(tokens, 2));
}

TEST(RuntimeContext, ChunksOfAPromptAgreeWithOneStep) {
  Machine machine;
  Sequence &sequence = machine.sequence();
  Tokens tokens{3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
  for (size_t at = 0; at < tokens.size(); at += 3)
    ASSERT_TRUE(
        machine.step({{&sequence, std::span(tokens).subspan(at, std::min<size_t>(3, 10 - at))}}).ok());
  EXPECT_EQ(sequence.length, 10u);
  EXPECT_EQ(machine.logit(0, 5), expectedLogit(tokens, 5));
}

TEST(RuntimeContext, RaggedBatchWithAnEmptySequence) {
  Machine machine;
  Tokens a{1, 2, 3}, c{7};
  Sequence &empty = machine.sequence();
  ASSERT_TRUE(machine.step({{&machine.sequence(), a}, {&empty, {}}, {&machine.sequence(), c}}).ok());
  EXPECT_EQ(machine.logit(0, 1), expectedLogit(a, 1));
  EXPECT_EQ(machine.logit(2, 1), expectedLogit(c, 1));
  EXPECT_FALSE(machine->rowHasValues(1));
  EXPECT_EQ(empty.length, 0u);
  int32_t ids[3];
  ASSERT_TRUE(machine->sampleGreedy(ids).ok());
  EXPECT_EQ(ids[0], 7); // the embedding grows with the channel
  EXPECT_EQ(ids[1], -1);
}

TEST(RuntimeContext, EmptyBatchIsLegal) {
  Machine machine;
  Status status = machine.step({});
  EXPECT_TRUE(status.ok()) << status.text();
  EXPECT_EQ(machine->engine().logitRowCount(), 0u);
}

TEST(RuntimeContext, ForkSharesFullPagesAndCopiesTheLast) {
  Machine machine;
  Sequence &first = machine.sequence();
  Tokens past{1, 2, 3, 4, 5, 6}; // a full page of 4 and a partial one
  ASSERT_TRUE(machine.step({{&first, past}}).ok());
  uint64_t freePages = machine->freePages();
  Sequence &second = **machine->forkSequence(first);
  EXPECT_EQ(second.length, 6u);
  EXPECT_EQ(machine->freePages(), freePages - 1);
  EXPECT_EQ(first.pages[0], second.pages[0]);
  EXPECT_NE(first.pages[1], second.pages[1]);
  Tokens left{9, 8, 7}, right{2};
  ASSERT_TRUE(machine.step({{&first, left}, {&second, right}}).ok());
  EXPECT_EQ(machine.logit(0, 3), expectedLogit(concat(past, left), 3));
  EXPECT_EQ(machine.logit(1, 3), expectedLogit(concat(past, right), 3));
  machine->freeSequence(first);
  ASSERT_TRUE(machine.step({{&second, right}}).ok()); // the shared page is still there
  EXPECT_EQ(machine.logit(0, 3), expectedLogit({1, 2, 3, 4, 5, 6, 2, 2}, 3));
  machine->freeSequence(second);
  EXPECT_EQ(machine->freePages(), machine->engine().pages());
  EXPECT_EQ(machine->freeSlots(), machine->engine().slots());
}

TEST(RuntimeContext, CheckpointsBecomeSequences) {
  Machine machine;
  Sequence &first = machine.sequence(), &second = machine.sequence();
  Tokens a{5, 6}, b{1, 2, 3, 4, 5, 6, 7};
  ASSERT_TRUE(machine.step({{&first, a}, {&second, b}}, LogitMode::Last, {{1, 3}, {1, 5}}).ok());
  ASSERT_EQ(machine.forks.size(), 2u);
  Sequence &atFour = *machine.forks[0], &atSix = *machine.forks[1];
  EXPECT_EQ(atFour.length, 4u);
  EXPECT_EQ(atSix.length, 6u);
  Tokens next{9};
  ASSERT_TRUE(machine.step({{&atFour, next}, {&second, next}, {&atSix, next}}).ok());
  EXPECT_EQ(machine.logit(0, 1), expectedLogit({1, 2, 3, 4, 9}, 1));
  EXPECT_EQ(machine.logit(1, 1), expectedLogit({1, 2, 3, 4, 5, 6, 7, 9}, 1));
  EXPECT_EQ(machine.logit(2, 1), expectedLogit({1, 2, 3, 4, 5, 6, 9}, 1));
}

TEST(RuntimeContext, ThreadsAndGrainDoNotChangeBits) {
  std::vector<float> bits;
  for (uint32_t grain : {1u, 2u, 3u, 100u}) {
    for (unsigned threads : {1u, 2u, 5u}) {
      Machine machine({.threads = threads}, {.grain = grain}, "random:42");
      Tokens a{1, 2, 3, 4, 5}, b{6, 7, 8}, c{9, 10, 11, 12};
      std::vector<BatchItem> batch{
          {&machine.sequence(), a}, {&machine.sequence(), b}, {&machine.sequence(), c}};
      ASSERT_TRUE(machine.step(batch, LogitMode::All).ok());
      if (bits.empty())
        bits = machine->engine().logits();
      EXPECT_EQ(bits, machine->engine().logits()) << threads << " threads, grain " << grain;
    }
  }
}

//===----------------------------------------------------------------------===//
// Refusals; each leaves everything as it was.
//===----------------------------------------------------------------------===//

static void expectRefused(Machine &machine, std::vector<BatchItem> batch, Code code, const char *text,
                          LogitMode mode = LogitMode::Last, std::vector<ForkPoint> points = {}) {
  uint64_t slots = machine->freeSlots(), pages = machine->freePages();
  std::vector<uint64_t> lengths;
  for (const BatchItem &item : batch)
    lengths.push_back(item.sequence->length);
  Status status = machine.step(batch, mode, points);
  EXPECT_EQ(status.code(), code);
  EXPECT_NE(status.text().find(text), std::string::npos) << status.text();
  EXPECT_EQ(machine->freeSlots(), slots);
  EXPECT_EQ(machine->freePages(), pages);
  for (size_t i = 0; i < batch.size(); ++i)
    EXPECT_EQ(batch[i].sequence->length, lengths[i]);
}

TEST(RuntimeContextErrors, TokenOutOfRange) {
  Machine machine;
  Tokens high{1, 16}, low{-1};
  expectRefused(machine, {{&machine.sequence(), high}}, Code::BadInput,
                "sequence 0 of the batch: token 1 is id 16, the vocabulary has ids 0 to 15");
  expectRefused(machine, {{&machine.sequence(), low}}, Code::BadInput, "token 0 is id -1");
}

TEST(RuntimeContextErrors, MoreTokensThanCompiledFor) {
  Machine machine;
  Tokens tokens(13, 1);
  expectRefused(machine, {{&machine.sequence(), tokens}}, Code::BadInput,
                "the batch has 13 tokens, the package was compiled for at most 12 a step (--max-tokens)");
}

TEST(RuntimeContextErrors, MoreSequencesThanCompiledFor) {
  Machine machine;
  std::vector<BatchItem> batch;
  for (int i = 0; i < 4; ++i)
    batch.push_back({&machine.sequence(), {}});
  expectRefused(machine, batch, Code::BadInput,
                "the batch has 4 sequences, the package was compiled for at most 3 (--max-seqs)");
}

TEST(RuntimeContextErrors, ContextOverflow) {
  Machine machine;
  Sequence &sequence = machine.sequence();
  Tokens ten(10, 1), eleven(11, 1);
  ASSERT_TRUE(machine.step({{&sequence, ten}}).ok());
  ASSERT_TRUE(machine.step({{&sequence, ten}}).ok());
  expectRefused(machine, {{&sequence, eleven}}, Code::BadInput,
                "would have 31 tokens, the package was compiled for at most 30 (--max-context)");
  EXPECT_TRUE(machine.step({{&sequence, ten}}).ok());
}

TEST(RuntimeContextErrors, OutOfSlots) {
  Machine machine({.slots = 2});
  machine.sequence();
  Sequence &last = machine.sequence();
  auto third = machine->createSequence();
  ASSERT_FALSE(third.ok());
  EXPECT_EQ(third.status().code(), Code::NoSlot);
  EXPECT_NE(third.status().text().find("out of state slots: 1 needed, 0 of 2 free"), std::string::npos);
  EXPECT_FALSE(machine->forkSequence(last).ok());
  Tokens tokens{1};
  expectRefused(machine, {{&last, tokens}}, Code::NoSlot, "out of state slots", LogitMode::Last, {{0, 0}});
  machine->freeSequence(last);
  EXPECT_TRUE(machine->createSequence().ok());
}

TEST(RuntimeContextErrors, OutOfPages) {
  Machine machine({.pages = 2});
  Sequence &first = machine.sequence(), &second = machine.sequence();
  Tokens four(4, 1), five(5, 1);
  ASSERT_TRUE(machine.step({{&first, four}}).ok());
  expectRefused(machine, {{&second, five}}, Code::NoSlot, "out of cache pages: 2 needed, 1 of 2 free");
  EXPECT_TRUE(machine.step({{&second, four}}).ok());
}

TEST(RuntimeContextErrors, MoreRowsThanCompiledFor) {
  Machine machine({}, {.maxRows = 3});
  Tokens tokens(4, 1);
  expectRefused(machine, {{&machine.sequence(), tokens}}, Code::BadInput, "compile with --all-logits",
                LogitMode::All);
}

TEST(RuntimeContextErrors, CheckpointsWithoutRoom) {
  Machine none({}, {.maxCheckpoints = 0}), two;
  Tokens tokens(4, 1);
  expectRefused(none, {{&none.sequence(), tokens}}, Code::Unsupported, "compiled without checkpoints",
                LogitMode::Last, {{0, 1}});
  expectRefused(two, {{&two.sequence(), tokens}}, Code::BadInput, "the batch has 3 checkpoints",
                LogitMode::Last, {{0, 0}, {0, 1}, {0, 2}});
  expectRefused(two, {{&two.sequence(), tokens}}, Code::BadUsage, "checkpoint 0 is not at a new token",
                LogitMode::Last, {{0, 4}});
}

TEST(RuntimeContextErrors, SequenceTwice) {
  Machine machine;
  Sequence &sequence = machine.sequence();
  expectRefused(machine, {{&sequence, {}}, {&sequence, {}}}, Code::BadUsage,
                "sequence 1 of the batch is in the batch twice");
}

TEST(RuntimeContextErrors, SequenceOfAnotherContext) {
  Machine machine, other;
  expectRefused(machine, {{&other.sequence(), {}}}, Code::BadUsage, "is not of this context");
}
