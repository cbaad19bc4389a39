//===- HostKernelHarness.h - Compile, load and call one kernel --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every test builds kernels, compiles them to a shared object, loads it with dlopen and calls through the
// grid ABI.
//
//===----------------------------------------------------------------------===//

#ifndef K3_TEST_UNIT_HOSTKERNELHARNESS_H
#define K3_TEST_UNIT_HOSTKERNELHARNESS_H

#include "lib/Codegen/HostObject.h"
#include "lib/Package/GridAbi.h"
#include "lib/Reference/AttnRes.h"
#include "lib/Reference/Batch.h"
#include "lib/Reference/Kda.h"
#include "lib/Reference/Mla.h"
#include "lib/Reference/Moe.h"
#include "passes/Host/Kernels/KernelBuilder.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <limits>
#include <unistd.h>

namespace k3::test {

using namespace k3::host;

/// A small deterministic source of numbers in [-1, 1).
struct Random {
  uint64_t state = 88172645463325252ull;
  float next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return float(int64_t(state >> 24) & 0xFFFFFF) / 8388608.0f - 1.0f;
  }
  std::vector<float> vector(int64_t n, float scale = 1.0f) {
    std::vector<float> values(n);
    for (float &v : values)
      v = scale * next();
    return values;
  }
};

/// Rows of `width` elements, `stride` apart; what lies between holds NaN, so that a read of it shows.
template <typename T>
struct Rows {
  int64_t rows, width, stride;
  std::vector<T> data;
  Rows(int64_t rows, int64_t width, int64_t gap = 0)
      : rows(rows), width(width), stride(width + gap), data(rows * (width + gap), hole()) {}
  static T hole() { return T(std::is_floating_point_v<T> ? std::numeric_limits<T>::quiet_NaN() : T(-77)); }
  T &at(int64_t r, int64_t c) { return data[r * stride + c]; }
  const T &at(int64_t r, int64_t c) const { return data[r * stride + c]; }
  Rows &random(Random &random, float scale = 1.0f) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < width; ++c)
        at(r, c) = T(scale * random.next());
    return *this;
  }
  Rows &fill(T value) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < width; ++c)
        at(r, c) = value;
    return *this;
  }
  /// The values without the gaps, for lib/Reference.
  std::vector<double> doubles() const {
    std::vector<double> all;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < width; ++c)
        all.push_back(at(r, c));
    return all;
  }
  k3_grid_buffer table() { return {data.data(), rows, stride}; }
};
using Floats = Rows<float>;
inline k3_grid_buffer table(std::vector<float> &v) { return {v.data(), int64_t(v.size()), 1}; }
inline k3_grid_buffer table(std::vector<int32_t> &v) { return {v.data(), int64_t(v.size()), 1}; }
inline k3_grid_buffer table(Floats &v) { return v.table(); }
inline k3_grid_buffer table(Rows<int32_t> &v) { return v.table(); }
inline k3_grid_buffer table(Rows<int8_t> &v) { return v.table(); }

/// A loaded shared object.
class Loaded {
public:
  explicit Loaded(const std::function<void(KernelModule &)> &build) {
    mlir::MLIRContext context;
    KernelModule module(&context);
    build(module);
    auto image = k3::codegen::compileHostObject(module.module());
    if (failed(image)) {
      ADD_FAILURE() << "the kernels do not compile";
      return;
    }
    load(*image);
  }
  explicit Loaded(const std::vector<char> &image) { load(image); }
  Loaded(const Loaded &) = delete;
  void load(const std::vector<char> &image) {
    char path[] = "/tmp/k3-host-test-XXXXXX";
    int fd = mkstemp(path);
    EXPECT_EQ(write(fd, image.data(), image.size()), ssize_t(image.size()));
    close(fd);
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(handle, nullptr) << dlerror();
    unlink(path);
  }
  ~Loaded() {
    if (handle)
      dlclose(handle);
  }

  /// Runs units [0, units) in pieces of `piece` (0: in one), the pieces last to first.
  template <typename... Buffers>
  void run(const HostKernel &kernel, int64_t units, int64_t piece, Buffers &...buffers) {
    auto function = reinterpret_cast<k3_grid_function>(dlsym(handle, kernel.symbol.c_str()));
    ASSERT_NE(function, nullptr) << kernel.symbol;
    k3_grid_buffer all[] = {table(buffers)...};
    ASSERT_EQ(kernel.access.size(), sizeof...(buffers));
    // Scratch is not initialised: garbage must not matter.
    void *scratch = aligned_alloc(64, kernel.scratchBytes + 64);
    memset(scratch, 0xFF, kernel.scratchBytes + 64);
    k3_grid_args args{all, scratch};
    if (piece == 0)
      function(&args, 0, units);
    else
      for (int64_t begin = (units - 1) / piece * piece; units && begin >= 0; begin -= piece)
        function(&args, begin, std::min(units, begin + piece));
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ(static_cast<unsigned char *>(scratch)[kernel.scratchBytes + i], 0xFF) << "scratch overrun";
    free(scratch);
  }

  void *handle = nullptr;
};

/// |a - b| / |b| in the 2-norm.
inline double relative(const Floats &got, const std::vector<double> &expected) {
  double difference = 0, norm = 0;
  for (int64_t r = 0; r < got.rows; ++r)
    for (int64_t c = 0; c < got.width; ++c) {
      double e = expected[r * got.width + c], d = got.at(r, c) - e;
      difference += d * d;
      norm += e * e;
    }
  return norm == 0 ? std::sqrt(difference) : std::sqrt(difference / norm);
}

inline bool sameBits(const Floats &a, const Floats &b) {
  for (int64_t r = 0; r < a.rows; ++r)
    if (memcmp(&a.at(r, 0), &b.at(r, 0), a.width * sizeof(float)))
      return false;
  return true;
}

inline std::vector<double> doubles(const std::vector<float> &v) { return {v.begin(), v.end()}; }

/// The batch arrays of a step, ready to pass.
struct StepArrays {
  std::vector<int32_t> cu, context, readSlots, writeSlots, ckptSlots, ckptRows;
  Rows<int32_t> blockTable{0, 1};
  StepArrays(const k3::reference::Batch &b)
      : cu(b.cuSeqlens), context(b.contextLens), readSlots(b.readSlots), writeSlots(b.writeSlots),
        ckptSlots(b.ckptSlots), ckptRows(b.ckptRows) {
    if (b.blockTable.empty())
      return;
    int64_t pages = b.blockTable.size() / b.sequences();
    blockTable = Rows<int32_t>(b.sequences(), pages, 3);
    for (int64_t i = 0; i < int64_t(b.blockTable.size()); ++i)
      blockTable.at(i / pages, i % pages) = b.blockTable[i];
  }
};

} // namespace k3::test

#endif // K3_TEST_UNIT_HOSTKERNELHARNESS_H
