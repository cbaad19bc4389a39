//===- Checkpoint.h - All weights of a model directory ----------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The weights of a model directory: by model.safetensors.index.json where there is one (shards are opened
// when a tensor of theirs is asked for), else by all *.safetensors in it. Names and the total size are known
// from the index alone, so a directory that holds only the index can be compiled.
//
//===----------------------------------------------------------------------===//

#ifndef K3_SAFETENSORS_CHECKPOINT_H
#define K3_SAFETENSORS_CHECKPOINT_H

#include "lib/Safetensors/File.h"

#include <memory>
#include <mutex>

namespace k3 {

class Checkpoint {
public:
  /// Reads the index of `path` (a directory, or one .safetensors file). Without an index all files are opened
  /// and a name that occurs in two of them is an error.
  static Expected<std::unique_ptr<Checkpoint>> open(const std::string &path);

  const std::string &path() const { return root; }
  /// Whether an index says what there is; then no shard is needed until lookup().
  bool hasIndex() const { return indexed; }
  /// metadata.total_size of the index; without one, the sum over the tensors of all files.
  std::optional<uint64_t> totalSize() const { return total; }

  /// All names, in the order of the index or of the files.
  const std::vector<std::string_view> &names() const { return table.list(); }
  bool contains(std::string_view name) const { return table.lookup(name).has_value(); }

  /// Shard files (paths), in order of first mention.
  size_t shardCount() const { return shards.size(); }
  const std::string &shardPath(size_t shard) const { return shards[shard].path; }
  std::optional<size_t> shardOf(std::string_view name) const;
  /// Whether every shard file is on disk.
  bool shardsPresent() const;

  /// The tensor. Opens its shard on first use; errors: the name is unknown, the shard is missing or damaged,
  /// the shard does not hold the tensor. May be called from several threads.
  Expected<TensorView> lookup(std::string_view name) const;

  /// Opens every shard and finds every tensor in its own.
  Status checkAll() const;

private:
  struct Shard {
    std::string path;
    std::unique_ptr<SafetensorsFile> file;
  };

  explicit Checkpoint(std::string root) : root(std::move(root)) {}
  Status readIndex(const std::string &indexPath);
  Status readFiles(std::vector<std::string> paths);
  Expected<const SafetensorsFile *> openShard(size_t shard) const;

  std::string root;
  bool indexed = false;
  std::optional<uint64_t> total;
  NameTable table;
  std::vector<uint32_t> shardByName; ///< By number in `table`.
  mutable std::vector<Shard> shards;
  mutable std::mutex mutex; ///< Guards the opening of shards.
};

} // namespace k3

#endif // K3_SAFETENSORS_CHECKPOINT_H
