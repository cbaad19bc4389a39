//===- RuntimePackTest.cpp - Checkpoint to packed weights -----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Host/HostDevice.h"
#include "test/unit/RuntimeToyContext.h"

#include <cstring>

using namespace k3;

/// The packed weights as @pack leaves them, read through a state that lies over the Weights buffer.
static std::vector<std::byte> packedWeights(Context &context) {
  fb::StateT all;
  all.name = "weights";
  all.dtype = fb::DType::U8;
  all.shape = {1536};
  all.buffer = toy::Weights;
  std::vector<std::byte> bytes;
  EXPECT_TRUE(context.engine().readState(all, 0, bytes).ok());
  return bytes;
}

TEST(RuntimePack, CastsFamiliesAndUsedRows) {
  toy::Machine machine;
  std::vector<std::byte> bytes = packedWeights(*machine.context);
  float value;
  std::memcpy(&value, bytes.data() + toy::embedAt + 4 * (5 * 8 + 2), 4);
  EXPECT_EQ(value, 5.25f);
  std::memcpy(&value, bytes.data() + toy::headAt + 4 * (3 * 8 + 3), 4);
  EXPECT_EQ(value, 1.0f);
  float log[3];
  std::memcpy(log, bytes.data() + toy::logAt, 12);
  EXPECT_EQ(log[1], 8.0f);
  EXPECT_EQ(log[2], 0.0f);
  for (int e = 0; e < 3; ++e) {
    auto at = static_cast<size_t>(toy::expertsAt + e * toy::expertBytes);
    EXPECT_EQ(bytes[at], static_cast<std::byte>(0x77 + e));
    EXPECT_EQ(bytes[at + 64], std::byte{127});
  }
}

TEST(RuntimePack, ProgressReachesTheEndAndCanStop) {
  auto model = *ModelPackage::adopt(toy::package());
  auto weights = *openWeights(model->get(), "random:1");
  std::vector<uint64_t> seen;
  Context::Options options;
  options.progress = [&](uint64_t done, uint64_t total) {
    seen.push_back(done);
    return done <= total;
  };
  ASSERT_TRUE(Context::create(model, *weights, options).ok());
  EXPECT_EQ(seen.size(), 9u); // embed, head, A_log, 3 experts of 2 parts
  EXPECT_EQ(seen.back(), 2 * 256u + 8 + 3 * 68);
  options.progress = [](uint64_t, uint64_t) { return false; };
  auto stopped = Context::create(model, *weights, options);
  ASSERT_FALSE(stopped.ok());
  EXPECT_NE(stopped.status().text().find("stopped by the progress callback"), std::string::npos);
}

TEST(RuntimePack, RandomWeightsDependOnTheSeedOnly) {
  auto bits = [](const char *source) {
    toy::Machine machine({}, {}, source);
    return packedWeights(*machine.context);
  };
  EXPECT_EQ(bits("random:7"), bits("random:7"));
  EXPECT_NE(bits("random:7"), bits("random:8"));
}

static void expectOpenFails(const toy::Checkpoint &checkpoint, const char *name, const std::string &text) {
  auto model = *ModelPackage::adopt(toy::package());
  auto weights = openWeights(model->get(), toy::writeCheckpoint(toy::temporaryFolder(name), checkpoint));
  ASSERT_FALSE(weights.ok());
  EXPECT_NE(weights.status().text().find(text), std::string::npos) << weights.status().text();
}

TEST(RuntimeWeightErrors, MissingTensor) {
  expectOpenFails({.dropTensor = "m.experts.1.w.weight_scale"}, "missing",
                  "tensor 'm.experts.1.w.weight_scale' is missing (weight 'experts')");
}
TEST(RuntimeWeightErrors, WrongShape) {
  expectOpenFails(
      {.wrongShape = true}, "shape",
      "model.safetensors: tensor 'm.head.weight' is BF16 [8, 16], the package needs BF16 [16, 8]");
}
TEST(RuntimeWeightErrors, WrongType) {
  expectOpenFails({.wrongType = true}, "type",
                  "'m.head.weight' is F32 [16, 8], the package needs BF16 [16, 8]");
}
TEST(RuntimeWeightErrors, FurtherProblemsAreCounted) {
  expectOpenFails({.dropTensor = "m.embed.weight", .wrongShape = true}, "two", "; 1 more");
}

static Status packStatus(int scaleByte, const char *name) {
  auto model = *ModelPackage::adopt(toy::package());
  auto weights =
      *openWeights(model->get(), toy::writeCheckpoint(toy::temporaryFolder(name), {.scaleByte = scaleByte}));
  auto context = Context::create(model, *weights, {});
  return context ? Status::success() : context.takeStatus();
}

TEST(RuntimeWeightErrors, ScaleByte255) {
  Status status = packStatus(255, "scale255");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.text().find("tensor 'm.experts.1.w.weight_scale', row 1, block 0: scale byte 255"),
            std::string::npos)
      << status.text();
  EXPECT_EQ(status.text().find("program"), std::string::npos) << status.text();
}
TEST(RuntimeWeightErrors, ScaleByte254OverflowsHere) { EXPECT_FALSE(packStatus(254, "scale254").ok()); }
TEST(RuntimeWeightErrors, ScaleByte252IsFine) { EXPECT_TRUE(packStatus(252, "scale252").ok()); }

TEST(RuntimeWeightErrors, SeedIsNoNumber) {
  auto model = *ModelPackage::adopt(toy::package());
  EXPECT_EQ(openWeights(model->get(), "random:x").status().code(), Code::BadUsage);
  EXPECT_FALSE(openWeights(model->get(), "/nonexistent").ok());
}

TEST(RuntimePackageErrors, WhatTheRuntimeRefuses) {
  auto refused = [](std::unique_ptr<fb::PackageT> package, const char *text) {
    auto model = ModelPackage::adopt(std::move(package));
    ASSERT_FALSE(model.ok());
    EXPECT_NE(model.status().text().find(text), std::string::npos) << model.status().text();
  };
  auto noStep = toy::package();
  std::erase_if(noStep->programs, [](const auto &program) { return program->kind == fb::Kind::Step; });
  refused(std::move(noStep), "the package has no @step program");
  auto ranks = toy::package();
  ranks->mesh = std::make_unique<fb::MeshT>();
  ranks->mesh->world = 4;
  refused(std::move(ranks), "was compiled for 4 ranks, this runtime runs one");
}
