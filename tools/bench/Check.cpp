//===- Check.cpp - Whether a kernel computed what it should ---------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/bench/Check.h"

#include "lib/Mx/Formats.h"
#include "lib/Reference/AttnRes.h"
#include "lib/Support/Random.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

using namespace k3;
using namespace k3::bench;
using reference::Values;

namespace {

/// `ends` indices at both ends of [0, count) and one of each of `parts` equal ranges between.
std::vector<int64_t> sample(int64_t count, int64_t ends, int64_t parts, uint64_t stream) {
  RandomStream random(/*seed=*/21, stream);
  std::set<int64_t> chosen;
  for (int64_t i = 0; i < std::min(ends, count); ++i)
    chosen.insert({i, count - 1 - i});
  for (int64_t part = 0; part < parts; ++part) {
    int64_t first = count * part / parts, size = count * (part + 1) / parts - first;
    if (size > 0)
      chosen.insert(first + static_cast<int64_t>(random.bits(static_cast<uint64_t>(part)) % static_cast<uint64_t>(size)));
  }
  return {chosen.begin(), chosen.end()};
}

class Checker {
public:
  Checker(Device &device, const Problem &problem, const std::vector<Operand> &operands, const Tensors &tensors)
      : device(device), problem(problem), operands(operands), tensors(tensors) {}

  Status run() {
    for (const Operand &operand : operands)
      if (operand.written)
        K3_TRY(findUnwritten(operand));
    K3_ASSIGN(uint64_t damaged, tensors.damagedBytes());
    if (damaged)
      fail(std::to_string(damaged) + " bytes around the outputs were written");
    const Operand &out = *findOperand(operands, problem.family == Family::AttnRes ? 5 : 2);
    rows = sample(out.view.dims[0], 2, 32, 0);
    switch (problem.family) {
    case Family::Gemm:
      return checkGemm(out);
    case Family::RmsNorm:
      return checkRmsNorm(out);
    case Family::AttnRes:
      return checkAttnRes(out);
    }
    return Status::success();
  }

  CheckResult result;

private:
  void fail(std::string text) {
    if (result.failure.empty())
      result.failure = std::move(text);
  }

  std::string nameOf(const Operand &operand) const {
    return "output " + std::to_string(operand.number);
  }

  /// Outputs were NaN before the run.
  Status findUnwritten(const Operand &operand) {
    uint64_t bytes = operand.view.bytes(), chunk = uint64_t(64) << 20, missing = 0, first = 0;
    uint64_t size = operand.view.elementBytes;
    std::vector<std::byte> host(std::min(bytes, chunk));
    for (uint64_t done = 0; done < bytes; done += chunk) {
      uint64_t count = std::min(chunk, bytes - done);
      K3_TRY(device.copyOut(host.data(), tensors.address(0, operand) + done, count));
      for (uint64_t i = 0; i < count; i += size) {
        bool isNan;
        if (size == 2) {
          uint16_t code;
          std::memcpy(&code, &host[i], 2);
          isNan = (code & 0x7FFF) > 0x7F80;
        } else {
          float value;
          std::memcpy(&value, &host[i], 4);
          isNan = std::isnan(value);
        }
        if (isNan && missing++ == 0)
          first = (done + i) / size;
      }
    }
    if (missing) {
      auto width = static_cast<uint64_t>(operand.view.dims[operand.view.rank - 1]);
      fail(nameOf(operand) + ": " + std::to_string(missing) + " elements are NaN or were not written, the first [" +
           std::to_string(first / width) + ", " + std::to_string(first % width) + "]");
    }
    return Status::success();
  }

  /// Row `row` of a matrix, or a whole vector.
  Expected<Values> row(const Operand &operand, int64_t row) const {
    auto width = static_cast<uint64_t>(operand.view.dims[operand.view.rank - 1]), size = operand.view.elementBytes;
    std::vector<std::byte> host(width * size);
    K3_TRY(device.copyOut(host.data(), tensors.address(0, operand) + static_cast<uint64_t>(row) * width * size, host.size()));
    Values values(width);
    for (uint64_t i = 0; i < width; ++i) {
      if (size == 2) {
        uint16_t code;
        std::memcpy(&code, &host[i * 2], 2);
        values[i] = mx::decodeBf16(code);
      } else {
        float value;
        std::memcpy(&value, &host[i * 4], 4);
        values[i] = value;
      }
    }
    return values;
  }

  struct Norms {
    double error = 0, total = 0;
  };

  /// `expected` against what is at [row, columns]; empty columns: the whole row.
  Status compare(const Operand &operand, int64_t index, const std::vector<int64_t> &columns, const Values &expected,
                 Norms &norms) {
    K3_ASSIGN(Values actual, row(operand, index));
    double largest = 1e-30, error = 0;
    int64_t where = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      int64_t column = columns.empty() ? static_cast<int64_t>(i) : columns[i];
      double difference = std::abs(actual[static_cast<size_t>(column)] - expected[i]);
      if (!(difference <= error)) // also NaN
        error = difference, where = column;
      norms.error += difference * difference;
      norms.total += expected[i] * expected[i];
      largest = std::max(largest, std::abs(expected[i]));
    }
    result.samples += expected.size();
    if (!(error / largest <= result.worst))
      result.worst = error / largest;
    if (!(error / largest <= maxWorst))
      fail(nameOf(operand) + " [" + std::to_string(index) + ", " + std::to_string(where) + "] is off by " +
           std::to_string(error / largest) + " of its row's maximum");
    return Status::success();
  }

  void close(const Operand &operand, const Norms &norms) {
    double relative = std::sqrt(norms.error / std::max(norms.total, 1e-300));
    if (!(relative <= result.relative))
      result.relative = relative;
    if (!(relative <= maxRelative))
      fail(nameOf(operand) + " is off by " + std::to_string(relative) + " in the 2-norm");
  }

  Status checkGemm(const Operand &out) {
    const Operand &x = *findOperand(operands, 0), &w = *findOperand(operands, 1), *extra = findOperand(operands, 3);
    std::vector<int64_t> columns = sample(problem.n, 8, 64, 1);
    bool paired = problem.epilogue == Epilogue::SituGlu;
    std::vector<Values> weights, ups;
    for (int64_t column : columns) {
      K3_ASSIGN(Values weight, row(w, column));
      weights.push_back(std::move(weight));
      if (paired) {
        K3_ASSIGN(Values up, row(w, problem.n + column));
        ups.push_back(std::move(up));
      }
    }
    auto dot = [](const Values &a, const Values &b) {
      double sum = 0;
      for (size_t i = 0; i < a.size(); ++i)
        sum += a[i] * b[i];
      return sum;
    };
    Norms norms;
    for (int64_t t : rows) {
      K3_ASSIGN(Values input, row(x, t));
      Values other;
      if (extra) {
        K3_ASSIGN(other, row(*extra, t));
      }
      Values expected(columns.size());
      for (size_t c = 0; c < columns.size(); ++c) {
        double product = dot(input, weights[c]);
        auto column = static_cast<size_t>(columns[c]);
        switch (problem.epilogue) {
        case Epilogue::None:
          expected[c] = product;
          break;
        case Epilogue::ResidualAdd:
          expected[c] = product + other[column];
          break;
        case Epilogue::SituGlu:
          expected[c] = reference::situGlu(product, dot(input, ups[c]), problem.beta, problem.linearBeta);
          break;
        case Epilogue::SigmoidGate:
          expected[c] = other[column] * reference::sigmoid(product);
          break;
        }
      }
      K3_TRY(compare(out, t, columns, expected, norms));
    }
    close(out, norms);
    return Status::success();
  }

  Status checkRmsNorm(const Operand &out) {
    K3_ASSIGN(Values weight, row(*findOperand(operands, 1), 0));
    Norms norms;
    for (int64_t t : rows) {
      K3_ASSIGN(Values input, row(*findOperand(operands, 0), t));
      K3_TRY(compare(out, t, {}, reference::rmsNorm(input, weight, problem.eps), norms));
    }
    close(out, norms);
    return Status::success();
  }

  /// The prefix sum is rounded to bf16 before it is mixed (NUMERICS.md "attn_res").
  Status checkAttnRes(const Operand &out) {
    K3_ASSIGN(Values query, row(*findOperand(operands, 2), 0));
    Values ones(query.size(), 1.0), norm;
    if (problem.norm) {
      K3_ASSIGN(norm, row(*findOperand(operands, 3), 0));
    }
    Norms mixNorms, sumNorms, bankNorms;
    for (int64_t t : rows) {
      K3_ASSIGN(Values sum, row(*findOperand(operands, 0), t));
      if (problem.addsDelta) {
        K3_ASSIGN(Values delta, row(*findOperand(operands, 1), t));
        for (size_t i = 0; i < sum.size(); ++i)
          sum[i] = mx::decodeBf16(mx::encodeBf16(static_cast<float>(sum[i] + delta[i])));
        K3_TRY(compare(*findOperand(operands, 4), t, {}, sum, sumNorms));
      }
      if (problem.writesBank)
        K3_TRY(compare(*findOperand(operands, 6), t, {}, sum, bankNorms));
      std::vector<Values> sources;
      for (int64_t i = 0; i + 1 < problem.sources; ++i) {
        K3_ASSIGN(Values bank, row(*findOperand(operands, static_cast<unsigned>(7 + i)), t));
        sources.push_back(std::move(bank));
      }
      sources.push_back(std::move(sum));
      Values mixed = reference::attnRes({sources.begin(), sources.end()}, ones, query, problem.eps).mixed;
      K3_TRY(compare(out, t, {}, problem.norm ? reference::rmsNorm(mixed, norm, problem.eps) : mixed, mixNorms));
    }
    close(out, mixNorms);
    if (problem.addsDelta)
      close(*findOperand(operands, 4), sumNorms);
    if (problem.writesBank)
      close(*findOperand(operands, 6), bankNorms);
    return Status::success();
  }

  Device &device;
  const Problem &problem;
  const std::vector<Operand> &operands;
  const Tensors &tensors;
  std::vector<int64_t> rows;
};

} // namespace

Expected<CheckResult> bench::checkOutputs(Device &device, const Problem &problem, const std::vector<Operand> &operands,
                                          const Tensors &tensors) {
  Checker checker(device, problem, operands, tensors);
  K3_TRY(checker.run());
  return std::move(checker.result);
}

Status bench::compareWhole(Device &device, const Operand &operand, const Tensors &tensors, const std::byte *other,
                           CheckResult &result) {
  auto width = static_cast<uint64_t>(operand.view.dims[1]), rows = static_cast<uint64_t>(operand.view.dims[0]);
  uint64_t chunk = std::max<uint64_t>(1, (uint64_t(32) << 20) / (width * 2)), wrong = 0;
  std::vector<uint16_t> ours(chunk * width), theirs(chunk * width);
  std::string first;
  for (uint64_t done = 0; done < rows; done += chunk) {
    uint64_t count = std::min(chunk, rows - done), offset = done * width * 2;
    K3_TRY(device.copyOut(ours.data(), tensors.address(0, operand) + offset, count * width * 2));
    K3_TRY(device.copyOut(theirs.data(), other + offset, count * width * 2));
    for (uint64_t row = 0; row < count; ++row) {
      const uint16_t *a = &ours[row * width], *b = &theirs[row * width];
      float largest = 1e-30f;
      for (uint64_t i = 0; i < width; ++i)
        largest = std::max(largest, std::abs(mx::decodeBf16(b[i])));
      for (uint64_t i = 0; i < width; ++i)
        if (!(std::abs(mx::decodeBf16(a[i]) - mx::decodeBf16(b[i])) <= 2e-2f * largest) && wrong++ == 0)
          first = "[" + std::to_string(done + row) + ", " + std::to_string(i) + "]";
    }
  }
  if (wrong && result.failure.empty())
    result.failure = std::to_string(wrong) + " elements differ from cuBLAS, the first " + first;
  return Status::success();
}
