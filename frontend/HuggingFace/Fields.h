//===- Fields.h - Reading a JSON object field by field -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A closed object of config.json: every field is read, checked, known and ignored, or an error. The first
// failure is kept and later reads return neutral values, so a reader is a plain list of fields.
//
//===----------------------------------------------------------------------===//

#ifndef K3_FRONTEND_HUGGINGFACE_FIELDS_H
#define K3_FRONTEND_HUGGINGFACE_FIELDS_H

#include "lib/Support/Status.h"

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace k3 {

class Fields {
public:
  /// Fields of `object`; `file` and `path` ("text_config.linear_attn_config") name them in messages. `status`
  /// is shared by the readers of one file and keeps the first failure.
  Fields(const nlohmann::json &object, std::string file, std::string path, Status &status);

  /// An integer of at least `least` and at most 2^24 (2^40 for `wide`).
  int64_t integer(std::string_view name, int64_t least = 1, bool wide = false);
  /// A finite number.
  double number(std::string_view name);
  /// A finite number above zero.
  double positive(std::string_view name);
  bool flag(std::string_view name);
  std::vector<int64_t> integers(std::string_view name);
  /// The object of that name; an empty one after a failure.
  Fields object(std::string_view name);

  /// The field has to be there and to have this value; `because` says why no other one is supported.
  void expect(std::string_view name, const nlohmann::json &value, std::string_view because);
  /// As expect(), for a field that may be absent or null.
  void expectIfGiven(std::string_view name, const nlohmann::json &value, std::string_view because);
  /// Fields that may be present and have no influence on inference.
  void ignore(std::initializer_list<const char *> names);
  /// A field whose presence (other than null) is refused.
  void refuse(std::string_view name, std::string_view because);
  /// Every field that was not asked for is an error with a suggestion.
  void finish();

  bool has(std::string_view name) const { return object_->contains(std::string(name)); }
  /// Records `'path.name' is VALUE, TEXT` unless there is a failure already.
  void fail(std::string_view name, std::string_view text);
  std::string qualified(std::string_view name) const;
  bool ok() const { return status.ok(); }

private:
  /// The value of a required field or null; marks the field as known.
  const nlohmann::json *find(std::string_view name, std::string_view expected);

  const nlohmann::json *object_;
  std::string file, path;
  Status &status;
  std::set<std::string, std::less<>> known;
};

/// Parses `text`: one object, no key twice. Messages begin with `file`.
Expected<nlohmann::json> parseJsonObject(std::string_view text, const std::string &file);

} // namespace k3

#endif // K3_FRONTEND_HUGGINGFACE_FIELDS_H
