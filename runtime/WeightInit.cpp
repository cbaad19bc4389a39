//===- WeightInit.cpp - Random weights by rule ----------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/WeightInit.h"

#include "lib/Package/DType.h"
#include "lib/Support/Random.h"
#include "lib/Support/Text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

using namespace k3;

static bool parseNumber(std::string_view text, double &value) {
  text = trim(text);
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

Expected<InitRule> InitRule::parse(std::string_view text) {
  text = trim(text);
  InitRule rule;
  if (text.empty() || text == "zeros")
    return rule;
  if (text == "ones") {
    rule.kind = Kind::Ones;
    return rule;
  }
  auto bad = [&] {
    return badInput("unknown init rule '" + std::string(text) +
                    "', expected zeros, ones, normal(MEAN, STD), uniform(LOW, HIGH) or mx(STD)");
  };
  size_t open = text.find('(');
  if (open == std::string_view::npos || text.back() != ')')
    return bad();
  std::string_view name = trim(text.substr(0, open));
  auto numbers = split(text.substr(open + 1, text.size() - open - 2), ',');
  bool one = numbers.size() == 1 && parseNumber(numbers[0], rule.a);
  bool two = numbers.size() == 2 && parseNumber(numbers[0], rule.a) && parseNumber(numbers[1], rule.b);
  if (name == "normal" && two && rule.b >= 0)
    rule.kind = Kind::Normal;
  else if (name == "uniform" && two && rule.a <= rule.b)
    rule.kind = Kind::Uniform;
  else if (name == "mx" && one && rule.a > 0)
    rule.kind = Kind::Mx;
  else
    return bad();
  return rule;
}

/// Round to nearest even; x is finite.
static uint16_t toBf16(float x) {
  uint32_t bits = std::bit_cast<uint32_t>(x);
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

template <typename F>
static Status fillElements(fb::DType dtype, std::span<std::byte> out, F value) {
  if (dtype == fb::DType::F32) {
    for (size_t i = 0; i < out.size() / 4; ++i) {
      float x = value(i);
      std::memcpy(out.data() + 4 * i, &x, 4);
    }
    return Status::success();
  }
  if (dtype == fb::DType::BF16) {
    for (size_t i = 0; i < out.size() / 2; ++i) {
      uint16_t x = toBf16(value(i));
      std::memcpy(out.data() + 2 * i, &x, 2);
    }
    return Status::success();
  }
  return unsupported("random weights of type " + std::string(dtypeName(dtype)));
}

static void fillNibbles(const RandomStream &random, std::span<std::byte> out) {
  for (size_t i = 0; i < out.size(); i += 8) {
    uint64_t bits = random.bits(i / 8);
    std::memcpy(out.data() + i, &bits, std::min<size_t>(8, out.size() - i));
  }
}

static Status fillScales(const RandomStream &random, double deviation, std::span<std::byte> out) {
  double target = deviation / std::sqrt(137.0 / 16.0);
  int exponent = static_cast<int>(std::floor(std::log2(target)));
  // Mean square of the scale: p 2^(2 e) + (1 - p) 2^(2 e + 2) = target^2.
  double ratio = target / std::exp2(exponent);
  auto below = static_cast<float>((4.0 - ratio * ratio) / 3.0);
  if (exponent + 127 < 0 || exponent + 128 > 252)
    return badInput("mx deviation " + std::to_string(deviation) + " is outside the range of E8M0 scales");
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::byte>(exponent + 127 + (random.uniform(i) >= below));
  return Status::success();
}

Status k3::fillByRule(const InitRule &rule, uint64_t seed, const std::string &tensorName, fb::DType dtype,
                      bool isScale, std::span<std::byte> out) {
  RandomStream random(seed, hash64(tensorName));
  auto a = static_cast<float>(rule.a), b = static_cast<float>(rule.b);
  switch (rule.kind) {
  case InitRule::Kind::Zeros:
    std::fill(out.begin(), out.end(), std::byte{0});
    return Status::success();
  case InitRule::Kind::Ones:
    return fillElements(dtype, out, [](size_t) { return 1.0f; });
  case InitRule::Kind::Normal:
    return fillElements(dtype, out, [&](size_t i) { return a + b * random.normal(i); });
  case InitRule::Kind::Uniform:
    return fillElements(dtype, out, [&](size_t i) { return random.uniform(i, a, b); });
  case InitRule::Kind::Mx:
    if (bitWidth(dtype) != 8)
      return badInput("rule mx needs bytes, the tensor has " + std::string(dtypeName(dtype)));
    if (isScale)
      return fillScales(random, rule.a, out);
    fillNibbles(random, out);
    return Status::success();
  }
  return internalError("an init rule has no implementation");
}
