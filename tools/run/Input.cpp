//===- Input.cpp - The token sequences to run -----------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/run/Input.h"

#include "lib/Support/MappedFile.h"
#include "lib/Support/Text.h"

#include <iostream>
#include <iterator>
#include <limits>

using namespace k3;
using namespace k3::run;

Expected<TokenList> run::parseTokens(std::string_view text, const std::string &where) {
  TokenList tokens;
  if (trim(text).empty())
    return tokens;
  for (std::string_view part : split(text, ',')) {
    std::optional<int64_t> id = parseInt(trim(part));
    if (!id || *id < std::numeric_limits<int32_t>::min() || *id > std::numeric_limits<int32_t>::max())
      return badInput(where + ": '" + std::string(trim(part)) +
                      "' is no token id; expected integers between commas");
    tokens.push_back(static_cast<int32_t>(*id));
  }
  return tokens;
}

std::string run::readStandardInput() {
  return std::string(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
}

Expected<std::vector<TokenList>> run::readTokensFile(const std::string &path) {
  std::string text;
  if (path == "-") {
    text = readStandardInput();
  } else {
    K3_ASSIGN(MappedFile file, MappedFile::open(path));
    text = file.text();
  }
  if (text.ends_with('\n'))
    text.pop_back();
  std::vector<TokenList> sequences;
  for (std::string_view line : split(text, '\n')) {
    K3_ASSIGN(TokenList tokens, parseTokens(line, path + ":" + std::to_string(sequences.size() + 1)));
    sequences.push_back(std::move(tokens));
  }
  return sequences;
}
