//===- CudaTest.cpp - The wrappers over the CUDA driver -------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without a GPU only the message is tested. With one, the same binary checks copies, kernels, clusters, dependent launch,
// graphs and errors; `--gtest_filter=Cuda*Figure*` prints what the machine can do.
//
//===----------------------------------------------------------------------===//

#include "runtime/Cuda/Cuda.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

using namespace k3;
using namespace k3::cuda;

namespace {

// y[i] = a x[i] + y[i]; `empty` does nothing; `rank` stores each CTA's rank in its cluster; `fault` writes to address 16.
const char *const ptx = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .entry empty() { ret; }
.visible .entry saxpy(.param .u64 px, .param .u64 py, .param .f32 pa, .param .u32 pn) {
  .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %d<4>; .reg .f32 %f<4>;
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2;
  ld.param.u32 %r4, [pn];
  setp.ge.u32 %p, %r3, %r4;
  @%p ret;
  ld.param.u64 %d0, [px]; ld.param.u64 %d1, [py]; ld.param.f32 %f0, [pa];
  cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %d1, %d1;
  mul.wide.u32 %d2, %r3, 4;
  add.u64 %d0, %d0, %d2; add.u64 %d1, %d1, %d2;
  ld.global.f32 %f1, [%d0]; ld.global.f32 %f2, [%d1];
  fma.rn.f32 %f3, %f0, %f1, %f2;
  st.global.f32 [%d1], %f3;
  ret;
}
.visible .entry fault() {
  .reg .b64 %d; .reg .b32 %r;
  mov.u64 %d, 16; mov.u32 %r, 1;
  st.global.u32 [%d], %r;
  ret;
}
)";
const char *const clusterPtx = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry rank(.param .u64 out) {
  .reg .b32 %r<3>; .reg .b64 %d<3>;
  griddepcontrol.wait;
  mov.u32 %r0, %cluster_ctarank; mov.u32 %r1, %ctaid.x;
  ld.param.u64 %d0, [out];
  cvta.to.global.u64 %d0, %d0;
  mul.wide.u32 %d1, %r1, 4;
  add.u64 %d2, %d0, %d1;
  st.global.u32 [%d2], %r0;
  ret;
}
)";

class Cuda : public testing::Test {
protected:
  void SetUp() override {
    Expected<std::shared_ptr<Gpu>> opened = Gpu::open(0);
    if (!opened)
      GTEST_SKIP() << opened.status().text();
    gpu = *opened;
    Expected<std::unique_ptr<Stream>> created = Stream::create(gpu);
    ASSERT_TRUE(created.ok()) << created.status().text();
    stream = std::move(*created);
    Expected<std::unique_ptr<Module>> loaded = Module::load(gpu, ptx, "test.ptx");
    ASSERT_TRUE(loaded.ok()) << loaded.status().text();
    module = std::move(*loaded);
  }

  FunctionHandle *kernel(const char *name) {
    Expected<FunctionHandle *> found = module->kernel(name);
    EXPECT_TRUE(found.ok()) << found.status().text();
    return found ? *found : nullptr;
  }
  Memory memory(size_t bytes) {
    Expected<Memory> allocated = Memory::allocate(gpu, bytes);
    EXPECT_TRUE(allocated.ok()) << allocated.status().text();
    return std::move(*allocated);
  }

  Status saxpy(const Memory &x, const Memory &y, float a, unsigned n) {
    DevicePointer px = x.address(), py = y.address();
    void *arguments[] = {&px, &py, &a, &n};
    Launch launch;
    launch.kernel = kernel("saxpy");
    launch.grid[0] = (n + 255) / 256;
    launch.block[0] = 256;
    return stream->launch(launch, arguments);
  }

  std::shared_ptr<Gpu> gpu;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<Module> module;
};

void expectOk(const Status &status) { EXPECT_TRUE(status.ok()) << status.text(); }

} // namespace

TEST(CudaDriver, SaysWhatIsMissing) {
  Expected<const Driver *> driver = Driver::get();
  if (driver)
    GTEST_SKIP() << "this machine has a driver and a device";
  EXPECT_EQ(driver.status().code(), Code::Unsupported);
  EXPECT_NE(driver.status().text().find("driver"), std::string::npos) << driver.status().text();
  // Asked twice, the answer is the same.
  EXPECT_EQ(Gpu::open(0).status().text(), driver.status().text());
}

TEST_F(Cuda, NoSuchDevice) {
  EXPECT_NE(Gpu::open(99).status().text().find("CUDA device 99 does not exist; there are "), std::string::npos);
}

TEST_F(Cuda, CopiesAndAKernel) {
  constexpr unsigned n = 1000;
  std::vector<float> x(n), y(n, 1.0f), out(n);
  std::iota(x.begin(), x.end(), 0.0f);
  Memory dx = memory(n * 4), dy = memory(n * 4), dz = memory(n * 4);
  expectOk(stream->copyIn(dx.address(), x.data(), n * 4));
  expectOk(stream->copyIn(dy.address(), y.data(), n * 4));
  expectOk(saxpy(dx, dy, 2.0f, n));
  expectOk(stream->copy(dz.address(), dy.address(), n * 4));
  expectOk(stream->copyOut(out.data(), dz.address(), n * 4));
  expectOk(stream->synchronise());
  for (unsigned i = 0; i < n; ++i)
    ASSERT_EQ(out[i], 2.0f * i + 1.0f) << i;
  expectOk(stream->fill(dz.address(), 0, n * 4));
  expectOk(stream->copyOut(out.data(), dz.address(), n * 4));
  expectOk(stream->synchronise());
  EXPECT_EQ(out, std::vector<float>(n, 0.0f));
}

TEST_F(Cuda, AGraphReplays) {
  constexpr unsigned n = 256;
  std::vector<float> ones(n, 1.0f), out(n);
  Memory x = memory(n * 4), y = memory(n * 4);
  expectOk(stream->copyIn(x.address(), ones.data(), n * 4));
  expectOk(stream->fill(y.address(), 0, n * 4));
  Expected<std::unique_ptr<Graph>> graph = stream->capture([&] {
    K3_TRY(saxpy(x, y, 1.0f, n));
    return saxpy(x, y, 1.0f, n);
  });
  ASSERT_TRUE(graph.ok()) << graph.status().text();
  for (int i = 0; i < 3; ++i)
    expectOk(stream->launch(**graph));
  expectOk(stream->copyOut(out.data(), y.address(), n * 4));
  expectOk(stream->synchronise());
  EXPECT_EQ(out, std::vector<float>(n, 6.0f));

  // A failure inside a capture leaves the stream usable.
  EXPECT_EQ(stream->capture([] { return badInput("no"); }).status().text(), "no");
  expectOk(saxpy(x, y, 1.0f, n));
  expectOk(stream->synchronise());
}

TEST_F(Cuda, ClustersAndDependentLaunch) {
  if (gpu->architecture() < 90)
    GTEST_SKIP() << "clusters need compute capability 9.0";
  Expected<std::unique_ptr<Module>> clusters = Module::load(gpu, clusterPtx, "cluster.ptx");
  ASSERT_TRUE(clusters.ok()) << clusters.status().text();
  std::vector<unsigned> out(16);
  Memory y = memory(64);
  DevicePointer address = y.address();
  void *arguments[] = {&address};
  Launch launch;
  launch.kernel = *(*clusters)->kernel("rank");
  launch.grid[0] = 16;
  launch.cluster[0] = 4;
  launch.dependent = true;
  expectOk(stream->launch(launch, arguments));
  expectOk(stream->launch(launch, arguments));
  expectOk(stream->copyOut(out.data(), y.address(), 64));
  expectOk(stream->synchronise());
  for (unsigned i = 0; i < 16; ++i)
    EXPECT_EQ(out[i], i % 4) << i;
}

TEST_F(Cuda, RefusalsInOneLine) {
  EXPECT_NE(Module::load(gpu, "this is no PTX", "bad.ptx").status().text().find("loading bad.ptx on "), std::string::npos);
  EXPECT_NE(module->kernel("nothing").status().text().find("finding kernel 'nothing' of test.ptx: CUDA_ERROR_NOT_FOUND"),
            std::string::npos);
  EXPECT_NE(module->kernel("empty", 1 << 20).status().text().find("needs 1048576 bytes of shared memory, a block of "),
            std::string::npos);
  EXPECT_EQ(Memory::allocate(gpu, size_t(1) << 50).status().code(), Code::NoMemory);
  Launch launch;
  launch.kernel = kernel("empty");
  launch.resident = 1u << 30;
  EXPECT_NE(stream->launch(launch, {}).text().find("resident blocks that wait for each other"), std::string::npos);
  expectOk(stream->synchronise());
}

TEST_F(Cuda, FigureOfAnEmptyNode) {
  constexpr int nodes = 20, launches = 200;
  Launch launch;
  launch.kernel = kernel("empty");
  for (bool dependent : {false, true}) {
    launch.dependent = dependent;
    Expected<std::unique_ptr<Graph>> graph = stream->capture([&] {
      for (int i = 0; i < nodes; ++i)
        K3_TRY(stream->launch(launch, {}));
      return Status::success();
    });
    ASSERT_TRUE(graph.ok()) << graph.status().text();
    std::vector<double> times;
    for (int i = 0; i < launches; ++i) {
      Expected<double> seconds = stream->time([&] { return stream->launch(**graph); });
      ASSERT_TRUE(seconds.ok()) << seconds.status().text();
      times.push_back(*seconds / nodes);
    }
    std::nth_element(times.begin(), times.begin() + launches / 2, times.end());
    std::printf("figure: empty node of a %d-node graph on %s, %s: %.2f us\n", nodes, gpu->name().c_str(),
                dependent ? "dependent launch" : "ordinary launch", times[launches / 2] * 1e6);
  }
}

TEST_F(Cuda, FigureOfCopyBandwidth) {
  constexpr size_t bytes = size_t(2) << 30;
  Memory from = memory(bytes), to = memory(bytes);
  expectOk(stream->fill(from.address(), 1, bytes));
  std::vector<double> times;
  for (int i = 0; i < 12; ++i) {
    Expected<double> seconds = stream->time([&] { return stream->copy(to.address(), from.address(), bytes); });
    ASSERT_TRUE(seconds.ok()) << seconds.status().text();
    times.push_back(*seconds);
  }
  std::nth_element(times.begin() + 2, times.begin() + 7, times.end());
  std::printf("figure: copy of 2 GiB on %s: %.0f GB/s read and written\n", gpu->name().c_str(), 2e-9 * bytes / times[7]);
}

// Last: a fault leaves the context unusable for the rest of the process.
TEST_F(Cuda, ZFaultIsReportedAtTheNextWait) {
  Launch launch;
  launch.kernel = kernel("fault");
  expectOk(stream->launch(launch, {}));
  EXPECT_NE(stream->synchronise().text().find("waiting for the device: CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos);
}
