//===- SaxBase.h - JSON events that nobody expects --------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A base for nlohmann's event parser (which, unlike its tree parser, needs no exceptions and no tree): every
// event is refused with one sentence; a reader overrides those that its file may contain.
//
//===----------------------------------------------------------------------===//

#ifndef K3_SAFETENSORS_SAXBASE_H
#define K3_SAFETENSORS_SAXBASE_H

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace k3 {

struct SaxBase : nlohmann::json_sax<nlohmann::json> {
  /// Why the parse stopped; empty as long as all is well.
  std::string error;

  bool refuse(std::string why) {
    if (error.empty())
      error = std::move(why);
    return false;
  }

  bool null() override { return refuse("unexpected null"); }
  bool boolean(bool) override { return refuse("unexpected boolean"); }
  bool number_integer(int64_t number) override {
    return refuse("unexpected number " + std::to_string(number));
  }
  bool number_unsigned(uint64_t number) override {
    return refuse("unexpected number " + std::to_string(number));
  }
  bool number_float(double, const std::string &text) override { return refuse("unexpected number " + text); }
  bool string(std::string &text) override { return refuse("unexpected string '" + text + "'"); }
  bool binary(binary_t &) override { return refuse("unexpected binary value"); }
  bool start_object(size_t) override { return refuse("unexpected object"); }
  bool key(std::string &text) override { return refuse("unexpected key '" + text + "'"); }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return refuse("unexpected array"); }
  bool end_array() override { return true; }
  bool parse_error(size_t position, const std::string &, const nlohmann::detail::exception &) override {
    return refuse("not valid JSON at byte " + std::to_string(position));
  }
};

} // namespace k3

#endif // K3_SAFETENSORS_SAXBASE_H
