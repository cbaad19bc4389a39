//===- ReferenceRun.cpp - A model directory through lib/Reference ---------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// k3-reference DIRECTORY TOKENS-FILE OUT.safetensors: one sequence from empty state in double precision,
// written as F32 under the names of taps. For tests: the judge of models without golden data.
//
//===----------------------------------------------------------------------===//

#include "lib/Reference/Checkpoint.h"
#include "lib/Safetensors/Writer.h"
#include "lib/Support/MappedFile.h"
#include "lib/Support/Text.h"

#include <cstdio>

using namespace k3;

static Status run(const std::string &directory, const std::string &tokensFile, const std::string &out) {
  K3_ASSIGN(MappedFile file, MappedFile::open(tokensFile));
  reference::Indices tokens;
  for (std::string_view part : split(trim(file.text()), ',')) {
    std::optional<int64_t> id = parseInt(trim(part));
    if (!id)
      return badInput(tokensFile + ": expected one line of token ids");
    tokens.push_back(static_cast<int32_t>(*id));
  }
  K3_ASSIGN(reference::Model model, reference::loadModel(directory));
  reference::Taps taps;
  K3_ASSIGN(taps["logits"], model.forward(tokens, &taps));

  SafetensorsWriter writer;
  std::map<std::string, std::vector<float>> rounded;
  for (const auto &[name, values] : taps) {
    if (name.ends_with("expert_ids"))
      continue;
    std::vector<float> &kept = rounded[name];
    kept.assign(values.begin(), values.end());
    auto rows = static_cast<int64_t>(tokens.size());
    K3_TRY(writer.add(name, DType::F32, {rows, static_cast<int64_t>(kept.size()) / rows}, kept));
  }
  return writer.write(out);
}

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: k3-reference DIRECTORY TOKENS-FILE OUT.safetensors\n");
    return 2;
  }
  Status status = run(argv[1], argv[2], argv[3]);
  if (!status.ok())
    std::fprintf(stderr, "k3-reference: %s\n", status.text().c_str());
  return status.ok() ? 0 : 1;
}
