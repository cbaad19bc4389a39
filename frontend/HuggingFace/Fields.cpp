//===- Fields.cpp - Reading a JSON object field by field -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/HuggingFace/Fields.h"

#include "lib/Support/Text.h"

#include <cmath>

using namespace k3;
using nlohmann::json;

static const json emptyObject = json::object();

/// The value as it stands in the file, shortened.
static std::string valueText(const json &value) {
  std::string text = value.dump();
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

Fields::Fields(const json &object, std::string file, std::string path, Status &status)
    : object_(&object), file(std::move(file)), path(std::move(path)), status(status) {}

std::string Fields::qualified(std::string_view name) const {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

void Fields::fail(std::string_view name, std::string_view text) {
  if (!status.ok())
    return;
  auto value = object_->find(std::string(name));
  std::string what = value == object_->end() ? " " : " is " + valueText(*value) + ", ";
  status = badInput(file + ": '" + qualified(name) + "'" + what + std::string(text));
}

const json *Fields::find(std::string_view name, std::string_view expected) {
  known.emplace(name);
  if (!status.ok())
    return nullptr;
  auto value = object_->find(std::string(name));
  if (value == object_->end()) {
    status = badInput(file + ": '" + qualified(name) + "' is missing, expected " + std::string(expected));
    return nullptr;
  }
  return &*value;
}

int64_t Fields::integer(std::string_view name, int64_t least, bool wide) {
  int64_t most = int64_t(1) << (wide ? 40 : 24);
  std::string expected = "an integer of at least " + std::to_string(least);
  const json *value = find(name, expected);
  if (!value)
    return least;
  if (!value->is_number_integer() ||
      (value->is_number_unsigned() && value->get<uint64_t>() > uint64_t(most)) ||
      value->get<int64_t>() < least || value->get<int64_t>() > most) {
    fail(name, "expected " + expected + " and at most " + std::to_string(most));
    return least;
  }
  return value->get<int64_t>();
}

double Fields::number(std::string_view name) {
  const json *value = find(name, "a number");
  if (!value)
    return 1;
  if (!value->is_number() || !std::isfinite(value->get<double>())) {
    fail(name, "expected a number");
    return 1;
  }
  return value->get<double>();
}

double Fields::positive(std::string_view name) {
  double value = number(name);
  if (!(value > 0))
    fail(name, "expected a number above zero");
  return value > 0 ? value : 1;
}

bool Fields::flag(std::string_view name) {
  const json *value = find(name, "true or false");
  if (!value)
    return false;
  if (!value->is_boolean()) {
    fail(name, "expected true or false");
    return false;
  }
  return value->get<bool>();
}

std::vector<int64_t> Fields::integers(std::string_view name) {
  const json *value = find(name, "a list of integers");
  std::vector<int64_t> list;
  if (!value)
    return list;
  bool good = value->is_array();
  for (size_t i = 0; good && i < value->size(); ++i)
    if ((good = (*value)[i].is_number_integer()))
      list.push_back((*value)[i].get<int64_t>());
  if (!good)
    fail(name, "expected a list of integers");
  return list;
}

Fields Fields::object(std::string_view name) {
  const json *value = find(name, "an object");
  if (value && !value->is_object()) {
    fail(name, "expected an object");
    value = nullptr;
  }
  return Fields(value ? *value : emptyObject, file, qualified(name), status);
}

void Fields::expect(std::string_view name, const json &expected, std::string_view because) {
  const json *value = find(name, valueText(expected));
  if (value && *value != expected)
    fail(name, "expected " + valueText(expected) + ": " + std::string(because));
}

void Fields::expectIfGiven(std::string_view name, const json &expected, std::string_view because) {
  known.emplace(name);
  auto value = object_->find(std::string(name));
  if (value != object_->end() && !value->is_null() && *value != expected)
    fail(name, "expected " + valueText(expected) + ": " + std::string(because));
}

void Fields::ignore(std::initializer_list<const char *> names) { known.insert(names.begin(), names.end()); }

void Fields::refuse(std::string_view name, std::string_view because) {
  known.emplace(name);
  auto value = object_->find(std::string(name));
  if (value != object_->end() && !value->is_null())
    fail(name, because);
}

void Fields::finish() {
  if (!status.ok())
    return;
  for (const auto &[name, value] : object_->items()) {
    if (known.count(name))
      continue;
    std::vector<std::string> candidates(known.begin(), known.end());
    status =
        badInput(file + ": unknown field '" + qualified(name) + "'" + didYouMean(name, candidates) +
                 "; a field that this compiler does not know may change the model, remove it if it does not");
    return;
  }
}

Expected<json> k3::parseJsonObject(std::string_view text, const std::string &file) {
  std::vector<std::set<std::string>> open;
  std::string twice;
  auto watch = [&](int, json::parse_event_t event, json &value) {
    if (event == json::parse_event_t::object_start)
      open.emplace_back();
    else if (event == json::parse_event_t::object_end)
      open.pop_back();
    else if (event == json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second)
      twice = value.get<std::string>();
    return true;
  };
  json parsed = json::parse(text.begin(), text.end(), watch, /*allow_exceptions=*/false);
  if (parsed.is_discarded())
    return badInput(file + ": not valid JSON (" + std::to_string(text.size()) +
                    " bytes read); is the file truncated?");
  if (!parsed.is_object())
    return badInput(file + ": expected a JSON object");
  if (!twice.empty())
    return badInput(file + ": field '" + twice + "' appears twice in one object");
  return parsed;
}
