//===- Input.h - The token sequences to run ---------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TOOLS_RUN_INPUT_H
#define K3_TOOLS_RUN_INPUT_H

#include "lib/Support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace k3::run {

using TokenList = std::vector<int32_t>;

/// "1,2,3", blanks allowed; an empty text has no tokens. `where` stands in messages.
Expected<TokenList> parseTokens(std::string_view text, const std::string &where);

/// One sequence a line; an empty line is an empty sequence. "-" is standard input.
Expected<std::vector<TokenList>> readTokensFile(const std::string &path);

/// All of standard input.
std::string readStandardInput();

} // namespace k3::run

#endif // K3_TOOLS_RUN_INPUT_H
