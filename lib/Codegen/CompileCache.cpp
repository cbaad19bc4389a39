//===- CompileCache.cpp - Machine code kept between runs -----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Codegen/CompileCache.h"

#include "lib/Support/AtomicFile.h"
#include "lib/Support/Hash.h"
#include "lib/Support/MappedFile.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace k3::codegen {

namespace fs = std::filesystem;

namespace {

/// The head of an entry; key and value follow.
struct Head {
  char magic[8];
  uint64_t keyBytes, valueBytes, keyHash, valueHash;
};
constexpr char magic[8] = {'k', '3', 'c', 'a', 'c', 'h', 'e', '1'};
constexpr std::string_view suffix = ".k3c";

} // namespace

std::string defaultCacheDirectory() {
  if (const char *xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg)
    return std::string(xdg) + "/k3";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/k3";
  return {};
}

CompileCache::CompileCache(CacheOptions options)
    : folder(options.directory.empty() ? defaultCacheDirectory() : options.directory),
      maxBytes(options.maxBytes) {
  if (!options.enabled)
    folder.clear();
}

std::string CompileCache::entryPath(std::string_view key) const {
  // Two hashes only name the file; whether it is the right one, the key inside says.
  char name[40];
  std::snprintf(name, sizeof name, "/%016llx%016llx", static_cast<unsigned long long>(hash64(key, 1)),
                static_cast<unsigned long long>(hash64(key, 2)));
  return folder + name + std::string(suffix);
}

std::optional<std::string> CompileCache::load(std::string_view key, std::string &remark) const {
  if (!enabled())
    return std::nullopt;
  std::string path = entryPath(key);
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return std::nullopt;
  auto file = MappedFile::open(path);
  if (int error = errno; !file) {
    // Another process may just have removed it, and a third one stored it again.
    if (error != ENOENT)
      remark = "cache entry not used: " + file.status().text();
    return std::nullopt;
  }
  // Sizes first: an entry cut short must not be read beyond its end.
  Head head{};
  std::string_view bytes = file->text();
  bool whole = bytes.size() >= sizeof head;
  if (whole) {
    std::memcpy(&head, bytes.data(), sizeof head);
    bytes.remove_prefix(sizeof head);
    whole = std::memcmp(head.magic, magic, sizeof magic) == 0 && head.keyBytes <= bytes.size() &&
            head.valueBytes == bytes.size() - head.keyBytes;
  }
  std::string_view storedKey = whole ? bytes.substr(0, head.keyBytes) : std::string_view();
  std::string_view value = whole ? bytes.substr(head.keyBytes) : std::string_view();
  if (!whole || hash64(storedKey) != head.keyHash || hash64(value) != head.valueHash) {
    ::unlink(path.c_str());
    remark = path + ": damaged cache entry removed; the kernel is compiled again";
    return std::nullopt;
  }
  if (storedKey != key)
    return std::nullopt;
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0); // used now
  return std::string(value);
}

std::string CompileCache::store(std::string_view key, std::string_view value) const {
  if (!enabled())
    return {};
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return folder + ": cannot make the cache folder: " + error.message();
  Head head{{}, key.size(), value.size(), hash64(key), hash64(value)};
  std::memcpy(head.magic, magic, sizeof magic);
  auto write = [&]() -> Status {
    K3_ASSIGN(AtomicFile file, AtomicFile::create(entryPath(key)));
    K3_TRY(file.write(&head, sizeof head));
    K3_TRY(file.write(key));
    K3_TRY(file.write(value));
    return file.commit();
  };
  if (Status status = write(); !status.ok())
    return "cache entry not stored: " + status.text();
  evict();
  return {};
}

void CompileCache::evict() const {
  struct Entry {
    fs::file_time_type used;
    uint64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  // Other processes store and remove meanwhile: a file that is gone is no error.
  std::error_code error;
  auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    std::string name = it->path().filename().string();
    auto used = it->last_write_time(gone);
    uint64_t bytes = gone ? 0 : it->file_size(gone);
    if (gone)
      continue;
    if (name.ends_with(suffix)) {
      entries.push_back({used, bytes, it->path()});
      total += bytes;
    } else if (name.find(std::string(suffix) + ".tmp-") != std::string::npos &&
               now - used > std::chrono::hours(1)) {
      fs::remove(it->path(), gone); // a process ended while it wrote
    }
  }
  if (total <= maxBytes)
    return;
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) { return a.used < b.used; });
  for (const Entry &entry : entries) {
    if (total <= maxBytes)
      return;
    std::error_code gone;
    fs::remove(entry.path, gone);
    total -= entry.bytes;
  }
}

} // namespace k3::codegen
