//===- RuntimeGraphTest.cpp - Hand-written graphs -------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/RuntimeToyContext.h"

#include <cstring>

using namespace k3;

template <typename T>
static HostArray array(fb::DType dtype, std::vector<int64_t> dims, const std::vector<T> &values) {
  HostArray result{dtype, std::move(dims), std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty())
    std::memcpy(result.bytes.data(), values.data(), result.bytes.size());
  return result;
}

static HostArray ints(const std::vector<int32_t> &values) {
  return array(fb::DType::I32, {static_cast<int64_t>(values.size())}, values);
}

static std::vector<float> floats(const HostArray &from) {
  std::vector<float> values(from.bytes.size() / 4);
  std::memcpy(values.data(), from.bytes.data(), from.bytes.size());
  return values;
}

/// Three rows of one sequence that comes after a past.
static Engine::NamedArrays inputs() {
  return {{"x", array(fb::DType::F32, {3, 8}, std::vector<float>(24, 2.0f))},
          {"cu_seqlens", ints({0, 3})},
          {"context_lens", ints({5})},
          {"read_slots", ints({0})},
          {"write_slots", ints({0})},
          {"ckpt_slots", ints({})},
          {"ckpt_rows", ints({})},
          {"s", array(fb::DType::F32, {8}, std::vector<float>(8, 10.0f))}};
}

TEST(RuntimeGraph, RunsOnGivenArraysAndState) {
  toy::Machine machine({}, {.graphOnly = true});
  const ModelPackage &package = machine->engine().package();
  ASSERT_EQ(package.graphs().size(), 1u);
  EXPECT_FALSE(package.hasStep());
  Engine::NamedArrays outputs;
  Status status = machine->engine().runGraph(package.graphs()[0], inputs(), outputs);
  ASSERT_TRUE(status.ok()) << status.text();
  EXPECT_EQ(outputs["y"].dims, (std::vector<int64_t>{3, 8}));
  EXPECT_EQ(floats(outputs["y"])[0], 12.0f);
  EXPECT_EQ(floats(outputs["y"])[23], 16.0f);
  EXPECT_EQ(floats(outputs["s"])[7], 16.0f);
  EXPECT_EQ(outputs["w"].dims, (std::vector<int64_t>{3, 8}));
  EXPECT_EQ(floats(outputs["w"])[0], 2.0f);
}

TEST(RuntimeGraph, Refusals) {
  toy::Machine machine({}, {.graphOnly = true});
  const GraphFunction &graph = machine->engine().package().graphs()[0];
  auto refused = [&](const Engine::NamedArrays &arrays, const char *text) {
    Engine::NamedArrays outputs;
    Status status = machine->engine().runGraph(graph, arrays, outputs);
    EXPECT_NE(status.text().find(text), std::string::npos) << status.text();
  };
  auto arrays = inputs();
  arrays.erase("x");
  refused(arrays, "graph 'prefix': input 'x' is missing");
  arrays = inputs();
  arrays["write_slots"] = ints({0, 1});
  refused(arrays, "graph input 'write_slots', dimension 0 has extent 2, expected S with S = 1");
  arrays["write_slots"] = array<float>(fb::DType::F32, {1}, {0});
  refused(arrays, "graph input 'write_slots' is F32, expected I32");
  arrays = inputs();
  arrays["s"] = array(fb::DType::F32, {3}, std::vector<float>(3));
  refused(arrays, "state 's' is given as F32 [3], expected whole slots or pages of 32 bytes");
  std::vector<int32_t> tokens{1};
  EXPECT_NE(machine.step({{&machine.sequence(), tokens}}).text().find("the package has no @step program"),
            std::string::npos);
}
