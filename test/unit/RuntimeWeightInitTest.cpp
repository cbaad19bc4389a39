//===- RuntimeWeightInitTest.cpp - Random weights by rule -----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Mx/Block.h"
#include "runtime/WeightInit.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

using namespace k3;

static std::vector<float> fill(const char *rule, const char *name = "t", size_t count = 20000) {
  std::vector<float> values(count);
  EXPECT_TRUE(fillByRule(*InitRule::parse(rule), 5, name, fb::DType::F32, false,
                         std::as_writable_bytes(std::span(values)))
                  .ok());
  return values;
}

static void expectMoments(const std::vector<float> &values, double mean, double deviation) {
  double sum = 0, squares = 0;
  for (float value : values) {
    sum += value;
    squares += double(value) * value;
  }
  double n = static_cast<double>(values.size());
  EXPECT_NEAR(sum / n, mean, deviation * 0.03);
  EXPECT_NEAR(std::sqrt(squares / n - (sum / n) * (sum / n)), deviation, deviation * 0.03);
}

TEST(RuntimeWeightInit, Distributions) {
  EXPECT_EQ(fill("ones", "t", 3), std::vector<float>(3, 1.0f));
  EXPECT_EQ(fill("zeros", "t", 3), std::vector<float>(3, 0.0f));
  EXPECT_EQ(fill("", "t", 3), std::vector<float>(3, 0.0f));
  expectMoments(fill("normal(0.5, 0.02)"), 0.5, 0.02);
  expectMoments(fill("uniform(-1, 3)"), 1, 4 / std::sqrt(12.0));
  EXPECT_NE(fill("normal(0, 1)", "a"), fill("normal(0, 1)", "b"));
}

TEST(RuntimeWeightInit, MxDeviation) {
  for (double deviation : {0.02, 0.7, 3.0}) {
    std::string text = "mx(" + std::to_string(deviation) + ")";
    std::vector<uint8_t> packed(32 * 1024), scales(2 * 1024);
    auto rule = *InitRule::parse(text);
    ASSERT_TRUE(
        fillByRule(rule, 1, "p", fb::DType::U8, false, std::as_writable_bytes(std::span(packed))).ok());
    ASSERT_TRUE(
        fillByRule(rule, 1, "s", fb::DType::U8, true, std::as_writable_bytes(std::span(scales))).ok());
    std::vector<float> values(packed.size() * 2);
    mx::dequantizeMxfp4Row(packed, scales, values);
    expectMoments(values, 0, deviation);
  }
}

TEST(RuntimeWeightInit, UnknownRules) {
  for (const char *text :
       {"normal", "normal(1)", "normal(0, -1)", "uniform(2, 1)", "mx(0)", "xavier(1)", "normal(a, b)"})
    EXPECT_FALSE(InitRule::parse(text).ok()) << text;
}
