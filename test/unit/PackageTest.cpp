//===- PackageTest.cpp - Round trip and every way to damage a package -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Package/Package.h"
#include "lib/Package/Check.h"
#include "lib/Package/Expr.h"
#include "lib/Package/Format.h"
#include "lib/Package/GridAbi.h"
#include "lib/Package/Print.h"
#include "lib/Support/Crc32c.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

using namespace k3;

namespace {

std::unique_ptr<fb::DimT> dim(std::unique_ptr<fb::ExprT> size) {
  auto result = std::make_unique<fb::DimT>();
  result->size = std::move(size);
  return result;
}

/// f32 [T, columns] in a buffer.
std::unique_ptr<fb::ViewT> rows(uint32_t buffer, int64_t offset, int64_t columns) {
  auto view = std::make_unique<fb::ViewT>();
  view->buffer = buffer;
  view->offset = constantExpr(offset);
  view->dtype = fb::DType::F32;
  view->dims.push_back(dim(symbolExpr(fb::Sym::T)));
  view->dims.push_back(dim(constantExpr(columns)));
  view->strides.push_back(constantExpr(columns));
  view->strides.push_back(constantExpr(1));
  return view;
}

void addBuffer(fb::PackageT &package, std::string name, fb::Space space, std::unique_ptr<fb::ExprT> bytes) {
  auto buffer = std::make_unique<fb::BufferT>();
  buffer->name = std::move(name);
  buffer->space = space;
  buffer->bytes = std::move(bytes);
  package.buffers.push_back(std::move(buffer));
}

std::unique_ptr<fb::EntryT> launch(std::string name, std::unique_ptr<fb::ViewT> in,
                                   std::unique_ptr<fb::ViewT> out) {
  fb::LaunchT op;
  op.grid = std::make_unique<fb::Dim3T>();
  op.grid->x = symbolExpr(fb::Sym::T);
  uint8_t access = 1;
  for (auto *view : {&in, &out}) {
    fb::BufferArgT arg;
    arg.view = std::move(*view);
    arg.access = access++;
    op.args.push_back(std::make_unique<fb::ArgBoxT>());
    op.args.back()->arg.Set(std::move(arg));
  }
  auto entry = std::make_unique<fb::EntryT>();
  entry->name = std::move(name);
  entry->op.Set(std::move(op));
  return entry;
}

/// Two launches over an arena of [T <= 8, 4] floats, one state, one weight with its packed form.
fb::PackageT smallPackage() {
  fb::PackageT package;
  package.producer = "test";
  package.precision = "f32";
  addBuffer(package, "arena", fb::Space::Arena, constantExpr(256));
  addBuffer(package, "weights", fb::Space::Weights, constantExpr(64));
  addBuffer(package, "s", fb::Space::State, nullptr);
  auto weight = std::make_unique<fb::WeightT>();
  weight->name = "w";
  weight->pattern = "model.w";
  weight->parts.push_back(std::make_unique<fb::PartT>());
  weight->parts[0]->dtype = fb::DType::BF16;
  weight->parts[0]->shape = {4, 4};
  package.weights.push_back(std::move(weight));
  auto packed = std::make_unique<fb::PackedT>();
  packed->name = "w";
  packed->buffer = 1;
  packed->dtype = fb::DType::F32;
  packed->shape = {4, 4};
  package.packed.push_back(std::move(packed));
  auto state = std::make_unique<fb::StateT>();
  state->name = "layers.0.s";
  state->dtype = fb::DType::F32;
  state->shape = {2, 8};
  state->buffer = 2;
  state->slot_stride = 64;
  package.states.push_back(std::move(state));
  fb::HostObjectT object;
  object.elf = {0x7f, 'E', 'L', 'F'};
  object.grid_abi = K3_GRID_ABI;
  package.images.push_back(std::make_unique<fb::ImageT>());
  package.images[0]->code.Set(std::move(object));
  package.kernels.push_back(std::make_unique<fb::KernelT>());
  package.kernels[0]->symbol = "scale_4";
  package.targets.push_back(std::make_unique<fb::TargetT>());
  package.targets[0]->name = "host";
  package.targets[0]->images = {0};
  auto program = std::make_unique<fb::ProgramT>();
  program->name = "step.ragged";
  program->bucket.push_back(std::make_unique<fb::LimitT>());
  program->bucket[0]->sym = fb::Sym::T;
  program->bucket[0]->max = 8;
  program->entries.push_back(launch("first", rows(0, 0, 4), rows(0, 128, 4)));
  program->entries.push_back(launch("second", rows(0, 128, 4), rows(0, 0, 4)));
  program->entries[1]->waits = {0};
  package.programs.push_back(std::move(program));
  return package;
}

std::vector<std::byte> bytesOf(const fb::PackageT &package) {
  auto bytes = serializePackage(package);
  EXPECT_TRUE(bytes.ok()) << bytes.status().text();
  return bytes.ok() ? *bytes : std::vector<std::byte>();
}

std::string failure(std::span<const std::byte> bytes) {
  auto package = readPackage(bytes, "m.k3x");
  return package.ok() ? "" : package.status().text();
}

/// The FlatBuffer of a package that checkPackage would not let through, under a correct prefix.
std::vector<std::byte> uncheckedBytes(const fb::PackageT &package) {
  flatbuffers::FlatBufferBuilder builder;
  fb::FinishPackageBuffer(builder, fb::Package::Pack(builder, &package));
  PackagePrefix prefix = {};
  std::memcpy(prefix.magic, packageMagic, sizeof packageMagic);
  prefix.major = packageMajor;
  prefix.length = builder.GetSize();
  prefix.crc = crc32c(builder.GetBufferPointer(), builder.GetSize(), crc32c(&prefix, 12));
  std::vector<std::byte> bytes(packagePrefixBytes + builder.GetSize());
  std::memcpy(bytes.data(), &prefix, sizeof prefix);
  std::memcpy(bytes.data() + packagePrefixBytes, builder.GetBufferPointer(), builder.GetSize());
  return bytes;
}

TEST(Package, RoundTrip) {
  std::vector<std::byte> bytes = bytesOf(smallPackage());
  auto package = readPackage(bytes, "m.k3x");
  ASSERT_TRUE(package.ok()) << package.status().text();
  EXPECT_EQ((*package)->programs[0]->entries[1]->waits, std::vector<uint32_t>{0});
  EXPECT_EQ((*package)->images[0]->code.AsHostObject()->elf.size(), 4u);
  EXPECT_EQ(bytesOf(**package), bytes) << "a second write gives the same bytes";
}

TEST(Package, WritesAndReadsAFile) {
  std::string path = (std::filesystem::temp_directory_path() / "k3-package-test.k3x").string();
  ASSERT_TRUE(writePackage(smallPackage(), path).ok());
  EXPECT_TRUE(readPackage(path).ok());
  std::filesystem::remove(path);
  EXPECT_EQ(readPackage(path).status().code(), Code::Io);
  EXPECT_FALSE(writePackage(smallPackage(), "/no/such/folder/m.k3x").ok());
}

TEST(Package, TruncatedAnywhere) {
  std::vector<std::byte> bytes = bytesOf(smallPackage());
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string text = failure(std::span(bytes).first(size));
    EXPECT_NE(text.find("truncated"), std::string::npos) << size << ": " << text;
  }
  bytes.push_back(std::byte(0));
  EXPECT_EQ(failure(bytes), "m.k3x: has 1 bytes after its end; copy or compile it again");
}

TEST(Package, EveryBitFlipIsRefused) {
  const std::vector<std::byte> bytes = bytesOf(smallPackage());
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::vector<std::byte> damaged = bytes;
      damaged[at] ^= std::byte(1 << bit);
      std::string text = failure(damaged);
      const char *expected = at < 8                ? "wrong magic"
                             : at < 10             ? "package format"
                             : at >= 16 && at < 24 ? "byte" // the length: truncated, or bytes after the end
                                                   : "its CRC32C does not match";
      EXPECT_NE(text.find(expected), std::string::npos) << at << "." << bit << ": " << text;
    }
  }
}

TEST(Package, NewerVersionNamesBothAndWhatToDo) {
  std::vector<std::byte> bytes = bytesOf(smallPackage());
  bytes[8] = std::byte(7);
  bytes[10] = std::byte(2);
  EXPECT_EQ(failure(bytes),
            "m.k3x: has package format 7.2, this release reads 1.0; use a newer k3-run, or compile the "
            "model again with this release");
}

TEST(Package, UnknownFeatureIsRefusedByName) {
  fb::PackageT package = smallPackage();
  package.features = {"host", "speculative-drafts"};
  EXPECT_EQ(failure(bytesOf(package)),
            "m.k3x: needs the feature 'speculative-drafts', which this release does not "
            "know; use a newer k3-run, or compile without it");
}

TEST(Package, MalformedFlatBufferIsRefused) {
  std::vector<std::byte> bytes = uncheckedBytes(smallPackage());
  // The root offset points far outside; the checksum is made right again.
  uint32_t far = 0x7ffffff0;
  std::memcpy(bytes.data() + packagePrefixBytes, &far, sizeof far);
  uint32_t crc =
      crc32c(bytes.data() + packagePrefixBytes, bytes.size() - packagePrefixBytes, crc32c(bytes.data(), 12));
  std::memcpy(bytes.data() + 12, &crc, sizeof crc);
  EXPECT_EQ(failure(bytes), "m.k3x: is malformed: the FlatBuffers verifier refuses it; compile it again");
}

struct Damage {
  const char *name;
  void (*apply)(fb::PackageT &);
  const char *message;
};

fb::LaunchT &launchOf(fb::PackageT &package, size_t entry) {
  return *package.programs[0]->entries[entry]->op.AsLaunch();
}
fb::ViewT &viewOf(fb::PackageT &package, size_t entry, size_t arg) {
  return *launchOf(package, entry).args[arg]->arg.AsBufferArg()->view;
}

const Damage damages[] = {
    {"UnknownOp", [](fb::PackageT &p) { p.programs[0]->entries[1]->op.Reset(); },
     "program 'step.ragged': entry 1 'second': is an operation (number 0) that this release does not know"},
    {"UnknownArg", [](fb::PackageT &p) { launchOf(p, 0).args[1]->arg.Reset(); },
     "program 'step.ragged': entry 0 'first': argument 1: is of a kind that this release does not know"},
    {"UnknownCode", [](fb::PackageT &p) { p.images[0]->code.Reset(); },
     "image 0 is of a kind that this release does not know"},
    {"KernelIndex", [](fb::PackageT &p) { launchOf(p, 0).kernel = 7; },
     "program 'step.ragged': entry 0 'first': kernel 7 does not exist (the package has 1)"},
    {"KernelImage", [](fb::PackageT &p) { p.kernels[0]->image = 2; },
     "kernel 'scale_4': image 2 does not exist (the package has 1)"},
    {"TargetImage", [](fb::PackageT &p) { p.targets[0]->images = {1}; },
     "target 'host': image 1 does not exist"},
    {"ProgramTarget", [](fb::PackageT &p) { p.programs[0]->target = 1; }, "target 1 does not exist"},
    {"ViewBuffer", [](fb::PackageT &p) { viewOf(p, 0, 1).buffer = 9; },
     "entry 0 'first': argument 1: view: buffer 9 does not exist (the package has 3)"},
    {"ViewRank", [](fb::PackageT &p) { viewOf(p, 0, 0).strides.pop_back(); },
     "view has 2 dims and 1 strides"},
    {"ViewEnd", [](fb::PackageT &p) { viewOf(p, 1, 0).offset = constantExpr(144); },
     "view: ends at byte 272 of buffer 'arena', which has 256"},
    {"ViewBegin", [](fb::PackageT &p) { viewOf(p, 1, 0).offset = constantExpr(-16); },
     "begins before its buffer"},
    {"ViewType", [](fb::PackageT &p) { viewOf(p, 1, 0).dtype = fb::DType::None; }, "has no element type"},
    {"WaitsForItself", [](fb::PackageT &p) { p.programs[0]->entries[1]->waits = {1}; },
     "entry 1 'second': waits for entry 1, which does not come before it"},
    {"Stream", [](fb::PackageT &p) { p.programs[0]->entries[1]->stream = 1; },
     "entry 1 'second': runs on stream 1, the program has 1"},
    {"Access", [](fb::PackageT &p) { launchOf(p, 0).args[0]->arg.AsBufferArg()->access = 0; },
     "has access 0"},
    {"NoGrid", [](fb::PackageT &p) { launchOf(p, 0).grid.reset(); }, "entry 0 'first': has no grid"},
    {"Divisor",
     [](fb::PackageT &p) {
       launchOf(p, 0).grid->x->terms[0] = fb::Term(1, 0, 0, static_cast<uint8_t>(fb::Sym::T), 0, 0);
     },
     "divides by 0"},
    {"PackedEnd", [](fb::PackageT &p) { p.packed[0]->offset = 4; },
     "packed weight 'w' does not fit buffer 'weights' of 64 bytes"},
    {"PackedMembers", [](fb::PackageT &p) { p.packed[0]->members = 2; }, "packed weight 'w'"},
    {"PackedBuffer", [](fb::PackageT &p) { p.packed[0]->buffer = 5; },
     "packed weight 'w': buffer 5 does not exist"},
    {"StateStride", [](fb::PackageT &p) { p.states[0]->slot_stride = 63; },
     "state 'layers.0.s': a slot needs 64 bytes, the stride is 63"},
    {"StateSpace", [](fb::PackageT &p) { p.states[0]->buffer = 0; },
     "its buffer 'arena' is not of the space State"},
    {"StateTap",
     [](fb::PackageT &p) {
       p.programs[0]->taps.push_back(std::make_unique<fb::TapT>());
       p.programs[0]->taps[0]->name = "x";
       p.programs[0]->taps[0]->state = "layers.9.s";
     },
     "tap 'x': there is no state 'layers.9.s'"},
    {"TapEntry",
     [](fb::PackageT &p) {
       p.programs[0]->taps.push_back(std::make_unique<fb::TapT>());
       p.programs[0]->taps[0]->name = "x";
       p.programs[0]->taps[0]->view = rows(0, 0, 4);
       p.programs[0]->taps[0]->entry = 2;
     },
     "tap 'x': entry 2 does not exist"},
    {"CallsAStep",
     [](fb::PackageT &p) {
       fb::CallT call;
       p.programs[0]->entries[1]->op.Set(std::move(call));
     },
     "only programs of kind Body are called"},
    {"FetchPart",
     [](fb::PackageT &p) {
       fb::FetchT fetch;
       fetch.part = 1;
       fetch.dst = rows(0, 0, 4);
       p.programs[0]->entries[1]->op.Set(std::move(fetch));
     },
     "weight 'w': part 1 does not exist"},
    {"ManifestCount", [](fb::PackageT &p) { p.weight_count = 2; },
     "the manifest expands to 1 tensors and 32 bytes, the package says 2 and 0"},
    {"TwoPrograms",
     [](fb::PackageT &p) { p.programs.push_back(std::make_unique<fb::ProgramT>(*p.programs[0])); },
     "program 'step.ragged' is there twice"},
    {"GridAbi", [](fb::PackageT &p) { p.images[0]->code.AsHostObject()->grid_abi = 9; },
     "image 0 was compiled for grid ABI 9, this release has 1"},
};

class PackageDamage : public testing::TestWithParam<Damage> {};

TEST_P(PackageDamage, IsRefusedByWriterAndReader) {
  fb::PackageT package = smallPackage();
  GetParam().apply(package);
  EXPECT_FALSE(serializePackage(package).ok());
  std::string text = failure(uncheckedBytes(package));
  EXPECT_NE(text.find(GetParam().message), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Each, PackageDamage, testing::ValuesIn(damages),
                         [](const testing::TestParamInfo<Damage> &info) {
                           return std::string(info.param.name);
                         });

TEST(PackagePrint, TextNamesEntriesAndViews) {
  auto text = packageText(smallPackage(), "programs");
  ASSERT_TRUE(text.ok());
  EXPECT_NE(
      text->find(
          "1 stream 0 after 0: launch scale_4(r arena+128 F32[T, 4], w arena F32[T, 4]) units T grain 1"),
      std::string::npos)
      << *text;
  EXPECT_EQ(packageText(smallPackage(), "programms").status().code(), Code::BadUsage);
}

TEST(PackagePrint, JsonKeepsNamesAndLeavesBytesOut) {
  auto text = packageJson(smallPackage(), "programs");
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("\"name\": \"step.ragged\""), std::string::npos);
  EXPECT_NE(text->find("\"x\": \"T\""), std::string::npos) << *text;
  EXPECT_NE(packageJson(smallPackage(), "images")->find("\"bytes\": 4"), std::string::npos);
  EXPECT_EQ(packageJson(smallPackage(), "nothing").status().code(), Code::BadUsage);
}

} // namespace
