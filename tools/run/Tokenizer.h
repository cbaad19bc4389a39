//===- Tokenizer.h - Text to token ids and back -------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tokenizer that a package names. Only "bytes" is built: a token below 256 is a byte of UTF-8.
//
//===----------------------------------------------------------------------===//

#ifndef K3_TOOLS_RUN_TOKENIZER_H
#define K3_TOOLS_RUN_TOKENIZER_H

#include "lib/Support/Status.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace k3::run {

class Tokenizer {
public:
  virtual ~Tokenizer() = default;
  virtual std::vector<int32_t> encode(std::string_view text) const = 0;
  /// The text that one more token adds; may be part of a character.
  virtual std::string decode(int32_t token) const = 0;

  /// `name` as in the package. Unsupported for a tokenizer that is not built.
  static Expected<std::unique_ptr<Tokenizer>> create(std::string_view name);
};

} // namespace k3::run

#endif // K3_TOOLS_RUN_TOKENIZER_H
