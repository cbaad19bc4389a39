//===- SupportTest.cpp - Files, checksums, random numbers, text -----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Support/AtomicFile.h"
#include "lib/Support/Crc32c.h"
#include "lib/Support/Hash.h"
#include "lib/Support/MappedFile.h"
#include "lib/Support/Random.h"
#include "lib/Support/Text.h"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace k3;
namespace fs = std::filesystem;

namespace {

/// A folder of its own for a test, removed with it.
class Scratch {
public:
  Scratch() : folder(fs::temp_directory_path() / ("k3-support-" + std::to_string(::getpid()))) {
    fs::create_directories(folder);
  }
  ~Scratch() { fs::remove_all(folder); }
  std::string path(const std::string &name) const { return (folder / name).string(); }
  size_t fileCount() const { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); }

private:
  fs::path folder;
};

} // namespace

TEST(Text, PrintableIsOneShortLine) {
  EXPECT_EQ(printable("a b'\xc3\xa9"), "a b'\xc3\xa9");
  EXPECT_EQ(printable(std::string_view("\n\0\x1b[0m\x7f", 7)), "\\n\\x00\\x1b[0m\\x7f");
  EXPECT_EQ(printable(std::string(2000, 'x')), std::string(2000, 'x'));
  EXPECT_EQ(printable("begin " + std::string(1000000, 'x') + " end").size(), 1005u);
}

TEST(Crc32c, KnownVectors) {
  EXPECT_EQ(crc32c("", 0), 0u);
  EXPECT_EQ(crc32c("123456789", 9), 0xE3069283u); // the check value of CRC-32C
  std::string zeros(32, '\0');                    // RFC 3720, B.4
  EXPECT_EQ(crc32c(zeros.data(), zeros.size()), 0x8A9136AAu);
}

TEST(Crc32c, ContinuesAtEveryCut) {
  std::string text = "the quick brown fox jumps over the lazy dog";
  for (size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_EQ(crc32c(text.data() + cut, text.size() - cut, crc32c(text.data(), cut)),
              crc32c(text.data(), text.size()));
}

TEST(Hash, DependsOnEveryByteAndOnLength) {
  std::string text(37, 'a');
  uint64_t whole = hash64(text);
  for (size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] ^= 1;
    EXPECT_NE(hash64(other), whole) << i;
  }
  EXPECT_NE(hash64(std::string_view("a\0", 2)), hash64(std::string_view("a", 1)));
  EXPECT_NE(hash64(text, 1), whole);
  EXPECT_NE(hashCombine(1, 2), hashCombine(2, 1));
}

TEST(Random, FixedForever) {
  // Random weights of one seed are the same in every version and on every machine.
  EXPECT_EQ(randomBits(1, 2, 0), 0x30CFBC46A7E35530ull);
  EXPECT_EQ(randomBits(1, 2, 1), 0xD2F6D0470BE1A7B1ull);
  EXPECT_EQ(RandomStream(1, 2).normal(1), 0x1.2cbda8p-1f);
  EXPECT_EQ(hash64("weight.name"), 0x71956826E2F259F7ull);
  EXPECT_NE(randomBits(0, 0, 1), randomBits(0, 1, 0));
  EXPECT_NE(randomBits(0, 1, 0), randomBits(1, 0, 0));
}

TEST(Random, MomentsOfUniformAndNormal) {
  RandomStream stream(7, 9);
  double sum = 0, squares = 0, normalSum = 0, normalSquares = 0;
  constexpr int n = 100000;
  for (int i = 0; i < n; ++i) {
    double u = stream.uniform(i), x = stream.normal(i);
    ASSERT_TRUE(u >= 0 && u < 1);
    sum += u, squares += u * u, normalSum += x, normalSquares += x * x;
  }
  EXPECT_NEAR(sum / n, 0.5, 0.005);
  EXPECT_NEAR(squares / n, 1.0 / 3, 0.005);
  EXPECT_NEAR(normalSum / n, 0, 0.015);
  EXPECT_NEAR(normalSquares / n, 1, 0.015);
}

TEST(AtomicFile, AppearsOnCommitOnly) {
  Scratch scratch;
  std::string path = scratch.path("out");
  {
    Expected<AtomicFile> file = AtomicFile::create(path);
    ASSERT_TRUE(file.ok()) << file.status().text();
    ASSERT_TRUE(file->write("half").ok());
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_EQ(scratch.fileCount(), 0u);
  ASSERT_TRUE(writeFile(path, "whole").ok());
  Expected<MappedFile> mapped = MappedFile::open(path);
  ASSERT_TRUE(mapped.ok());
  EXPECT_EQ(mapped->text(), "whole");
  EXPECT_EQ(scratch.fileCount(), 1u);
}

TEST(AtomicFile, KeepsOlderOutputAndLinks) {
  Scratch scratch;
  ASSERT_TRUE(writeFile(scratch.path("real"), "old").ok());
  fs::create_symlink("real", scratch.path("link"));
  { Expected<AtomicFile> abandoned = AtomicFile::create(scratch.path("real")); }
  EXPECT_EQ(fs::file_size(scratch.path("real")), 3u);
  ASSERT_TRUE(writeFile(scratch.path("link"), "newer").ok());
  EXPECT_TRUE(fs::is_symlink(scratch.path("link")));
  EXPECT_EQ(fs::file_size(scratch.path("real")), 5u);
}

TEST(AtomicFile, ErrorsNameTheFile) {
  Status status = writeFile("/nonexistent/folder/out", "x");
  EXPECT_EQ(status.code(), Code::Io);
  EXPECT_EQ(status.text(), "/nonexistent/folder/out: cannot write the output: No such file or directory");
  if (fs::exists("/dev/full")) {
    EXPECT_EQ(writeFile("/dev/full", "x").text(),
              "/dev/full: cannot write the output: No space left on device");
  }
  Scratch scratch;
  EXPECT_EQ(writeFile(scratch.path("."), "x").code(), Code::Io);
}

TEST(MappedFile, MissingEmptyAndFolder) {
  Scratch scratch;
  EXPECT_EQ(MappedFile::open(scratch.path("no")).status().text(),
            scratch.path("no") + ": cannot open: No such file or directory");
  EXPECT_EQ(MappedFile::open(scratch.path("")).status().text(), scratch.path("") + ": is not a regular file");
  ASSERT_TRUE(writeFile(scratch.path("empty"), "").ok());
  EXPECT_EQ(MappedFile::open(scratch.path("empty"))->size(), 0u);
}

TEST(Text, Formats) {
  EXPECT_EQ(humanBytes(17), "17 B");
  EXPECT_EQ(humanBytes(1536), "1.5 KiB");
  EXPECT_EQ(groupDigits(1), "1");
  EXPECT_EQ(groupDigits(1559965606912), "1,559,965,606,912");
  EXPECT_EQ(shapeText(std::vector<int64_t>{2, 3}), "[2, 3]");
  EXPECT_EQ(shapeText({}), "[]");
  EXPECT_EQ(join(std::vector<std::string>{"a", "b"}, ", "), "a, b");
}

TEST(Text, Parses) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(trim(" a b\n"), "a b");
  EXPECT_EQ(parseInt("-12"), -12);
  for (const char *bad : {"", "1x", "x", "9223372036854775808", " 1", "1.0"})
    EXPECT_FALSE(parseInt(bad)) << bad;
}

TEST(Text, Suggests) {
  EXPECT_EQ(editDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(editDistance("ab", "ba"), 1u);
  std::vector<std::string> fields = {"hidden_size", "vocab_size"};
  EXPECT_EQ(didYouMean("hiden_size", fields), " (did you mean 'hidden_size'?)");
  EXPECT_EQ(didYouMean("zzz", fields), "");
}
