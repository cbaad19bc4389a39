//===- FrontendTestUtil.h - Configs and model directories for tests -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TEST_UNIT_FRONTENDTESTUTIL_H
#define K3_TEST_UNIT_FRONTENDTESTUTIL_H

#include "frontend/HuggingFace/Config.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

namespace k3::test {

inline std::string readText(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void writeText(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// The config of the shipped model, to change one thing in.
inline nlohmann::json tinyConfig() { return nlohmann::json::parse(readText(K3_TINY_TEXT "/config.json")); }

/// The same with another depth: layers 4, 8, ... and the last one (from 1) are MLA, as in the released model.
inline nlohmann::json configWithDepth(int64_t layers, int64_t block) {
  nlohmann::json config = tinyConfig();
  nlohmann::json &text = config["text_config"];
  text["num_hidden_layers"] = layers;
  text["attn_res_block_size"] = block;
  nlohmann::json kda = nlohmann::json::array(), full = nlohmann::json::array();
  for (int64_t layer = 1; layer <= layers; ++layer)
    (layer % 4 == 0 || layer == layers ? full : kda).push_back(layer);
  text["linear_attn_config"]["kda_layers"] = kda;
  text["linear_attn_config"]["full_attn_layers"] = full;
  return config;
}

/// A folder that goes away with the test.
class ScratchFolder {
public:
  ScratchFolder() {
    path = (std::filesystem::temp_directory_path() / "k3-frontend-XXXXXX").string();
    if (!mkdtemp(path.data()))
      path.clear();
  }
  ~ScratchFolder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  std::string file(const std::string &name) const { return path + "/" + name; }

  std::string path;
};

} // namespace k3::test

#endif // K3_TEST_UNIT_FRONTENDTESTUTIL_H
