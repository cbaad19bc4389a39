//===- CudaDeviceTest.cpp - Programs of GPU code on a real GPU ------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Needs a GPU of compute capability 9.0; skipped elsewhere. The kernels are PTX that the driver compiles.
//
//===----------------------------------------------------------------------===//

#include "runtime/Context.h"
#include "runtime/Cuda/CudaDevice.h"
#include "runtime/OpenDevice.h"
#include "test/unit/GpuPackage.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstring>

using namespace k3;

namespace {

// Grid (ceil(T / 8), 2): block (x, 0) loads the box of 8 rows x 32 columns at row 8 x through the map and writes its
// 512 bytes as they lie in shared memory to the rows 8 x .. of y, 64 bytes a row, rows beyond T left out; block (x, 1)
// writes T (as i32) and the factor (f32) to the last 8 bytes of row 8 x.
const char *const ptx = R"(
.version 8.0
.target sm_90a
.address_size 64
.visible .entry scale_64(.param .align 64 .b8 map[128], .param .u64 py, .param .u32 pt, .param .f32 pf) {
  .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<8>; .reg .f32 %f;
  .shared .align 1024 .b8 tile[1024];
  .shared .align 8 .b64 bar;
  griddepcontrol.wait;
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y;
  ld.param.u64 %d0, [py]; cvta.to.global.u64 %d0, %d0;
  ld.param.u32 %r3, [pt]; ld.param.f32 %f, [pf];
  shl.b32 %r4, %r1, 3;
  setp.ne.u32 %p0, %r2, 0;
  @%p0 bra TAIL;
  mov.u32 %r5, tile; mov.u32 %r6, bar;
  setp.ne.u32 %p1, %r0, 0;
  @%p1 bra READY;
  mbarrier.init.shared.b64 [%r6], 1;
  fence.proxy.async;
  mbarrier.arrive.expect_tx.shared.b64 _, [%r6], 512;
  mov.b64 %d1, map;
  cvta.param.u64 %d1, %d1;
  mov.u32 %r7, 0;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r5], [%d1, {%r7, %r4}], [%r6];
READY:
  bar.sync 0;
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p2, [%r6], 0;
  @!%p2 bra WAIT;
  // Thread t < 128 moves 4 bytes: row t / 16, word t mod 16.
  shr.u32 %r8, %r0, 4; and.b32 %r9, %r0, 15;
  add.u32 %r10, %r4, %r8;
  setp.ge.u32 %p3, %r10, %r3;
  @%p3 ret;
  shl.b32 %r11, %r0, 2;
  add.u32 %r11, %r5, %r11;
  ld.shared.u32 %r12, [%r11];
  mul.wide.u32 %d2, %r10, 128; mul.wide.u32 %d3, %r9, 4;
  add.u64 %d2, %d2, %d3; add.u64 %d2, %d0, %d2;
  st.global.u32 [%d2], %r12;
  ret;
TAIL:
  setp.ne.u32 %p1, %r0, 0;
  @%p1 ret;
  mul.wide.u32 %d2, %r4, 128;
  add.u64 %d2, %d0, %d2;
  st.global.u32 [%d2+120], %r3;
  st.global.f32 [%d2+124], %f;
  ret;
}
)";

std::unique_ptr<fb::PackageT> package() {
  auto result = toy::gpuPackage();
  fb::PtxT code;
  code.text = ptx;
  code.isa = fb::Isa::Sm90a;
  code.version = 80;
  result->images[0]->code.Set(std::move(code));
  return result;
}

struct NoWeights final : WeightSource {
  Expected<std::span<const std::byte>> tensor(const fb::WeightT &, uint64_t, unsigned,
                                              std::vector<std::byte> &) const override {
    return internalError("no weights");
  }
};

class CudaRuntime : public testing::Test {
protected:
  void SetUp() override {
    auto device = CudaDevice::open(0);
    if (!device)
      GTEST_SKIP() << device.status().text();
  }
  Expected<std::unique_ptr<Context>> open(std::unique_ptr<fb::PackageT> source) {
    K3_ASSIGN(auto model, ModelPackage::adopt(std::move(source)));
    return Context::create(model, NoWeights(), {.threads = 1});
  }
  static HostArray rows(int64_t count, int seed) {
    HostArray array{fb::DType::BF16, {count, 64}, std::vector<std::byte>(static_cast<size_t>(count) * 128)};
    for (size_t i = 0; i < array.bytes.size(); ++i)
      array.bytes[i] = static_cast<std::byte>((i * 7 + static_cast<size_t>(seed)) % 251);
    return array;
  }
  static void check(Context &context, int64_t count, int seed) {
    Engine &engine = context.engine();
    Engine::NamedArrays outputs;
    HostArray x = rows(count, seed);
    Status status = engine.runGraph(engine.package().graphs()[0], {{"x", x}}, outputs);
    ASSERT_TRUE(status.ok()) << status.text();
    const std::vector<std::byte> &y = outputs["y"].bytes;
    int wrong = 0;
    for (int64_t row = 0; row < count; ++row)
      for (int64_t byte = 0; byte < 64; ++byte) {
        // The 64-byte swizzle: bits 4 and 5 of the address get bits 7 and 8 added.
        int64_t address = (row % 8) * 64 + byte, logical = address ^ ((address >> 7 & 3) << 4);
        int64_t from = row / 8 * 8 + logical / 64;
        std::byte expected = from < count ? x.bytes[static_cast<size_t>(from * 128 + logical % 64)] : std::byte{0};
        wrong += y[static_cast<size_t>(row * 128 + byte)] != expected;
      }
    EXPECT_EQ(wrong, 0) << count;
    for (int64_t row = 0; row < count; row += 8) {
      int32_t t = 0;
      float factor = 0;
      std::memcpy(&t, &y[static_cast<size_t>(row * 128 + 120)], 4);
      std::memcpy(&factor, &y[static_cast<size_t>(row * 128 + 124)], 4);
      EXPECT_EQ(t, count);
      EXPECT_EQ(factor, 2.0f);
    }
  }
};

} // namespace

TEST_F(CudaRuntime, LaunchesGraphsAndBuckets) {
  auto context = open(package());
  ASSERT_TRUE(context.ok()) << context.status().text();
  // Every size thrice: as it is, recorded, replayed with other data.
  for (int64_t count : {1, 8, 16, 17, 63, 64})
    for (int seed : {1, 2, 3})
      check(**context, count, seed);
}

TEST_F(CudaRuntime, ClustersAndResidentBlocks) {
  auto source = package();
  for (auto &program : source->programs) {
    fb::LaunchT &launch = *program->entries[0]->op.AsLaunch();
    launch.cluster = {1, 2, 1};
    launch.min_resident = constantExpr(1 << 20); // the grid, as it is smaller
  }
  auto context = open(std::move(source));
  ASSERT_TRUE(context.ok()) << context.status().text();
  check(**context, 64, 1);

  source = package();
  for (auto &program : source->programs) {
    fb::LaunchT &launch = *program->entries[0]->op.AsLaunch();
    launch.grid->y = constantExpr(4000);
    launch.min_resident = constantExpr(1 << 20);
  }
  context = open(std::move(source));
  ASSERT_TRUE(context.ok()) << context.status().text();
  Engine::NamedArrays outputs;
  Engine &engine = (*context)->engine();
  std::string text = engine.runGraph(engine.package().graphs()[0], {{"x", rows(64, 1)}}, outputs).text();
  EXPECT_EQ(text.rfind("program 'scale.b1', entry 0 'scale' (kernel 'scale_64', scale.mlir:4:7): a kernel needs 32000 "
                       "resident blocks that wait for each other",
                       0),
            0u)
      << text;
}

TEST_F(CudaRuntime, Refusals) {
  auto source = package();
  source->kernels[0]->symbol = "absent";
  auto context = open(std::move(source));
  ASSERT_TRUE(context.ok()) << context.status().text();
  Engine::NamedArrays outputs;
  Engine &engine = (*context)->engine();
  std::string text = engine.runGraph(engine.package().graphs()[0], {{"x", rows(8, 1)}}, outputs).text();
  EXPECT_NE(text.find("(kernel 'absent', scale.mlir:4:7): finding kernel 'absent' of image 0 of target 'h200'"), std::string::npos)
      << text;

  source = package();
  source->images[0]->code.AsPtx()->text = ".version 8.0\n.target sm_90a\nnonsense\n";
  text = open(std::move(source)).status().text();
  EXPECT_NE(text.find("loading image 0 of target 'h200'"), std::string::npos) << text;

  source = package();
  source->images[0]->code.AsPtx()->isa = fb::Isa::Sm100a;
  text = open(std::move(source)).status().text();
  EXPECT_NE(text.find("image 0 of target 'h200' is for sm_100a, "), std::string::npos) << text;

  auto device = CudaDevice::open(0);
  ASSERT_TRUE(device.ok());
  EXPECT_EQ((*device)->gemm({}).text(), "a host product in a GPU program");
  EXPECT_EQ((*device)->launch({}).text(), "a host kernel in a GPU program");
  EXPECT_FALSE(CudaDevice::open(1000).ok());
}

TEST_F(CudaRuntime, CopiesOfEverySize) {
  auto device = std::move(*CudaDevice::open(0));
  for (uint64_t bytes : {uint64_t(1), uint64_t(4096), uint64_t(1) << 20, (uint64_t(1) << 20) + 1, uint64_t(9) << 20}) {
    DeviceMemory memory = *device->allocate(bytes), other = *device->allocate(bytes);
    std::vector<std::byte> in(bytes), out(bytes, std::byte{1});
    ASSERT_TRUE(device->copyOut(out.data(), memory.data, bytes).ok());
    EXPECT_EQ(out, in) << "new memory is zero";
    for (uint64_t i = 0; i < bytes; ++i)
      in[i] = static_cast<std::byte>(i % 253);
    for (int round = 0; round < 9; ++round) { // through the staging memory more than once
      in[0] = static_cast<std::byte>(round);
      ASSERT_TRUE(device->copyIn(memory.data, in.data(), bytes).ok());
    }
    ASSERT_TRUE(device->copy(other.data, memory.data, bytes).ok());
    ASSERT_TRUE(device->copyOut(out.data(), other.data, bytes).ok());
    EXPECT_EQ(out, in) << bytes;
    device->release(memory);
    device->release(other);
  }
}

/// Prints what a call of a graph of one kernel costs from outside.
TEST_F(CudaRuntime, FigureOfAGraphCall) {
  auto context = open(package());
  ASSERT_TRUE(context.ok()) << context.status().text();
  Engine &engine = (*context)->engine();
  Engine::NamedArrays outputs;
  double best = 1;
  for (int i = 0; i < 200; ++i) {
    auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(engine.runGraph(engine.package().graphs()[0], {{"x", rows(64, i)}}, outputs).ok());
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::printf("a call of one kernel, 8 KiB in and out: %.1f us\n", best * 1e6);
}
