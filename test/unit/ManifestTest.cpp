//===- ManifestTest.cpp - Expansion of the weight manifest -------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Package/Manifest.h"

#include <gtest/gtest.h>

using namespace k3;

namespace {

std::unique_ptr<fb::PartT> part(std::string suffix, fb::DType type, std::vector<uint64_t> shape) {
  auto result = std::make_unique<fb::PartT>();
  result->suffix = std::move(suffix);
  result->dtype = type;
  result->shape = std::move(shape);
  return result;
}

std::unique_ptr<fb::IndexT> range(std::string variable, uint32_t first, uint32_t count) {
  auto result = std::make_unique<fb::IndexT>();
  result->var = std::move(variable);
  result->first = first;
  result->count = count;
  return result;
}

/// Two layers (1, 2) of three experts, MX with two parts.
std::unique_ptr<fb::WeightT> family() {
  auto weight = std::make_unique<fb::WeightT>();
  weight->name = "w1";
  weight->pattern = "layers.{l}.experts.{e}.w1";
  weight->index.push_back(range("l", 1, 2));
  weight->index.push_back(range("e", 0, 3));
  weight->parts.push_back(part(".weight_packed", fb::DType::U8, {4, 16}));
  weight->parts.push_back(part(".weight_scale", fb::DType::U8, {4, 1}));
  return weight;
}

TEST(Manifest, ExpandsRowMajorOverTheIndex) {
  fb::PackageT package;
  package.weights.push_back(family());
  std::vector<std::string> names;
  uint64_t bytes = 0;
  ASSERT_TRUE(forEachTensor(package, [&](const ManifestTensor &tensor) {
                names.push_back(tensor.name);
                bytes += tensor.bytes;
                return Status::success();
              }).ok());
  ASSERT_EQ(names.size(), 12u);
  EXPECT_EQ(names[0], "layers.1.experts.0.w1.weight_packed");
  EXPECT_EQ(names[1], "layers.1.experts.0.w1.weight_scale");
  EXPECT_EQ(names[2], "layers.1.experts.1.w1.weight_packed");
  EXPECT_EQ(names[11], "layers.2.experts.2.w1.weight_scale");
  ManifestTotals totals = manifestTotals(package);
  EXPECT_EQ(totals.count, 12u);
  EXPECT_EQ(totals.bytes, 6u * (64 + 4));
  EXPECT_EQ(bytes, totals.bytes);
}

TEST(Manifest, OneTensorWithoutAnIndex) {
  fb::WeightT weight;
  weight.name = "norm";
  weight.pattern = "model.norm.weight";
  weight.parts.push_back(part("", fb::DType::BF16, {192}));
  EXPECT_TRUE(checkWeight(weight).ok());
  EXPECT_EQ(memberCount(weight), 1u);
  EXPECT_EQ(tensorName(weight, 0, 0), "model.norm.weight");
}

TEST(Manifest, RefusesAPatternThatDoesNotMatchItsIndex) {
  auto weight = family();
  weight->index.pop_back();
  EXPECT_EQ(checkWeight(*weight).text(),
            "weight 'w1': its pattern 'layers.{l}.experts.{e}.w1' has a variable without an index range");
  weight->index.push_back(range("x", 0, 2));
  EXPECT_EQ(checkWeight(*weight).text(), "weight 'w1': its pattern 'layers.{l}.experts.{e}.w1' has no {x}");
}

TEST(Manifest, RefusesSizesThatOverflow) {
  auto weight = family();
  weight->parts[0]->shape = {1ull << 40, 1ull << 40};
  EXPECT_FALSE(checkWeight(*weight).ok());
  weight = family();
  weight->parts[0]->shape = {1ull << 62};
  EXPECT_EQ(checkWeight(*weight).text(), "weight 'w1': is larger than 2^63 bytes");
}

} // namespace
