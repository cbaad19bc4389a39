//===- BenchTest.cpp - What k3-bench accepts as right ---------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks run over memory of the host: outputs are computed here in f32, rounded to bf16, and then spoiled in one way.
//
//===----------------------------------------------------------------------===//

#include "lib/Mx/Formats.h"
#include "runtime/Host/HostDevice.h"
#include "tools/bench/Report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>

using namespace k3;
using namespace k3::bench;

namespace {

class BenchTest : public ::testing::Test {
protected:
  static constexpr int64_t rows = 70;

  void add(unsigned number, fb::DType dtype, std::vector<int64_t> dims, bool written = false) {
    Operand operand;
    operand.number = number;
    operand.buffer = static_cast<uint32_t>(package.buffers.size());
    operand.written = written;
    operand.view.dtype = dtype;
    operand.view.elementBytes = dtype == fb::DType::BF16 ? 2 : 4;
    operand.view.rank = dims.size();
    std::copy(dims.begin(), dims.end(), operand.view.dims.begin());
    operand.view.strides = {dims.size() == 2 ? dims[1] : 1, 1};
    operands.push_back(operand);
    package.buffers.push_back(std::make_unique<fb::BufferT>());
  }

  void make() {
    auto made = Tensors::create(device, package, problem, operands, 3);
    ASSERT_TRUE(made) << made.status().text();
    tensors = std::move(*made);
  }

  float get(unsigned number, int64_t index) {
    const Operand &operand = *findOperand(operands, number);
    std::byte *data = tensors->address(0, operand);
    if (operand.view.elementBytes == 2)
      return mx::decodeBf16(reinterpret_cast<uint16_t *>(data)[index]);
    return reinterpret_cast<float *>(data)[index];
  }
  void put(unsigned number, int64_t index, float value) {
    reinterpret_cast<uint16_t *>(tensors->address(0, *findOperand(operands, number)))[index] = mx::encodeBf16(value);
  }
  CheckResult check() {
    auto result = checkOutputs(device, problem, operands, *tensors);
    EXPECT_TRUE(result) << result.status().text();
    return result ? *result : CheckResult();
  }

  /// A product of 70 rows and its output, in f32.
  void makeGemm(Epilogue epilogue) {
    problem.n = 200;
    problem.k = 40;
    problem.epilogue = epilogue;
    problem.beta = 4;
    problem.linearBeta = 25;
    add(0, fb::DType::BF16, {rows, problem.k});
    add(1, fb::DType::BF16, {problem.weightRows(), problem.k});
    add(2, fb::DType::BF16, {rows, problem.n}, true);
    if (epilogue == Epilogue::ResidualAdd || epilogue == Epilogue::SigmoidGate)
      add(3, fb::DType::BF16, {rows, problem.n});
    make();
    for (int64_t t = 0; t < rows; ++t)
      for (int64_t n = 0; n < problem.n; ++n) {
        float a = product(t, n), value = a;
        if (epilogue == Epilogue::ResidualAdd)
          value = a + get(3, t * problem.n + n);
        if (epilogue == Epilogue::SigmoidGate)
          value = get(3, t * problem.n + n) / (1 + std::exp(-a));
        if (epilogue == Epilogue::SituGlu)
          value = 4 * std::tanh(a / 4) / (1 + std::exp(-a)) * 25 * std::tanh(product(t, problem.n + n) / 25);
        put(2, t * problem.n + n, value);
      }
  }
  float product(int64_t t, int64_t n) {
    float sum = 0;
    for (int64_t k = 0; k < problem.k; ++k)
      sum += get(0, t * problem.k + k) * get(1, n * problem.k + k);
    return sum;
  }

  HostDevice device{1};
  fb::PackageT package;
  Problem problem;
  std::vector<Operand> operands;
  std::unique_ptr<Tensors> tensors;
};

TEST_F(BenchTest, ProductsPass) {
  for (Epilogue epilogue : {Epilogue::None, Epilogue::ResidualAdd, Epilogue::SituGlu, Epilogue::SigmoidGate}) {
    operands.clear();
    package.buffers.clear();
    makeGemm(epilogue);
    CheckResult result = check();
    EXPECT_EQ(result.failure, "");
    EXPECT_LT(result.relative, 3e-3);
    EXPECT_GT(result.samples, 2000u);
  }
}

TEST_F(BenchTest, LastRowOffByFivePercent) {
  makeGemm(Epilogue::None);
  for (int64_t n = 0; n < problem.n; ++n)
    put(2, (rows - 1) * problem.n + n, 1.05f * get(2, (rows - 1) * problem.n + n));
  EXPECT_NE(check().failure.find("output 2 [69, "), std::string::npos);
}

TEST_F(BenchTest, OneElementNotWritten) {
  makeGemm(Epilogue::None);
  put(2, 33 * problem.n + 7, std::nanf(""));
  EXPECT_EQ(check().failure, "output 2: 1 elements are NaN or were not written, the first [33, 7]");
}

TEST_F(BenchTest, WroteTooFar) {
  makeGemm(Epilogue::None);
  put(2, rows * problem.n, 1);
  EXPECT_EQ(check().failure, "2 bytes around the outputs were written");
}

TEST_F(BenchTest, WholeComparisonFindsWhatSamplesMiss) {
  makeGemm(Epilogue::None);
  const Operand &y = *findOperand(operands, 2);
  std::vector<std::byte> other(y.view.bytes());
  std::memcpy(other.data(), tensors->address(0, y), other.size());
  CheckResult result;
  ASSERT_TRUE(compareWhole(device, y, *tensors, other.data(), result).ok());
  EXPECT_EQ(result.failure, "");
  put(2, 41 * problem.n + 101, get(2, 41 * problem.n + 101) + 1);
  ASSERT_TRUE(compareWhole(device, y, *tensors, other.data(), result).ok());
  EXPECT_EQ(result.failure, "1 elements differ from cuBLAS, the first [41, 101]");
}

TEST_F(BenchTest, SetsAreEqual) {
  makeGemm(Epilogue::None);
  EXPECT_EQ(tensors->sets(), 3u);
  const Operand &w = operands[1];
  EXPECT_NE(tensors->address(0, w), tensors->address(2, w));
  EXPECT_EQ(std::memcmp(tensors->address(0, w), tensors->address(2, w), w.view.bytes()), 0);
}

TEST_F(BenchTest, RmsNorm) {
  problem.family = Family::RmsNorm;
  problem.d = 72;
  problem.eps = 1e-5;
  add(0, fb::DType::BF16, {rows, 72});
  add(1, fb::DType::F32, {72});
  add(2, fb::DType::BF16, {rows, 72}, true);
  make();
  for (int64_t t = 0; t < rows; ++t) {
    float squares = 0;
    for (int64_t i = 0; i < 72; ++i)
      squares += get(0, t * 72 + i) * get(0, t * 72 + i);
    for (int64_t i = 0; i < 72; ++i)
      put(2, t * 72 + i, get(0, t * 72 + i) / std::sqrt(squares / 72 + 1e-5f) * get(1, i));
  }
  EXPECT_EQ(check().failure, "");
}

TEST_F(BenchTest, AttnResOfThreeSources) {
  problem.family = Family::AttnRes;
  constexpr int64_t d = 64;
  problem.d = d;
  problem.sources = 3;
  problem.eps = 1e-5;
  problem.addsDelta = true;
  add(0, fb::DType::BF16, {rows, d});
  add(1, fb::DType::BF16, {rows, d});
  add(2, fb::DType::F32, {d});
  add(4, fb::DType::BF16, {rows, d}, true);
  add(5, fb::DType::BF16, {rows, d}, true);
  add(7, fb::DType::BF16, {rows, d});
  add(8, fb::DType::BF16, {rows, d});
  make();
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t i = t * d; i < (t + 1) * d; ++i)
      put(4, i, get(0, i) + get(1, i));
    float weight[3], sum = 0;
    constexpr unsigned source[] = {7, 8, 4};
    for (int s = 0; s < 3; ++s) {
      float product = 0, squares = 0;
      for (int64_t i = 0; i < d; ++i) {
        float value = get(source[s], t * d + i);
        product += value * get(2, i);
        squares += value * value;
      }
      sum += weight[s] = std::exp(product / std::sqrt(squares / d + 1e-5f));
    }
    for (int64_t i = t * d; i < (t + 1) * d; ++i)
      put(5, i, (weight[0] * get(7, i) + weight[1] * get(8, i) + weight[2] * get(4, i)) / sum);
  }
  EXPECT_EQ(check().failure, "");
  put(4, 3, 100);
  EXPECT_NE(check().failure.find("output 4 [0, 3]"), std::string::npos);
}

TEST(BenchProblem, Parses) {
  auto gemm = parseProblem("g", R"({"family": "gemm", "n": 64, "k": 32, "epilogue": "situ_glu", "beta": 4, "linear_beta": 25,
                                    "schedule": "128x256", "operands": [0, 1, 2, -1]})");
  ASSERT_TRUE(gemm) << gemm.status().text();
  EXPECT_EQ(gemm->weightRows(), 128);
  EXPECT_EQ(gemm->schedule, "128x256");
  EXPECT_EQ(gemm->operands, (std::vector<int>{0, 1, 2, -1}));
  EXPECT_EQ(gemm->flops(10), 2.0 * 10 * 128 * 32);
  EXPECT_EQ(gemm->text.find("schedule"), std::string::npos);
}

TEST(BenchProblem, Errors) {
  auto text = [](const char *json) { return parseProblem("g", json).status().text(); };
  std::string where = "the description of kernel 'g' (meta \"kernel.g\") ";
  EXPECT_EQ(text("{"), where + "is no JSON object");
  EXPECT_EQ(text(R"({"family": "conv"})"), where + "is of the family 'conv', which this tool cannot check");
  EXPECT_EQ(text(R"({"family": "gemm", "n": 1})"), where + "has no positive number 'k'");
  EXPECT_EQ(text(R"({"family": "gemm", "n": 1, "k": 1, "epilogue": "relu"})"),
            where + "has the epilogue 'relu', which this tool cannot check");
}

/// A timing of a product and a failed check.
std::vector<Result> twoResults() {
  std::vector<Result> results(2);
  results[0].function = "gemm";
  results[0].mode = "warm";
  results[0].kernel = "gemm_64x32_r1";
  results[0].problem = *parseProblem("g", R"({"family": "gemm", "n": 64, "k": 32, "epilogue": "none", "schedule": "wide"})");
  results[0].rows = 16;
  results[0].seconds = 4e-6;
  results[0].floor = 1e-6;
  results[0].cublas = 5e-6;
  results[1] = results[0];
  results[1].mode = "check";
  results[1].seconds = 0;
  results[1].failure = "output 2 [0, 3] is off";
  return results;
}

TEST(BenchReport, JsonOfGoogleBenchmark) {
  auto json = nlohmann::json::parse(resultsJson({.name = "a card"}, twoResults()));
  EXPECT_EQ(json["context"]["gpu"], "a card");
  const auto &runs = json["benchmarks"];
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0]["name"], "gemm/16/warm");
  EXPECT_NEAR(runs[0]["real_time"].get<double>(), 4, 1e-9);
  EXPECT_EQ(runs[0]["time_unit"], "us");
  EXPECT_NEAR(runs[0]["of_cublas"].get<double>(), 1.25, 1e-9);
  EXPECT_EQ(runs[1]["error_message"], "output 2 [0, 3] is off");
}

TEST(BenchReport, Line) {
  std::string line = tableLine(twoResults()[0]);
  EXPECT_NE(line.find("gemm                       16 warm        4.00       1.00  25.0%"), std::string::npos) << line;
  EXPECT_NE(tableLine(twoResults()[1]).find("FAILED: output 2 [0, 3] is off"), std::string::npos);
}

TEST(BenchReport, TuneTakesTheFastest) {
  std::vector<Result> results = twoResults();
  for (int64_t rows : {16, 32, 64})
    for (const char *schedule : {"wide", "narrow"}) {
      results.push_back(results[0]);
      results.back().rows = rows;
      results.back().problem.schedule = schedule;
      results.back().seconds = (rows < 64) == (std::string(schedule) == "narrow") ? 1e-6 : 2e-6;
    }
  std::string table = tuneTable(results);
  EXPECT_NE(table.find("  rows 16-32: narrow\n  rows 64: wide\n"), std::string::npos) << table;
}

} // namespace
