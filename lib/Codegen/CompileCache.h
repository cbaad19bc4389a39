//===- CompileCache.h - Machine code kept between runs ---------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A folder of finished compilations. A key is everything a result depends on, as text; an entry is one file
// that holds key and value with their hashes, appears by one rename, and is compared with the whole key when
// read: processes may share a folder without locks, and a damaged or foreign file is a miss, never a wrong
// result.
//
// No function fails a compilation: what goes wrong with the cache is a remark.
//
//===----------------------------------------------------------------------===//

#ifndef K3_CODEGEN_COMPILECACHE_H
#define K3_CODEGEN_COMPILECACHE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace k3::codegen {

struct CacheOptions {
  std::string directory;                 ///< Empty: defaultCacheDirectory().
  uint64_t maxBytes = uint64_t(1) << 30; ///< Entries used longest ago are removed above this.
  bool enabled = true;
};

/// $XDG_CACHE_HOME/k3, else $HOME/.cache/k3; empty where neither is set.
std::string defaultCacheDirectory();

class CompileCache {
public:
  /// The folder is made when the first entry is stored. Without a folder to use the cache is disabled.
  explicit CompileCache(CacheOptions options = {});

  bool enabled() const { return !folder.empty(); }
  const std::string &directory() const { return folder; }

  /// The value of a key. A damaged entry is removed and reported in `remark` (one line, else unchanged).
  std::optional<std::string> load(std::string_view key, std::string &remark) const;

  /// Publishes an entry and keeps the size bound. Returns a remark where that was not possible, else "".
  std::string store(std::string_view key, std::string_view value) const;

  /// The file of a key, there or not.
  std::string entryPath(std::string_view key) const;

private:
  void evict() const;

  std::string folder; ///< Empty: disabled.
  uint64_t maxBytes;
};

} // namespace k3::codegen

#endif // K3_CODEGEN_COMPILECACHE_H
