//===- SafetensorsTest.cpp - Reader, checkpoint, writer -------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Safetensors/Checkpoint.h"
#include "lib/Safetensors/Writer.h"
#include "lib/Support/AtomicFile.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace k3;
namespace fs = std::filesystem;

namespace {

class SafetensorsTest : public testing::Test {
protected:
  SafetensorsTest() : folder(fs::temp_directory_path() / ("k3-safetensors-" + std::to_string(::getpid()))) {
    fs::create_directories(folder);
  }
  ~SafetensorsTest() override { fs::remove_all(folder); }

  std::string path(const std::string &name) const { return (folder / name).string(); }

  /// A file of a hand-written header and `dataSize` zero bytes.
  std::string raw(const std::string &header, size_t dataSize) const {
    std::string content(8, '\0');
    uint64_t length = header.size();
    std::memcpy(content.data(), &length, 8);
    content += header + std::string(dataSize, '\0');
    EXPECT_TRUE(writeFile(path("raw.safetensors"), content).ok());
    return path("raw.safetensors");
  }

  /// The message for that header, without the file name.
  std::string errorOf(const std::string &header, size_t dataSize) const {
    std::string file = raw(header, dataSize);
    Expected<SafetensorsFile> opened = SafetensorsFile::open(file);
    if (opened)
      return "";
    EXPECT_EQ(opened.status().code(), Code::BadInput);
    EXPECT_EQ(opened.status().text().rfind(file + ": ", 0), 0u) << opened.status().text();
    return opened.status().text().substr(file.size() + 2);
  }

  void shard(const std::string &file, const std::string &tensor) const {
    std::vector<float> values = {1, 2};
    SafetensorsWriter writer;
    ASSERT_TRUE(writer.add(tensor, DType::F32, {2}, values).ok());
    ASSERT_TRUE(writer.write(path(file)).ok());
  }
  void index(const std::string &text) const {
    ASSERT_TRUE(writeFile(path("model.safetensors.index.json"), text).ok());
  }

  fs::path folder;
};

} // namespace

TEST_F(SafetensorsTest, WriterAndReaderAgree) {
  std::vector<float> a = {1.5f, -2.0f};
  std::vector<uint8_t> b = {1, 2, 3};
  SafetensorsWriter writer;
  ASSERT_TRUE(writer.add("z \"quoted\"", DType::U8, {3}, b).ok());
  ASSERT_TRUE(writer.add("a", DType::F32, {1, 2}, a).ok());
  ASSERT_TRUE(writer.add("empty", DType::BF16, {0, 7}, std::span<const std::byte>()).ok());
  EXPECT_FALSE(writer.add("a", DType::U8, {3}, b).ok());
  EXPECT_FALSE(writer.add("c", DType::U8, {4}, b).ok());
  writer.setMetadata("format", "k3");
  ASSERT_TRUE(writer.write(path("x.safetensors")).ok());

  Expected<SafetensorsFile> file = SafetensorsFile::open(path("x.safetensors"));
  ASSERT_TRUE(file.ok()) << file.status().text();
  EXPECT_EQ(file->names(), (std::vector<std::string_view>{"z \"quoted\"", "a", "empty"}));
  EXPECT_EQ(file->metadata().at("format"), "k3");
  TensorView tensor = *file->find("a");
  EXPECT_EQ(tensor.typeText(), "F32 [1, 2]");
  EXPECT_EQ(std::memcmp(tensor.bytes.data(), a.data(), 8), 0);
  EXPECT_EQ(tensor.elements(), 2);
  EXPECT_EQ(file->lookup("b").status().text(), path("x.safetensors") + ": has no tensor 'b'");
  uint64_t headerSize;
  ASSERT_TRUE(MappedFile::open(path("x.safetensors")).ok());
  std::memcpy(&headerSize, MappedFile::open(path("x.safetensors"))->data(), 8);
  EXPECT_EQ(headerSize % 8, 0u);
}

TEST_F(SafetensorsTest, WrongTypeNamesBoth) {
  shard("s.safetensors", "x");
  SafetensorsFile file = std::move(*SafetensorsFile::open(path("s.safetensors")));
  int64_t two[] = {2}, other[] = {2, 1};
  EXPECT_TRUE(checkTensor(*file.find("x"), DType::F32, two).ok());
  EXPECT_EQ(checkTensor(*file.find("x"), DType::BF16, other, "heads by width").text(),
            path("s.safetensors") + ": tensor 'x' is F32 [2], the config needs BF16 [2, 1] (heads by width)");
}

TEST_F(SafetensorsTest, DamagedFiles) {
  ASSERT_TRUE(writeFile(path("short.safetensors"), "1234567").ok());
  EXPECT_NE(SafetensorsFile::open(path("short.safetensors")).status().text().find("has 7 bytes"),
            std::string::npos);
  std::string content = std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8) + "{}";
  ASSERT_TRUE(writeFile(path("long.safetensors"), content).ok());
  EXPECT_NE(SafetensorsFile::open(path("long.safetensors"))
                .status()
                .text()
                .find("its header has 18446744073709551615 bytes, but only 2 follow"),
            std::string::npos);
}

TEST_F(SafetensorsTest, BadHeaders) {
  auto tensor = [](const std::string &dtype, const std::string &shape, const std::string &offsets) {
    return "{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
  };
  std::string good = tensor("F32", "[2]", "[0,8]");
  EXPECT_EQ(errorOf("{\"x\":" + good + "}  ", 8), "");
  // Each case: header, bytes of data, what the message says.
  auto expectError = [&](const std::string &header, size_t dataSize, const std::string &message) {
    EXPECT_EQ(errorOf(header, dataSize), message) << header;
  };
  auto x = [&](const std::string &dtype, const std::string &shape, const std::string &offsets) {
    return "{\"x\":" + tensor(dtype, shape, offsets) + "}";
  };
  expectError("{\"x\":" + good, 8, "header: not valid JSON at byte 54");
  expectError("", 0, "header: not valid JSON at byte 1");
  expectError("[1]", 0, "header: unexpected array");
  expectError("7", 0, "header: unexpected number 7");
  expectError("{\"x\":3}", 0, "header: unexpected number 3");
  expectError("{\"x\":{}}", 0, "header: tensor 'x' has no 'dtype'");
  expectError("{\"x\":{\"dtype\":{}}}", 0, "header: unexpected object");
  expectError("{\"x\":{\"size\":1}}", 0,
              "header: tensor 'x' has an unknown field 'size'; expected dtype, shape, data_offsets");
  expectError("{\"x\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 0, "header: tensor 'x' has 'dtype' twice");
  expectError("{\"x\":" + good + ",\"x\":" + good + "}", 8, "header: tensor 'x' appears twice");
  expectError("{\"__metadata__\":{\"a\":1}}", 0, "header: unexpected number 1");
  expectError(x("F33", "[2]", "[0,8]"), 8, "header: tensor 'x' has the unknown dtype 'F33'");
  expectError(x("F32", "[-2]", "[0,8]"), 8, "header: tensor 'x' has a negative dim -2");
  expectError(x("F32", "[2.5]", "[0,8]"), 8,
              "header: tensor 'x' has the dim 2.5, which is no 64-bit integer");
  expectError(x("F32", "[1e999]", "[0,8]"), 8, "header: not valid JSON at byte 34");
  expectError(x("F32", "[9223372036854775808]", "[0,8]"), 8,
              "header: tensor 'x' has the dim 9223372036854775808, which is too large");
  expectError(x("F32", "[4294967296, 4294967296]", "[0,8]"), 8,
              "header: tensor 'x' is F32 [4294967296, 4294967296], whose size in bytes is no 64-bit number");
  expectError(x("F32", "[2, 3]", "[0,8]"), 8,
              "header: tensor 'x' is F32 [2, 3], which is 24 bytes, but its data_offsets hold 8");
  expectError(x("F32", "[2]", "[8,0]"), 8,
              "header: tensor 'x' has data_offsets that are not [begin, end] with begin <= end");
  expectError(x("F32", "[2]", "[0,8]"), 7,
              "tensor 'x' ends at byte 8, but the file holds only 7 bytes of data; is it truncated?");
  expectError(x("F32", "[2]", "[4,12]"), 12, "bytes 0 to 4 before tensor 'x' belong to no tensor");
  expectError(x("F32", "[2]", "[0,8]"), 9, "the last 1 bytes belong to no tensor");
  expectError("{\"x\":" + good + ",\"y\":" + tensor("U8", "[4]", "[6,10]") + "}", 10,
              "tensor 'y' begins at byte 6 and overlaps tensor 'x', which ends at 8");
}

TEST_F(SafetensorsTest, TruncatedAtEveryByte) {
  shard("s.safetensors", "x");
  std::string content(MappedFile::open(path("s.safetensors"))->text());
  for (size_t size = 0; size < content.size(); ++size) {
    ASSERT_TRUE(writeFile(path("cut.safetensors"), content.substr(0, size)).ok());
    EXPECT_FALSE(SafetensorsFile::open(path("cut.safetensors")).ok()) << size;
  }
}

TEST_F(SafetensorsTest, NoBitFlipCrashes) {
  shard("s.safetensors", "x");
  std::string content(MappedFile::open(path("s.safetensors"))->text());
  for (size_t bit = 0; bit < (content.size() - 8) * 8; ++bit) { // All but the data of 8 bytes.
    std::string damaged = content;
    damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
    ASSERT_TRUE(writeFile(path("flip.safetensors"), damaged).ok());
    Expected<SafetensorsFile> file = SafetensorsFile::open(path("flip.safetensors"));
    if (file && !file->names().empty()) { // A changed name or dtype can be sound.
      EXPECT_EQ(file->find(file->names().front())->bytes.size(), 8u) << bit;
    }
  }
}

TEST_F(SafetensorsTest, CheckpointWithoutIndex) {
  EXPECT_EQ(Checkpoint::open(path("")).status().text(),
            path("") + ": holds neither model.safetensors.index.json nor any *.safetensors file");
  EXPECT_EQ(Checkpoint::open(path("no")).status().text(),
            path("no") + ": no such model directory or safetensors file");
  shard("b.safetensors", "y");
  shard("a.safetensors", "x");
  std::unique_ptr<Checkpoint> checkpoint = std::move(*Checkpoint::open(folder.string()));
  EXPECT_FALSE(checkpoint->hasIndex());
  EXPECT_EQ(checkpoint->names(), (std::vector<std::string_view>{"x", "y"}));
  EXPECT_EQ(checkpoint->totalSize(), 16u);
  EXPECT_EQ(checkpoint->lookup("y")->file, path("b.safetensors"));
  EXPECT_TRUE(checkpoint->checkAll().ok());
  shard("c.safetensors", "x");
  EXPECT_EQ(Checkpoint::open(folder.string()).status().text(),
            path("c.safetensors") + ": tensor 'x' is already in " + path("a.safetensors") +
                "; expected each tensor in one file");
}

TEST_F(SafetensorsTest, CheckpointByIndex) {
  index(R"({"metadata": {"total_size": 16, "other": {"deep": [1, null, "x"]}}, "more": true,
            "weight_map": {"x": "a.safetensors", "y": "b.safetensors", "z": "a.safetensors"}})");
  shard("a.safetensors", "x");
  std::unique_ptr<Checkpoint> checkpoint = std::move(*Checkpoint::open(folder.string()));
  EXPECT_EQ(checkpoint->totalSize(), 16u);
  EXPECT_EQ(checkpoint->names(), (std::vector<std::string_view>{"x", "y", "z"}));
  EXPECT_EQ(checkpoint->shardCount(), 2u);
  EXPECT_FALSE(checkpoint->shardsPresent());
  EXPECT_EQ(checkpoint->lookup("x")->typeText(), "F32 [2]");
  EXPECT_EQ(checkpoint->lookup("y").status().text(),
            path("b.safetensors") + ": cannot open: No such file or directory (shard of tensor 'y')");
  EXPECT_EQ(checkpoint->lookup("z").status().text(),
            path("a.safetensors") +
                ": has no tensor 'z', but model.safetensors.index.json says that it is there");
  EXPECT_EQ(checkpoint->lookup("w").status().text(), folder.string() + ": the checkpoint has no tensor 'w'");
  EXPECT_FALSE(checkpoint->checkAll().ok());
}

TEST_F(SafetensorsTest, BadIndexes) {
  auto expectError = [&](const std::string &text, const std::string &message) {
    index(text);
    Expected<std::unique_ptr<Checkpoint>> checkpoint = Checkpoint::open(folder.string());
    ASSERT_FALSE(checkpoint.ok()) << text;
    EXPECT_EQ(checkpoint.status().text(), path("model.safetensors.index.json") + ": " + message) << text;
  };
  expectError("", "not valid JSON at byte 1");
  expectError("{}", "has no 'weight_map'");
  expectError("[]", "unexpected array, expected an object");
  expectError(R"({"weight_map": 3})", "weight_map: expected a file name for every tensor");
  expectError(R"({"weight_map": "a"})", "weight_map: expected an object");
  expectError(R"({"weight_map": ["a"]})", "unexpected array, expected an object");
  expectError(R"({"weight_map": {"x": {}}})", "weight_map: expected a file name for every tensor");
  expectError(R"({"weight_map": {"x": "a", "x": "a"}})", "weight_map: tensor 'x' appears twice");
  expectError(R"({"weight_map": {"x": "../a"}})",
              "weight_map: tensor 'x' is in '../a', expected a file name without a folder");
}
