//===- Diff.cpp - Compares the tensors of two files ------------------ -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/dump/Diff.h"

#include "lib/Safetensors/File.h"
#include "lib/Support/Text.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <regex>

using namespace k3;

namespace {

template <typename T>
T load(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

double halfToDouble(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double magnitude = exponent == 0    ? std::ldexp(mantissa, -24)
                     : exponent == 31 ? (mantissa ? NAN : INFINITY)
                                      : std::ldexp(1024 + mantissa, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

/// Element `i` as a double; exact for every type listed. Nothing for a type that is not.
std::optional<double> element(const TensorView &tensor, size_t i) {
  const std::byte *data = tensor.bytes.data();
  switch (tensor.dtype) {
  case DType::F64:
    return load<double>(data + 8 * i);
  case DType::F32:
    return load<float>(data + 4 * i);
  case DType::BF16: {
    uint32_t bits = uint32_t(load<uint16_t>(data + 2 * i)) << 16;
    return load<float>(reinterpret_cast<const std::byte *>(&bits));
  }
  case DType::F16:
    return halfToDouble(load<uint16_t>(data + 2 * i));
  case DType::I64:
    return static_cast<double>(load<int64_t>(data + 8 * i));
  case DType::I32:
    return load<int32_t>(data + 4 * i);
  case DType::U32:
    return load<uint32_t>(data + 4 * i);
  case DType::I16:
    return load<int16_t>(data + 2 * i);
  case DType::U16:
    return load<uint16_t>(data + 2 * i);
  case DType::I8:
    return load<int8_t>(data + i);
  case DType::U8:
  case DType::Bool:
    return load<uint8_t>(data + i);
  default:
    return std::nullopt;
  }
}

/// Row-major position of element `i`.
std::string position(std::span<const int64_t> shape, int64_t i) {
  std::vector<int64_t> at(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; i /= shape[dim])
    at[dim] = i % shape[dim];
  return shapeText(at);
}

std::map<std::string, TensorView> selectTensors(const SafetensorsFile &file, const DiffOptions &options,
                                                const std::regex &pattern) {
  const std::string &prefix = options.stripPrefix;
  bool prefixed = false;
  for (std::string_view name : file.names())
    prefixed |= !prefix.empty() && name.starts_with(prefix);
  std::map<std::string, TensorView> tensors;
  for (std::string_view name : file.names()) {
    if (prefixed && !name.starts_with(prefix))
      continue;
    std::string stripped(prefixed ? name.substr(prefix.size()) : name);
    if (options.names.empty() || std::regex_match(stripped, pattern))
      tensors.emplace(std::move(stripped), *file.find(name));
  }
  return tensors;
}

struct Comparison {
  double relative = 0;
  bool nan = false;
  std::string text;
};

/// `tensor` without all but its last `columns` columns; `storage` keeps the bytes.
TensorView lastColumns(const TensorView &tensor, int64_t columns, std::vector<std::byte> &storage,
                       std::vector<int64_t> &shape) {
  shape.assign(tensor.shape.begin(), tensor.shape.end());
  size_t element = dtypeBits(tensor.dtype) / 8, row = element * shape.back(), kept = element * columns;
  for (size_t at = row - kept; at < tensor.bytes.size(); at += row)
    storage.insert(storage.end(), tensor.bytes.begin() + at, tensor.bytes.begin() + at + kept);
  shape.back() = columns;
  TensorView part = tensor;
  part.shape = shape;
  part.bytes = storage;
  return part;
}

Expected<Comparison> compare(const TensorView &result, const TensorView &reference) {
  double squares = 0, norm = 0, worst = -1;
  int64_t worstAt = 0, nanAt = -1, count = result.elements();
  bool nanInResult = false;
  for (int64_t i = 0; i < count; ++i) {
    std::optional<double> a = element(result, i), b = element(reference, i);
    if (!a || !b)
      return unsupported("tensor '" + std::string(result.name) + "' is " + result.typeText() + " and " +
                         reference.typeText() +
                         "; element types that a diff reads are integers, F16, BF16, F32, F64");
    if (std::isnan(*a) || std::isnan(*b)) {
      if (nanAt < 0) {
        nanAt = i;
        nanInResult = std::isnan(*a);
      }
      continue;
    }
    double difference = *a == *b ? 0 : std::fabs(*a - *b); // equal infinities do not differ
    squares += difference * difference;
    norm += *b * *b;
    if (difference > worst) {
      worst = difference;
      worstAt = i;
    }
  }
  Comparison comparison;
  comparison.nan = nanAt >= 0;
  comparison.relative = squares == 0 ? 0 : norm == 0 ? INFINITY : std::sqrt(squares / norm);
  char line[256];
  std::snprintf(line, sizeof line, "rel %.3e", comparison.relative);
  comparison.text = line;
  if (worst > 0) {
    std::snprintf(line, sizeof line, ", worst %.3e at %s (%.9g, reference %.9g)", worst,
                  position(result.shape, worstAt).c_str(), *element(result, worstAt),
                  *element(reference, worstAt));
    comparison.text += line;
  }
  if (comparison.nan)
    comparison.text += ", NaN in the " + std::string(nanInResult ? "result" : "reference") + " at " +
                       position(result.shape, nanAt);
  return comparison;
}

Expected<std::regex> parseRegex(const char *flag, const std::string &text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error &error) {
    return badUsage(std::string(flag) + "='" + text + "' is no regular expression: " + error.what());
  }
}

} // namespace

Expected<bool> k3::diffTensors(const DiffOptions &options) {
  K3_ASSIGN(std::regex pattern, parseRegex("--names", options.names));
  K3_ASSIGN(std::regex cutNames, parseRegex("--last-columns", options.lastColumns));
  K3_ASSIGN(SafetensorsFile resultFile, SafetensorsFile::open(options.result));
  K3_ASSIGN(SafetensorsFile referenceFile, SafetensorsFile::open(options.reference));
  auto results = selectTensors(resultFile, options, pattern),
       references = selectTensors(referenceFile, options, pattern);

  size_t compared = 0, bad = 0, missing = 0;
  double worst = 0;
  std::string worstName = "none";
  auto absent = [&](const std::string &name, const std::string &file) {
    if (options.commonOnly)
      return;
    ++missing;
    std::printf("%s: missing in %s\n", name.c_str(), file.c_str());
  };
  for (auto &[name, reference] : references) {
    auto found = results.find(name);
    if (found == results.end()) {
      absent(name, options.result);
      continue;
    }
    const TensorView &result = found->second;
    ++compared;
    std::vector<std::byte> storage;
    std::vector<int64_t> shape;
    bool cut = !options.lastColumns.empty() && std::regex_match(name, cutNames) && !result.shape.empty() &&
               !reference.shape.empty() && reference.shape.back() > result.shape.back();
    if (cut)
      reference = lastColumns(reference, result.shape.back(), storage, shape);
    if (!std::equal(result.shape.begin(), result.shape.end(), reference.shape.begin(),
                    reference.shape.end())) {
      ++bad;
      std::printf("%s: is %s, the reference is %s\n", name.c_str(), result.typeText().c_str(),
                  reference.typeText().c_str());
      continue;
    }
    K3_ASSIGN(Comparison comparison, compare(result, reference));
    bool over = comparison.nan || (options.tolerance && !(comparison.relative <= *options.tolerance));
    bad += over;
    if (comparison.relative >= worst) {
      worst = comparison.relative;
      worstName = name;
    }
    std::printf("%s: %s %s%s\n", name.c_str(), result.typeText().c_str(), comparison.text.c_str(),
                over ? "  <-- differs" : "");
  }
  for (const auto &[name, result] : results)
    if (!options.allowExtra && !references.contains(name))
      absent(name, options.reference);

  std::printf("%zu tensors compared, %zu differ, %zu missing; worst %s: %.3e", compared, bad, missing,
              worstName.c_str(), worst);
  if (options.tolerance)
    std::printf(" (tolerance %.3e)", *options.tolerance);
  std::printf("\n");
  if (compared == 0 && missing == 0)
    return badInput("no tensor name is in both files" +
                    std::string(options.names.empty() ? "" : " and matches --names"));
  return bad == 0 && missing == 0;
}
