//===- Text.cpp - Small helpers for messages and flags --------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Support/Text.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

using namespace k3;

std::string k3::humanBytes(uint64_t bytes) {
  static constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  char text[32];
  std::snprintf(text, sizeof(text), unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

std::string k3::groupDigits(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t i = text.size(); i > 3; i -= 3)
    text.insert(i - 3, ",");
  return text;
}

std::string k3::shapeText(std::span<const int64_t> dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

std::vector<std::string_view> k3::split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view k3::trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string k3::printable(std::string_view text) {
  constexpr size_t longest = 2000, kept = 500;
  std::string line;
  auto append = [&line](std::string_view part) {
    for (unsigned char c : part) {
      char escape[5];
      if (c >= 0x20 && c != 0x7f) {
        line += static_cast<char>(c);
        continue;
      }
      std::snprintf(escape, sizeof escape, c == '\n' ? "\\n" : "\\x%02x", c);
      line += escape;
    }
  };
  if (text.size() <= longest) {
    append(text);
    return line;
  }
  append(text.substr(0, kept));
  line += " ... ";
  append(text.substr(text.size() - kept));
  return line;
}

std::optional<int64_t> k3::parseInt(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

size_t k3::editDistance(std::string_view from, std::string_view to) {
  // Rows i-2, i-1 and i of the usual table: distance of the first i characters to the first j.
  std::vector<size_t> older(to.size() + 1), previous(to.size() + 1), row(to.size() + 1);
  for (size_t j = 0; j <= to.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= from.size(); ++i) {
    older.swap(previous);
    previous.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= to.size(); ++j) {
      size_t replace = previous[j - 1] + (from[i - 1] != to[j - 1]);
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        row[j] = std::min(row[j], older[j - 2] + 1);
    }
  }
  return row[to.size()];
}

std::string k3::didYouMean(std::string_view name, std::span<const std::string_view> candidates) {
  // A third of the name may be wrong; beyond that a guess only confuses.
  size_t best = name.size() / 3 + 1;
  std::string_view nearest;
  for (std::string_view candidate : candidates)
    if (size_t distance = editDistance(name, candidate); distance < best) {
      best = distance;
      nearest = candidate;
    }
  return nearest.empty() ? "" : " (did you mean '" + std::string(nearest) + "'?)";
}

std::string k3::didYouMean(std::string_view name, std::span<const std::string> candidates) {
  std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return didYouMean(name, std::span<const std::string_view>(views));
}
