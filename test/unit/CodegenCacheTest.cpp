//===- CodegenCacheTest.cpp - The cache of finished compilations ---------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Codegen/CompileCache.h"

#include "gtest/gtest.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace k3::codegen;

namespace {

struct CodegenCache : testing::Test {
  std::string folder = testing::TempDir() + "k3-cache-" + std::to_string(::getpid());
  std::string remark;

  void SetUp() override { fs::remove_all(folder); }
  void TearDown() override { fs::remove_all(folder); }
  CompileCache open(uint64_t maxBytes = 1 << 20) { return CompileCache({folder, maxBytes, true}); }
  size_t files() {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
};

TEST_F(CodegenCache, whatIsStoredComesBack) {
  CompileCache cache = open();
  EXPECT_FALSE(cache.load("key", remark));
  EXPECT_EQ(cache.store("key", std::string_view("va\0lue", 6)), "");
  EXPECT_EQ(open().load("key", remark), std::string("va\0lue", 6));
  EXPECT_FALSE(cache.load("keY", remark));
  EXPECT_EQ(remark, "");
  EXPECT_EQ(files(), 1u) << "no temporary file stays";
}

TEST_F(CodegenCache, everyDamageIsAMissWithARemark) {
  CompileCache cache = open();
  std::string path = cache.entryPath("key");
  ASSERT_EQ(cache.store("key", "value"), "");
  std::ifstream in(path, std::ios::binary);
  std::string good((std::istreambuf_iterator<char>(in)), {});
  auto loadsFrom = [&](const std::string &bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    remark.clear();
    return cache.load("key", remark).has_value();
  };
  ASSERT_TRUE(loadsFrom(good));
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] ^= 0x10;
    EXPECT_FALSE(loadsFrom(bad)) << "byte " << at;
    EXPECT_NE(remark.find("damaged cache entry removed"), std::string::npos) << "byte " << at;
    EXPECT_FALSE(fs::exists(path));
    EXPECT_FALSE(loadsFrom(good.substr(0, at))) << "cut to " << at;
  }
  EXPECT_FALSE(loadsFrom(good + "x"));
}

TEST_F(CodegenCache, anEntryOfAnotherKeyIsNotUsed) {
  CompileCache cache = open();
  ASSERT_EQ(cache.store("other", "value"), "");
  fs::rename(cache.entryPath("other"), cache.entryPath("key")); // as if both had one hash
  EXPECT_FALSE(cache.load("key", remark));
  EXPECT_EQ(remark, "");
}

TEST_F(CodegenCache, theEntryUsedLongestAgoLeavesFirst) {
  CompileCache cache = open(3500);
  std::string kilobyte(1000, 'x');
  for (const char *key : {"a", "b", "c"})
    ASSERT_EQ(cache.store(key, kilobyte), "");
  auto now = fs::file_time_type::clock::now();
  fs::last_write_time(cache.entryPath("a"), now - std::chrono::hours(3));
  fs::last_write_time(cache.entryPath("b"), now - std::chrono::hours(2));
  fs::last_write_time(cache.entryPath("c"), now - std::chrono::hours(1));
  EXPECT_TRUE(cache.load("a", remark)); // a is the newest now, b the oldest
  ASSERT_EQ(cache.store("d", kilobyte), "");
  EXPECT_FALSE(cache.load("b", remark));
  for (const char *key : {"a", "c", "d"})
    EXPECT_TRUE(cache.load(key, remark)) << key;
}

TEST_F(CodegenCache, aDisabledCacheKeepsNothing) {
  CompileCache cache({folder, 1 << 20, false});
  EXPECT_FALSE(cache.enabled());
  EXPECT_EQ(cache.store("key", "value"), "");
  EXPECT_FALSE(cache.load("key", remark));
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(CodegenCache, aFolderThatCannotBeMadeIsARemark) {
  std::ofstream(folder) << "a file is in the way";
  EXPECT_NE(open().store("key", "value").find("cannot make the cache folder"), std::string::npos);
  EXPECT_FALSE(open().load("key", remark));
}

TEST_F(CodegenCache, theDefaultFolderFollowsXdg) {
  ::setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(defaultCacheDirectory(), "/x/k3");
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", "/h", 1);
  EXPECT_EQ(defaultCacheDirectory(), "/h/.cache/k3");
}

/// Stores, loads and evicts a few keys in turn; the number of values that were wrong or remarked on.
int hammer(const CompileCache &cache) {
  int wrong = 0;
  for (int round = 0; round < 300; ++round) {
    std::string key = "key" + std::to_string(round % 7), value(2000 + round % 7, char('a' + round % 7)),
                remark;
    auto found = cache.load(key, remark);
    wrong += (found && *found != value) || !remark.empty();
    wrong += cache.store(key, value) != "";
  }
  return wrong;
}

TEST_F(CodegenCache, processesAndThreadsShareAFolder) {
  CompileCache cache = open(9000); // four of the seven entries: eviction runs too
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0)
    ::_exit(hammer(cache) == 0 ? 0 : 1);
  int other = 0;
  std::thread thread([&] { other = hammer(cache); });
  EXPECT_EQ(hammer(cache), 0);
  thread.join();
  EXPECT_EQ(other, 0);
  int state = 0;
  ASSERT_EQ(::waitpid(child, &state, 0), child);
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0) << "the other process saw a wrong value";
  for (const auto &entry : fs::directory_iterator(folder))
    EXPECT_EQ(entry.path().extension(), ".k3c");
}

} // namespace
