//===- RuntimeDeviceTest.cpp - Thread pool, host device, views ------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Support/Random.h"
#include "runtime/Host/HostDevice.h"
#include "runtime/View.h"
#include "test/unit/RuntimeToy.h"

#include <gtest/gtest.h>

using namespace k3;

TEST(RuntimeThreadPool, EveryItemOnce) {
  ThreadPool pool(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> hits(37, 0);
    pool.forEach(37, [&](unsigned worker, int64_t item) {
      ASSERT_LT(worker, 4u);
      ++hits[static_cast<size_t>(item)];
    });
    EXPECT_EQ(hits, std::vector<int>(37, 1));
  }
}

TEST(RuntimeHostDevice, MemoryIsZeroAndAligned) {
  HostDevice device(1);
  DeviceMemory memory = *device.allocate(1000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data) % 64, 0u);
  for (uint64_t i = 0; i < memory.bytes; ++i)
    ASSERT_EQ(memory.data[i], std::byte{0});
  device.release(memory);
}

/// c = a b^T with strided rows, 600 columns (two panels and a rest).
TEST(RuntimeHostDevice, GemmPanels) {
  constexpr int64_t m = 5, n = 600, k = 33, strideA = 40, strideC = 610;
  RandomStream random(1, 2);
  std::vector<float> a(m * strideA), b(n * k), reference;
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = random.normal(i);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = random.normal(1000 + i);
  for (unsigned threads : {1u, 3u}) {
    HostDevice device(threads);
    std::vector<float> c(m * strideC, -1);
    auto array = [](auto &vector, int64_t rows, int64_t stride) {
      return DeviceArray{reinterpret_cast<std::byte *>(vector.data()), rows, stride};
    };
    GemmRecord record{array(a, m, strideA), array(b, n, k), array(c, m, strideC), m, n, k};
    ASSERT_TRUE(device.gemm(record).ok());
    if (reference.empty()) {
      reference = c;
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          double sum = 0;
          for (int64_t l = 0; l < k; ++l)
            sum += double(a[i * strideA + l]) * b[j * k + l];
          ASSERT_NEAR(c[i * strideC + j], sum, 1e-4);
        }
      EXPECT_EQ(c[n], -1); // beyond the row
    }
    EXPECT_EQ(c, reference) << threads << " threads";
  }
}

TEST(RuntimeHostDevice, RefusesWhatItCannotRun) {
  auto package = toy::package();
  fb::HostObjectT &object = *package->images[0]->code.AsHostObject();
  auto refused = [&](const char *text) {
    HostDevice device(1);
    Status status = device.loadKernels(*package, 0);
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.text().find(text), std::string::npos) << status.text();
  };
  EXPECT_TRUE(HostDevice(1).loadKernels(*package, 0).ok());
  object.grid_abi = 2;
  refused("image 0: host object has grid ABI 2, this runtime calls 1");
  object.grid_abi = 1;
  object.isa = fb::Isa::Sm90a;
  refused("host object for Sm90a, which is no CPU level");
  object.isa = fb::Isa::X86_64_v2;
  object.needs = {"libfoo.so.1"};
  refused("host object needs 'libfoo.so.1', expected only libc.so.6 and libm.so.6");
  object.needs.clear();
  package->kernels[0]->symbol = "absent";
  refused("the host object has no function 'absent', which kernel 0 names");
  object.elf.resize(100);
  refused("image 0: the host object cannot be loaded: ");
}

TEST(RuntimeView, StridedCopies) {
  HostDevice device(1);
  std::vector<DeviceMemory> buffers{*device.allocate(400)};
  fb::ViewT view;
  view.dtype = fb::DType::I32;
  for (int64_t extent : {3, 2, 4}) {
    view.dims.push_back(std::make_unique<fb::DimT>());
    view.dims.back()->size = constantExpr(extent);
  }
  for (int64_t stride : {20, 4, 1})
    view.strides.push_back(constantExpr(stride));
  ResolvedView resolved = *resolveView(view, {}, buffers);
  std::vector<int32_t> in(24), out(24);
  for (int i = 0; i < 24; ++i)
    in[i] = i + 1;
  ASSERT_TRUE(copyViewIn(device, resolved, in.data()).ok());
  const auto *memory = reinterpret_cast<const int32_t *>(buffers[0].data);
  EXPECT_EQ(memory[20], 9);
  EXPECT_EQ(memory[8], 0); // the gap
  ASSERT_TRUE(copyViewOut(device, resolved, out.data()).ok());
  EXPECT_EQ(in, out);
  view.dims[0]->size = constantExpr(6);
  EXPECT_FALSE(resolveView(view, {}, buffers).ok()); // 400 bytes hold 5 rows
  device.release(buffers[0]);
}
