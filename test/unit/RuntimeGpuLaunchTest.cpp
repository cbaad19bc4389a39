//===- RuntimeGpuLaunchTest.cpp - GPU launches on a device that records ---===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Context.h"
#include "runtime/Host/HostDevice.h"
#include "runtime/OpenDevice.h"
#include "test/unit/GpuPackage.h"
#include "test/unit/RuntimeToyContext.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace k3;

namespace {

/// What a device was asked to do; memory is that of the host.
struct Log {
  std::vector<GpuLaunchRecord> launches;
  std::vector<std::vector<KernelArgument>> arguments;
  int captures = 0, replays = 0;
  std::string failure; ///< of the next launch
};

/// Copies its first 2 * 64 * T bytes from the tensor map's address to y, so that results can be told apart.
class RecordingDevice final : public Device {
public:
  explicit RecordingDevice(Log &log, bool graphs = false) : log(log), host(1), graphs(graphs) {}
  std::string name() const override { return "recorder"; }
  unsigned workers() const override { return 5; }
  Expected<DeviceMemory> allocate(uint64_t bytes) override { return host.allocate(bytes); }
  void release(DeviceMemory memory) override { host.release(memory); }
  Status loadKernels(const fb::PackageT &, uint32_t) override { return Status::success(); }
  Status copyIn(std::byte *to, const void *from, uint64_t bytes) override { return host.copyIn(to, from, bytes); }
  Status copyOut(void *to, const std::byte *from, uint64_t bytes) override { return host.copyOut(to, from, bytes); }
  Status copy(std::byte *to, const std::byte *from, uint64_t bytes) override { return host.copy(to, from, bytes); }
  Status fill(std::byte *to, uint8_t value, uint64_t bytes) override { return host.fill(to, value, bytes); }
  Status launch(const LaunchRecord &) override { return unsupported("host kernel"); }
  Status gemm(const GemmRecord &) override { return unsupported("host product"); }
  Status synchronise() override { return Status::success(); }
  Status launchGpu(const GpuLaunchRecord &record) override {
    log.launches.push_back(record);
    log.arguments.emplace_back(record.arguments.begin(), record.arguments.end());
    if (!log.failure.empty())
      return internalError(log.failure);
    if (record.arguments.size() == 4)
      std::memcpy(record.arguments[1].data, record.arguments[0].map.data, record.arguments[1].bytes);
    return Status::success();
  }
  bool recordsGraphs() const override { return graphs; }
  Expected<std::unique_ptr<DeviceGraph>> capture(const std::function<Status()> &work) override {
    ++log.captures;
    K3_TRY(work());
    return std::make_unique<DeviceGraph>();
  }
  Status replay(const DeviceGraph &) override {
    ++log.replays;
    return Status::success();
  }

private:
  Log &log;
  HostDevice host;
  bool graphs;
};

struct NoWeights final : WeightSource {
  Expected<std::span<const std::byte>> tensor(const fb::WeightT &, uint64_t, unsigned,
                                              std::vector<std::byte> &) const override {
    return internalError("no weights");
  }
};

std::unique_ptr<Context> context(Log &log, std::unique_ptr<fb::PackageT> package, bool graphs = false) {
  auto model = ModelPackage::adopt(std::move(package));
  EXPECT_TRUE(model.ok()) << model.status().text();
  auto made = Context::create(*model, NoWeights(), {}, std::make_unique<RecordingDevice>(log, graphs));
  EXPECT_TRUE(made.ok()) << made.status().text();
  return std::move(*made);
}

HostArray rows(int64_t count) {
  HostArray array{fb::DType::BF16, {count, 64}, std::vector<std::byte>(static_cast<size_t>(count) * 128)};
  for (size_t i = 0; i < array.bytes.size(); ++i)
    array.bytes[i] = static_cast<std::byte>(i % 251);
  return array;
}

Status run(Context &context, int64_t count, Engine::NamedArrays &outputs) {
  Engine &engine = context.engine();
  return engine.runGraph(engine.package().graphs()[0], {{"x", rows(count)}}, outputs);
}

} // namespace

TEST(RuntimeGpuLaunch, NumbersAreEvaluated) {
  Log log;
  auto machine = context(log, toy::gpuPackage());
  Engine::NamedArrays outputs;
  Status status = run(*machine, 20, outputs);
  ASSERT_TRUE(status.ok()) << status.text();
  ASSERT_EQ(log.launches.size(), 1u);
  const GpuLaunchRecord &record = log.launches[0];
  EXPECT_EQ(record.grid, (std::array<uint32_t, 3>{3, 2, 1}));
  EXPECT_EQ(record.block, (std::array<uint32_t, 3>{128, 1, 1}));
  EXPECT_EQ(record.sharedBytes, 4096u);
  EXPECT_TRUE(record.dependent);
  EXPECT_EQ(record.resident, 0u);
  const auto &arguments = log.arguments[0];
  ASSERT_EQ(arguments.size(), 4u);
  const TensorMapRecord &map = arguments[0].map;
  EXPECT_EQ(arguments[0].kind, KernelArgument::Kind::TensorMap);
  EXPECT_EQ(map.rank, 2u);
  EXPECT_EQ(map.dims[0], 32u); // innermost first
  EXPECT_EQ(map.dims[1], 20u);
  EXPECT_EQ(map.strides[1], 128u);
  EXPECT_EQ(map.box[0], 32u);
  EXPECT_EQ(map.box[1], 8u);
  EXPECT_EQ(map.elementStrides[1], 1u);
  EXPECT_EQ(map.swizzleBytes, 64u);
  EXPECT_EQ(arguments[1].kind, KernelArgument::Kind::Pointer);
  EXPECT_EQ(arguments[1].bytes, 20u * 128);
  EXPECT_EQ(arguments[1].access, 2);
  EXPECT_EQ(arguments[1].role, 2);
  EXPECT_EQ(arguments[2].bits, 20u);
  EXPECT_EQ(arguments[3].dtype, fb::DType::F32);
  EXPECT_EQ(arguments[3].bits, 0x40000000u);
  EXPECT_EQ(outputs["y"].bytes, rows(20).bytes);
}

TEST(RuntimeGpuLaunch, PersistentGrids) {
  struct Case {
    int64_t rows, most;
    uint32_t cluster, blocks, resident;
  };
  // ceil(T / 8) * 2 blocks, at most so many (0: the 5 multiprocessors), in whole clusters.
  for (const Case &c : {Case{64, 0, 1, 5, 5}, Case{64, 7, 2, 6, 5}, Case{8, 0, 1, 2, 2}, Case{8, 100, 2, 2, 2}}) {
    auto package = toy::gpuPackage();
    for (auto &program : package->programs) {
      fb::LaunchT &launch = *program->entries[0]->op.AsLaunch();
      launch.max_ctas = c.most ? constantExpr(c.most) : symbolExpr(fb::Sym::SM);
      launch.min_resident = symbolExpr(fb::Sym::SM);
      launch.cluster = {c.cluster, 1, 1};
    }
    Log log;
    Engine::NamedArrays outputs;
    ASSERT_TRUE(run(*context(log, std::move(package)), c.rows, outputs).ok());
    EXPECT_EQ(log.launches[0].grid, (std::array<uint32_t, 3>{c.blocks, 1, 1})) << c.rows << " " << c.most;
    EXPECT_EQ(log.launches[0].resident, c.resident) << c.rows << " " << c.most;
  }
}

TEST(RuntimeGpuLaunch, ClustersThatDoNotDivideAtARun) {
  auto package = toy::gpuPackage();
  for (auto &program : package->programs)
    program->entries[0]->op.AsLaunch()->cluster = {3, 1, 1};
  Log log;
  Engine::NamedArrays outputs;
  EXPECT_EQ(run(*context(log, std::move(package)), 8, outputs).text(),
            "program 'scale.b0', entry 0 'scale' (kernel 'scale_64', scale.mlir:4:7): a grid of 1 blocks in dimension 0 is "
            "not whole clusters of 3");
}

TEST(RuntimeGpuLaunch, FailuresNameTheKernelAndThePlace) {
  Log log;
  auto machine = context(log, toy::gpuPackage());
  log.failure = "CUDA_ERROR_X";
  Engine::NamedArrays outputs;
  EXPECT_EQ(run(*machine, 20, outputs).text(),
            "program 'scale.b1', entry 0 'scale' (kernel 'scale_64', scale.mlir:4:7): CUDA_ERROR_X");
}

TEST(RuntimeGpuLaunch, BucketsByTheActualSize) {
  Log log;
  auto machine = context(log, toy::gpuPackage());
  const ModelPackage &package = machine->engine().package();
  ASSERT_EQ(package.graphs().size(), 1u);
  EXPECT_EQ(package.graphs()[0].name, "scale");
  for (auto [count, name] : {std::pair(1, "scale.b0"), {16, "scale.b0"}, {17, "scale.b1"}, {64, "scale.b1"}}) {
    SymbolValues sizes;
    sizes.set(fb::Sym::T, count);
    EXPECT_EQ((*package.graphs()[0].choose(sizes))->name, name);
  }
  Engine::NamedArrays outputs;
  EXPECT_EQ(run(*machine, 65, outputs).text(),
            "graph 'scale': T = 65 is outside of what it was compiled for (T = 1..16; T = 17..64); compile with a larger "
            "--max-tokens or --max-seqs");
}

TEST(RuntimeGpuLaunch, BucketsOfOneFunctionAgree) {
  auto package = toy::gpuPackage();
  package->programs[1]->bucket[0]->min = 16;
  EXPECT_EQ(ModelPackage::adopt(std::move(package)).status().text(),
            "programs 'scale.b0' and 'scale.b1' of graph 'scale' have buckets that overlap");
  package = toy::gpuPackage();
  package->programs[1]->io[0]->dtype = fb::DType::F32;
  EXPECT_EQ(ModelPackage::adopt(std::move(package)).status().text(),
            "programs 'scale.b0' and 'scale.b1' of graph 'scale' have different inputs or outputs");
}

TEST(RuntimeGpuLaunch, RepeatedSizesAreRecordedAndReplayed) {
  Log log;
  auto machine = context(log, toy::gpuPackage(), /*graphs=*/true);
  Engine::NamedArrays outputs;
  for (int64_t count : {20, 20, 20, 8, 20})
    ASSERT_TRUE(run(*machine, count, outputs).ok());
  // 20 runs, is recorded at its second run and replayed three times; 8 runs.
  EXPECT_EQ(log.launches.size(), 3u);
  EXPECT_EQ(log.captures, 1);
  EXPECT_EQ(log.replays, 3);
}

namespace {
/// Another device than the host, whose kernels are those of target 0 nevertheless.
class OtherDevice final : public Device {
public:
  std::string name() const override { return "other"; }
  unsigned workers() const override { return 1; }
  Expected<DeviceMemory> allocate(uint64_t bytes) override { return host.allocate(bytes); }
  void release(DeviceMemory memory) override { host.release(memory); }
  Status loadKernels(const fb::PackageT &package, uint32_t) override { return host.loadKernels(package, 0); }
  Status copyIn(std::byte *to, const void *from, uint64_t bytes) override { return host.copyIn(to, from, bytes); }
  Status copyOut(void *to, const std::byte *from, uint64_t bytes) override { return host.copyOut(to, from, bytes); }
  Status copy(std::byte *to, const std::byte *from, uint64_t bytes) override { return host.copy(to, from, bytes); }
  Status fill(std::byte *to, uint8_t value, uint64_t bytes) override { return host.fill(to, value, bytes); }
  Status launch(const LaunchRecord &record) override { return host.launch(record); }
  Status gemm(const GemmRecord &record) override { return host.gemm(record); }
  Status synchronise() override { return Status::success(); }

private:
  HostDevice host{1};
};
} // namespace

TEST(RuntimeGpuLaunch, PacksAndSamplesOnTheHostBesideADevice) {
  auto package = toy::package();
  package->targets.push_back(std::make_unique<fb::TargetT>());
  package->targets[1]->name = "other";
  package->targets[1]->isa = fb::Isa::Sm90a;
  for (auto &program : package->programs)
    if (program->kind == fb::Kind::Step || program->kind == fb::Kind::CopyState)
      program->target = 1;
  fb::ProgramT *copy = nullptr;
  for (auto &program : package->programs)
    if (program->kind == fb::Kind::CopyState)
      copy = program.get();
  auto weights = openWeights(*package, toy::writeCheckpoint(toy::temporaryFolder("weights-beside")));
  ASSERT_TRUE(weights.ok());
  auto model = ModelPackage::adopt(std::move(package));
  ASSERT_TRUE(model.ok()) << model.status().text();
  auto made = Context::create(*model, **weights, {.threads = 1}, std::make_unique<OtherDevice>());
  ASSERT_TRUE(made.ok()) << made.status().text();
  std::vector<int32_t> tokens{3, 1};
  std::vector<Sequence *> forks;
  BatchItem item{*(*made)->createSequence(), tokens};
  ASSERT_TRUE((*made)->step({&item, 1}, LogitMode::Last, {}, forks).ok());
  EXPECT_EQ((*made)->engine().logits()[2], toy::expectedLogit(tokens, 2));
  int32_t id = -1;
  ASSERT_TRUE((*made)->sampleGreedy({&id, 1}).ok());
  EXPECT_EQ(id, 7);

  copy->target = 0; // state lies on the device
  EXPECT_NE(Context::create(*model, **weights, {}, std::make_unique<OtherDevice>())
                .status()
                .text()
                .find("is for target 'host', the steps for 'other'"),
            std::string::npos);
}

TEST(RuntimeGpuLaunch, DevicesThatDoNotFit) {
  auto model = ModelPackage::adopt(toy::gpuPackage());
  ASSERT_TRUE(model.ok());
  auto refused = [&](const char *device) { return openDevice(device, **model, 1).status().text(); };
  EXPECT_EQ(refused("host"), "device 'host': the package is for target 'h200' (sm_90a); run it on a GPU, or compile with "
                             "--target=host");
  EXPECT_EQ(refused("cuda:x"), "device 'cuda:x': expected host, cuda or cuda:N");
  EXPECT_EQ(refused("cudax"), "device 'cudax': expected host, cuda or cuda:N");
  EXPECT_EQ(refused("rocm"), "device 'rocm': expected host, cuda or cuda:N");
  auto opened = openDevice("", **model, 1);
  if (!opened.ok()) { // no GPU here
    EXPECT_EQ(opened.status().text().rfind("the package is for target 'h200' (sm_90a): ", 0), 0u) << opened.status().text();
    EXPECT_EQ(opened.status().text().find('\n'), std::string::npos);
  }
  HostDevice host(1);
  EXPECT_EQ(host.loadKernels((*model)->get(), 0).text(),
            "image 0 of target 'h200' is no host object, which is all that the host runs; use --device=cuda");
  EXPECT_EQ(host.launchGpu({}).text(), "host runs no GPU code");
}
