//===- Text.h - Small helpers for messages and flags ------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small helpers for messages and command lines.
//
//===----------------------------------------------------------------------===//

#ifndef K3_SUPPORT_TEXT_H
#define K3_SUPPORT_TEXT_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace k3 {

/// 1536 -> "1.5 KiB", 17 -> "17 B".
std::string humanBytes(uint64_t bytes);

/// 497052 -> "497,052".
std::string groupDigits(uint64_t number);

/// {2, 3} -> "[2, 3]"; no dims -> "[]".
std::string shapeText(std::span<const int64_t> dims);

/// The parts of `text` between separators; "a,,b" has an empty middle part, "" has one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Without blanks, tabs and line ends at both ends.
std::string_view trim(std::string_view text);

/// The elements with `separator` between them.
template <typename Range>
std::string join(const Range &parts, std::string_view separator) {
  std::string text;
  bool first = true;
  for (const auto &part : parts) {
    if (!first)
      text += separator;
    first = false;
    text += part;
  }
  return text;
}

/// One line for a terminal, whatever a file or a flag put into a message: control characters as escapes (\n, \x1b), and of
/// a very long text its beginning and end.
std::string printable(std::string_view text);

/// A decimal integer with an optional minus and nothing around it; none where it is malformed or too large.
std::optional<int64_t> parseInt(std::string_view text);

/// Insertions, deletions, replacements and swaps of neighbours that lead from one text to the other.
size_t editDistance(std::string_view from, std::string_view to);

/// " (did you mean 'x'?)" for the candidate nearest to `name`, or "" where none is near.
std::string didYouMean(std::string_view name, std::span<const std::string_view> candidates);
std::string didYouMean(std::string_view name, std::span<const std::string> candidates);

} // namespace k3

#endif // K3_SUPPORT_TEXT_H
