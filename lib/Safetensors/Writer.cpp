//===- Writer.cpp - Writes a safetensors file -----------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Safetensors/Writer.h"
#include "lib/Support/AtomicFile.h"
#include "lib/Support/Text.h"

#include <nlohmann/json.hpp>

using namespace k3;

Status SafetensorsWriter::add(std::string name, DType dtype, std::vector<int64_t> shape,
                              std::span<const std::byte> bytes) {
  std::optional<uint64_t> size = tensorBytes(dtype, shape);
  if (!size || *size != bytes.size())
    return internalError("tensor '" + name + "' of type " + std::string(dtypeName(dtype)) + " " +
                         shapeText(shape) + " was given " + std::to_string(bytes.size()) + " bytes");
  if (!byName.try_emplace(name, entries.size()).second)
    return badUsage("tensor '" + name + "' is written twice to one file");
  entries.push_back({std::move(name), dtype, std::move(shape), bytes});
  return Status::success();
}

static std::string quoted(const std::string &text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string SafetensorsWriter::header() const {
  std::vector<std::string> parts;
  if (!metadata.empty()) {
    std::vector<std::string> pairs;
    for (const auto &[key, value] : metadata)
      pairs.push_back(quoted(key) + ":" + quoted(value));
    parts.push_back("\"__metadata__\":{" + join(pairs, ",") + "}");
  }
  uint64_t offset = 0;
  for (const Entry &entry : entries) {
    uint64_t end = offset + entry.bytes.size();
    parts.push_back(quoted(entry.name) + ":{\"dtype\":\"" + std::string(dtypeName(entry.dtype)) +
                    "\",\"shape\":" + shapeText(entry.shape) + ",\"data_offsets\":[" +
                    std::to_string(offset) + "," + std::to_string(end) + "]}");
    offset = end;
  }
  std::string text = "{" + join(parts, ",") + "}";
  text.resize((text.size() + 7) / 8 * 8, ' '); // The data begin 8-byte aligned.
  return text;
}

Status SafetensorsWriter::write(const std::string &path) const {
  Expected<AtomicFile> file = AtomicFile::create(path);
  if (!file)
    return file.takeStatus();
  std::string text = header();
  uint64_t length = text.size();
  K3_TRY(file->write(&length, sizeof(length)));
  K3_TRY(file->write(text));
  for (const Entry &entry : entries)
    K3_TRY(file->write(entry.bytes.data(), entry.bytes.size()));
  return file->commit();
}
