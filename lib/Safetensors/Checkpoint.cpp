//===- Checkpoint.cpp - All weights of a model directory ------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Safetensors/Checkpoint.h"
#include "lib/Safetensors/SaxBase.h"

#include <filesystem>

using namespace k3;
namespace fs = std::filesystem;

namespace {

/// {"metadata": {"total_size": 1, ...}, "weight_map": {"name": "shard.safetensors", ...}}
struct IndexReader : SaxBase {
  enum class Section { None, Metadata, WeightMap, Other };

  NameTable names, shardNames;
  std::vector<uint32_t> shardByName;
  std::optional<uint64_t> totalSize;
  bool sawWeightMap = false;
  int depth = 0; ///< Of objects and arrays.
  Section section = Section::None;
  bool atTotalSize = false;

  bool enter() {
    // Nothing is nested in the weight map, which itself is an object.
    if (section == Section::WeightMap && depth >= 2)
      return refuse("weight_map: expected a file name for every tensor");
    ++depth;
    return true;
  }
  bool leave() {
    --depth;
    if (depth == 1)
      section = Section::None;
    return true;
  }
  bool start_object(size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(size_t) override {
    if (depth == 0 || (depth == 1 && section == Section::WeightMap))
      return refuse("unexpected array, expected an object");
    return enter();
  }
  bool end_array() override { return leave(); }

  bool key(std::string &text) override {
    atTotalSize = false;
    if (depth == 1) {
      section = text == "weight_map" ? Section::WeightMap
                : text == "metadata" ? Section::Metadata
                                     : Section::Other;
      if (section == Section::WeightMap && std::exchange(sawWeightMap, true))
        return refuse("'weight_map' appears twice");
      return true;
    }
    if (section == Section::Metadata && depth == 2)
      atTotalSize = text == "total_size";
    if (section == Section::WeightMap && !names.insert(text).second)
      return refuse("weight_map: tensor '" + text + "' appears twice");
    return true;
  }

  bool string(std::string &text) override {
    if (section != Section::WeightMap)
      return scalar();
    if (depth != 2)
      return refuse("weight_map: expected an object");
    if (text.empty() || text.find('/') != std::string::npos || text == "." || text == "..")
      return refuse("weight_map: tensor '" + std::string(names.list().back()) + "' is in '" + text +
                    "', expected a file name without a folder");
    shardByName.push_back(shardNames.insert(text).first);
    return true;
  }

  bool number_unsigned(uint64_t number) override {
    if (atTotalSize)
      totalSize = number;
    return scalar();
  }
  bool number_float(double number, const std::string &) override {
    // Some writers store total_size as a float.
    if (atTotalSize && number >= 0 && number < 0x1p63)
      totalSize = static_cast<uint64_t>(number);
    return scalar();
  }
  bool null() override { return scalar(); }
  bool boolean(bool) override { return scalar(); }
  bool number_integer(int64_t) override { return scalar(); }

  /// A value that does not matter, outside the weight map.
  bool scalar() {
    if (section == Section::WeightMap)
      return refuse("weight_map: expected a file name for every tensor");
    if (depth == 1)
      section = Section::None;
    return true;
  }
};

} // namespace

Expected<std::unique_ptr<Checkpoint>> Checkpoint::open(const std::string &path) {
  std::unique_ptr<Checkpoint> checkpoint(new Checkpoint(path));
  std::error_code error;
  if (fs::is_regular_file(path, error)) {
    K3_TRY(checkpoint->readFiles({path}));
    return checkpoint;
  }
  if (!fs::is_directory(path, error))
    return ioError(path + ": no such model directory or safetensors file");
  std::string index = (fs::path(path) / "model.safetensors.index.json").string();
  if (fs::exists(index, error)) {
    K3_TRY(checkpoint->readIndex(index));
    return checkpoint;
  }
  std::vector<std::string> files;
  fs::directory_iterator entry(path, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error))
    if (entry->path().extension() == ".safetensors")
      files.push_back(entry->path().string());
  if (error)
    return ioError(path + ": cannot list the directory: " + error.message());
  if (files.empty())
    return badInput(path + ": holds neither model.safetensors.index.json nor any *.safetensors file");
  std::sort(files.begin(), files.end());
  K3_TRY(checkpoint->readFiles(std::move(files)));
  return checkpoint;
}

Status Checkpoint::readIndex(const std::string &indexPath) {
  Expected<MappedFile> file = MappedFile::open(indexPath);
  if (!file)
    return file.takeStatus();
  IndexReader reader;
  std::string_view text = file->text();
  if (!nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &reader))
    return badInput(indexPath + ": " + reader.error);
  if (!reader.sawWeightMap)
    return badInput(indexPath + ": has no 'weight_map'");
  indexed = true;
  total = reader.totalSize;
  table = std::move(reader.names);
  shardByName = std::move(reader.shardByName);
  for (std::string_view name : reader.shardNames.list())
    shards.push_back({(fs::path(root) / name).string(), nullptr});
  return Status::success();
}

Status Checkpoint::readFiles(std::vector<std::string> paths) {
  uint64_t sum = 0;
  for (std::string &path : paths) {
    Expected<SafetensorsFile> file = SafetensorsFile::open(path);
    if (!file)
      return file.takeStatus();
    uint32_t shard = static_cast<uint32_t>(shards.size());
    for (std::string_view name : file->names()) {
      auto [number, isNew] = table.insert(name);
      if (!isNew)
        return badInput(path + ": tensor '" + std::string(name) + "' is already in " +
                        shards[shardByName[number]].path + "; expected each tensor in one file");
      shardByName.push_back(shard);
      sum += file->find(name)->bytes.size();
    }
    shards.push_back({path, std::make_unique<SafetensorsFile>(std::move(*file))});
  }
  total = sum;
  return Status::success();
}

std::optional<size_t> Checkpoint::shardOf(std::string_view name) const {
  std::optional<uint32_t> number = table.lookup(name);
  return number ? std::optional<size_t>(shardByName[*number]) : std::nullopt;
}

bool Checkpoint::shardsPresent() const {
  std::error_code error;
  return std::all_of(shards.begin(), shards.end(), [&](const Shard &s) { return fs::exists(s.path, error); });
}

Expected<const SafetensorsFile *> Checkpoint::openShard(size_t shard) const {
  std::lock_guard<std::mutex> lock(mutex);
  if (!shards[shard].file) {
    K3_ASSIGN(SafetensorsFile file, SafetensorsFile::open(shards[shard].path));
    shards[shard].file = std::make_unique<SafetensorsFile>(std::move(file));
  }
  return shards[shard].file.get();
}

Expected<TensorView> Checkpoint::lookup(std::string_view name) const {
  std::optional<size_t> shard = shardOf(name);
  if (!shard)
    return badInput(root + ": the checkpoint has no tensor '" + std::string(name) + "'");
  Expected<const SafetensorsFile *> file = openShard(*shard);
  if (!file)
    return badInput(file.status().text() + " (shard of tensor '" + std::string(name) + "')");
  if (std::optional<TensorView> tensor = (*file)->find(name))
    return *tensor;
  return badInput(shards[*shard].path + ": has no tensor '" + std::string(name) +
                  "', but model.safetensors.index.json says that it is there");
}

Status Checkpoint::checkAll() const {
  for (std::string_view name : names())
    if (Expected<TensorView> tensor = lookup(name); !tensor)
      return tensor.takeStatus();
  return Status::success();
}
