//===- Text.cpp - Layouts as text, both ways ------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Text.h"
#include "lib/Layout/Named.h"
#include "lib/Support/Text.h"

#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <utility>

using namespace k3;
using namespace k3::layout;

using Args = std::vector<int32_t>;

namespace {

/// A name with the numbers it takes.
template <typename Layout>
struct Name {
  std::string_view name;
  size_t minArgs, maxArgs;
  Expected<Layout> (*make)(const Args &args);
};

} // namespace

static const Name<RegLayout> regNames[] = {
    {"acc", 1, 1, [](const Args &a) { return acc(a[0]); }},
    {"mma_c", 1, 1, [](const Args &a) { return mmaC(a[0]); }},
    {"mma_a", 1, 1, [](const Args &a) { return mmaA(a[0]); }},
    {"mma_b", 1, 1, [](const Args &a) { return mmaB(a[0]); }},
    {"mma_a8", 1, 1, [](const Args &a) { return mmaA(a[0], 8); }},
    {"mma_b8", 1, 1, [](const Args &a) { return mmaB(a[0], 8); }},
    {"wg_a", 1, 1, [](const Args &a) { return wgA(a[0]); }},
    {"bt", 0, 0, [](const Args &) { return bt(); }},
    {"mx_a", 1, 1, [](const Args &a) { return mxA(a[0]); }},
    {"mx_b", 1, 1, [](const Args &a) { return mxB(a[0]); }},
    {"rows", 3, 3, [](const Args &a) { return rows(a[0], a[1], a[2]); }},
};

template <int32_t span>
static Expected<SharedLayout> makeSwizzled(const Args &a) {
  return swizzled(span, a[0], a[1], a[2], a.size() > 3 ? a[3] : 0);
}

static const Name<SharedLayout> sharedNames[] = {
    {"sw128", 3, 4, makeSwizzled<128>},
    {"sw64", 3, 4, makeSwizzled<64>},
    {"sw32", 3, 4, makeSwizzled<32>},
    {"core8x8", 2, 2, [](const Args &a) { return core8x8(a[0], a[1]); }},
    {"row_major", 3, 4, [](const Args &a) { return rowMajor(a[0], a[1], a[2], a.size() > 3 ? a[3] : 0); }},
    {"decay", 0, 0, [](const Args &) { return kdaDecay(); }},
    {"staging", 0, 0, [](const Args &) { return outputStaging(); }},
    {"kq", 0, 0, [](const Args &) { return kdaKq(); }},
    {"z", 0, 0, [](const Args &) { return kdaZ(); }},
    {"mx_codes", 1, 1, [](const Args &a) { return mxCodes(a[0]); }},
    {"mx_scales", 1, 1, [](const Args &a) { return mxScales(a[0]); }},
};

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// The name if that call makes this layout.
template <typename Layout, size_t size>
static std::optional<std::string> named(const Layout &layout, const Name<Layout> (&table)[size],
                                        std::string_view name, const Args &args) {
  for (const Name<Layout> &entry : table) {
    if (entry.name != name)
      continue;
    Expected<Layout> made = entry.make(args);
    if (!made.ok() || !(*made == layout))
      return std::nullopt;
    std::string text(name);
    for (int32_t arg : args)
      text += " " + std::to_string(arg);
    return text;
  }
  return std::nullopt;
}

static std::string listText(const std::vector<std::vector<int32_t>> &list) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i)
    text += (i ? ", " : "") + coordText(list[i]);
  return text + "]";
}

std::string layout::printBases(const RegLayout &layout) {
  std::string text = layout.reg().empty() ? "" : "reg " + listText(layout.reg()) + " ";
  text += "lane " + listText(layout.lane());
  if (!layout.warp().empty())
    text += " warp " + listText(layout.warp());
  std::vector<std::string> repeats;
  for (const Repeat &repeat : layout.repeats())
    repeats.push_back((repeat.owner == Owner::Register ? "reg " : "warp ") + std::to_string(repeat.count) +
                      " on " + (repeat.dim == Repeat::replicate ? "*" : std::to_string(repeat.dim)));
  return repeats.empty() ? text : text + " repeat [" + join(repeats, ", ") + "]";
}

std::string layout::printBases(const SharedLayout &layout) {
  std::string text = "bytes " + std::to_string(layout.elementBytes()) + " bases " + listText(layout.bases());
  std::vector<std::string> repeats;
  for (const SharedRepeat &repeat : layout.repeats())
    repeats.push_back(std::to_string(repeat.count) + " on " + std::to_string(repeat.dim) + " by " +
                      std::to_string(repeat.stride));
  if (!repeats.empty())
    text += " repeat [" + join(repeats, ", ") + "]";
  return layout.base() ? text + " base " + std::to_string(layout.base()) : text;
}

std::string layout::print(const RegLayout &layout) {
  const Coord &shape = layout.shape();
  int32_t warps = layout.numWarps(), last = shape.empty() ? 0 : shape.back();
  std::vector<std::pair<std::string_view, Args>> tries;
  if (shape.size() == 1)
    for (int32_t vector : {1, 2, 4, 8, 16})
      tries.push_back({"rows", {vector, last, warps}});
  if (shape.size() == 2)
    tries = {{"acc", {last}},    {"mma_c", {last}}, {"mma_a", {last}}, {"mma_b", {last}}, {"mma_a8", {last}},
             {"mma_b8", {last}}, {"wg_a", {last}},  {"bt", {}},        {"mx_a", {warps}}, {"mx_b", {warps}}};
  for (const auto &[name, args] : tries)
    if (auto text = named(layout, regNames, name, args))
      return *text;
  return printBases(layout);
}

std::string layout::print(const SharedLayout &layout) {
  const Coord &shape = layout.shape();
  int32_t bytes = layout.elementBytes();
  std::vector<std::pair<std::string_view, Args>> tries = {{"decay", {}}};
  if (shape.size() == 2) {
    for (std::string_view name : {"sw128", "sw64", "sw32", "row_major"})
      tries.push_back({name, {shape[0], shape[1], bytes}});
    tries.push_back({"core8x8", {shape[0], shape[1]}});
  }
  if (shape.size() > 2)
    tries.insert(tries.end(), {{"mx_codes", {shape[0]}}, {"mx_scales", {shape[0]}}});
  for (const auto &[name, args] : tries)
    if (auto text = named(layout, sharedNames, name, args))
      return *text;
  return printBases(layout);
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {

/// Reads words, numbers and punctuation; the first failure sticks.
class Reader {
public:
  explicit Reader(std::string_view text) : rest(text) { skip(); }

  bool done() const { return rest.empty(); }
  bool take(std::string_view token) {
    if (!rest.starts_with(token))
      return false;
    rest.remove_prefix(token.size());
    skip();
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token))
      fail("'" + std::string(token) + "'");
  }
  std::string_view word() {
    size_t n = 0;
    while (n < rest.size() && (std::isalnum(static_cast<unsigned char>(rest[n])) || rest[n] == '_'))
      ++n;
    std::string_view result = rest.substr(0, n);
    rest.remove_prefix(n);
    skip();
    return result;
  }
  bool atNumber() const { return !rest.empty() && std::isdigit(static_cast<unsigned char>(rest[0])); }
  int32_t number() {
    std::optional<int64_t> value = atNumber() ? parseInt(word()) : std::nullopt;
    if (!value || *value > INT32_MAX) {
      fail("a number");
      return 0;
    }
    return static_cast<int32_t>(*value);
  }
  std::vector<int32_t> numbers() {
    std::vector<int32_t> list;
    expect("[");
    while (error.empty() && !take("]")) {
      if (!list.empty())
        expect(",");
      list.push_back(number());
    }
    return list;
  }
  std::vector<std::vector<int32_t>> lists() {
    std::vector<std::vector<int32_t>> list;
    expect("[");
    while (error.empty() && !take("]")) {
      if (!list.empty())
        expect(",");
      list.push_back(numbers());
    }
    return list;
  }
  void fail(const std::string &expected) {
    if (error.empty())
      error = "expected " + expected + " at '" + std::string(rest.substr(0, 20)) + "'";
  }
  bool ok() const { return error.empty(); }
  Status status(std::string_view text) const {
    return badInput("layout '" + std::string(text) + "': " + error);
  }

private:
  void skip() {
    while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest[0])))
      rest.remove_prefix(1);
  }
  std::string_view rest;
  std::string error;
};

} // namespace

/// `name numbers...`; none where the text does not begin with a name of the table.
template <typename Layout, size_t size>
static std::optional<Expected<Layout>> parseNamed(std::string_view text, const Name<Layout> (&table)[size]) {
  Reader reader(text);
  std::string_view word = reader.word();
  for (const Name<Layout> &entry : table) {
    if (entry.name != word)
      continue;
    Args args;
    while (reader.ok() && !reader.done())
      args.push_back(reader.number());
    if (reader.ok() && (args.size() < entry.minArgs || args.size() > entry.maxArgs))
      reader.fail(std::to_string(entry.minArgs) + " numbers after '" + std::string(word) + "', not " +
                  std::to_string(args.size()) + ",");
    if (!reader.ok())
      return reader.status(text);
    return entry.make(args);
  }
  return std::nullopt;
}

template <typename Layout, size_t size>
static std::string nameHint(std::string_view text, const Name<Layout> (&table)[size]) {
  std::array<std::string_view, size> names;
  for (size_t i = 0; i < size; ++i)
    names[i] = table[i].name;
  return "a name (" + join(names, ", ") + ") or bases" + didYouMean(Reader(text).word(), names);
}

Expected<RegLayout> layout::parseRegLayout(std::string_view text) {
  if (auto layout = parseNamed(text, regNames))
    return std::move(*layout);
  Reader reader(text);
  std::vector<Coord> reg, lane, warp;
  std::vector<Repeat> repeats;
  if (reader.take("reg"))
    reg = reader.lists();
  if (!reader.take("lane"))
    reader.fail(reg.empty() ? nameHint(text, regNames) : "'lane'");
  if (reader.ok())
    lane = reader.lists();
  if (reader.ok() && reader.take("warp"))
    warp = reader.lists();
  if (reader.ok() && reader.take("repeat")) {
    reader.expect("[");
    while (reader.ok() && !reader.take("]")) {
      if (!repeats.empty())
        reader.expect(",");
      Owner owner = reader.take("reg") ? Owner::Register : Owner::Warp;
      if (owner == Owner::Warp)
        reader.expect("warp");
      int32_t count = reader.number();
      reader.expect("on");
      repeats.push_back({owner, count, reader.take("*") ? Repeat::replicate : reader.number()});
    }
  }
  if (reader.ok() && !reader.done())
    reader.fail("the end");
  if (!reader.ok())
    return reader.status(text);
  return RegLayout::make(reg, lane, warp, repeats);
}

Expected<SharedLayout> layout::parseSharedLayout(std::string_view text) {
  if (auto layout = parseNamed(text, sharedNames))
    return std::move(*layout);
  Reader reader(text);
  if (!reader.take("bytes"))
    reader.fail(nameHint(text, sharedNames));
  int32_t bytes = reader.ok() ? reader.number() : 0;
  reader.expect("bases");
  std::vector<std::vector<int32_t>> bases = reader.lists();
  std::vector<SharedRepeat> repeats;
  if (reader.ok() && reader.take("repeat")) {
    reader.expect("[");
    while (reader.ok() && !reader.take("]")) {
      if (!repeats.empty())
        reader.expect(",");
      int32_t count = reader.number();
      reader.expect("on");
      int32_t dim = reader.number();
      reader.expect("by");
      repeats.push_back({dim, count, reader.number()});
    }
  }
  int32_t base = reader.ok() && reader.take("base") ? reader.number() : 0;
  if (reader.ok() && !reader.done())
    reader.fail("the end");
  if (!reader.ok())
    return reader.status(text);
  return SharedLayout::make(bytes, bases, repeats, base);
}
