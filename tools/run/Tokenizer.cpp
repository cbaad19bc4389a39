//===- Tokenizer.cpp - Text to token ids and back --------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/run/Tokenizer.h"

using namespace k3;
using namespace k3::run;

namespace {

class ByteTokenizer final : public Tokenizer {
public:
  std::vector<int32_t> encode(std::string_view text) const override {
    std::vector<int32_t> tokens;
    for (unsigned char byte : text)
      tokens.push_back(byte);
    return tokens;
  }
  std::string decode(int32_t token) const override {
    return token >= 0 && token < 256 ? std::string(1, static_cast<char>(token)) : std::string();
  }
};

} // namespace

Expected<std::unique_ptr<Tokenizer>> Tokenizer::create(std::string_view name) {
  if (name == "bytes")
    return std::unique_ptr<Tokenizer>(std::make_unique<ByteTokenizer>());
  return unsupported(
      "the package's tokenizer '" + std::string(name) +
      "' is not built into k3-run, which has 'bytes'; give token ids with --tokens or --tokens-file");
}
