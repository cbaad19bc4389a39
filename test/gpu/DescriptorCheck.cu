//===- DescriptorCheck.cu - wgmma descriptors against the hardware --------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The unit tests prove that descriptors and layouts agree under the address formulas of
// lib/Layout/Descriptor.cpp; this asks a Hopper GPU whether the formulas are right. A tile is put into shared
// memory as its layout says, every element with its own number, and multiplied by an identity; the product
// must be the numbers.
//
//   nvcc -std=c++20 -O1 -gencode=arch=compute_90a,code=sm_90a -I. test/gpu/DescriptorCheck.cu
//   lib/Layout/*.cpp
//     lib/Support/Text.cpp -o descriptor-check && ./descriptor-check
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Descriptor.h"
#include "lib/Layout/Fragments.h"
#include "lib/Layout/Named.h"
#include "lib/Layout/Text.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <vector>

using namespace k3;
using namespace k3::layout;

constexpr int imageBytes = 64 * 1024, identityBytes = 64 * 128, accumulators = 8, threads = 128;

/// One m64n16k16 product of two descriptors that are relative to the start of shared memory.
template <int transA, int transB>
__global__ void product(const uint8_t *image, uint64_t a, uint64_t b, float *out) {
  extern __shared__ __align__(1024) uint8_t shared[];
  for (int i = threadIdx.x; i < imageBytes + identityBytes; i += threads)
    shared[i] = image[i];
  uint64_t start = static_cast<uint64_t>(__cvta_generic_to_shared(shared)) >> 4;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[accumulators] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, 0, 1;\n"
      "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1, "
      "%10, %11; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
      : "l"(a + start), "l"(b + start), "n"(transA), "n"(transB));
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < accumulators; ++i)
    out[threadIdx.x * accumulators + i] = d[i];
}

static void put(std::vector<uint8_t> &image, int64_t offset, float value) {
  __half half = __float2half(value); // exact below 2048
  memcpy(&image[static_cast<size_t>(offset)], &half, 2);
}

static std::vector<float> run(const std::vector<uint8_t> &image, Major major, bool testA, uint64_t tile,
                              uint64_t identity) {
  uint8_t *deviceImage;
  float *deviceOut;
  std::vector<float> out(threads * accumulators);
  cudaMalloc(&deviceImage, image.size());
  cudaMalloc(&deviceOut, out.size() * sizeof(float));
  cudaMemcpy(deviceImage, image.data(), image.size(), cudaMemcpyHostToDevice);
  bool trans = major == Major::MN;
  auto kernel = !trans ? product<0, 0> : testA ? product<1, 0> : product<0, 1>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, imageBytes + identityBytes);
  kernel<<<1, threads, imageBytes + identityBytes>>>(deviceImage, testA ? tile : identity,
                                                     testA ? identity : tile, deviceOut);
  cudaMemcpy(out.data(), deviceOut, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(deviceImage);
  cudaFree(deviceOut);
  if (cudaError_t error = cudaGetLastError()) {
    printf("%s\n", cudaGetErrorString(error));
    exit(1);
  }
  return out;
}

/// Elements that came out wrong, over all blocks and k steps.
static int check(const SharedLayout &layout, int kDim, bool testA) {
  int rows = testA ? 64 : 16;
  auto encoding = encodeOperand(layout, kDim, rows);
  if (!encoding.ok()) {
    printf("FAIL %s: %s\n", print(layout).c_str(), encoding.status().text().c_str());
    return 1;
  }
  int wrong = 0;
  for (size_t j = 0; j < encoding->blocks.size(); ++j)
    for (size_t i = 0; i < encoding->steps.size(); ++i) {
      std::vector<uint8_t> image(imageBytes + identityBytes);
      for (int32_t at = 0; at < imageBytes; at += 2)
        put(image, at, 2047); // what is not part of the tile
      for (int32_t mn = 0; mn < rows; ++mn)
        for (int32_t k = 0; k < 16; ++k) {
          int32_t row = static_cast<int32_t>(j) * rows + mn, col = static_cast<int32_t>(i) * 16 + k;
          put(image, layout.offset(kDim == 1 ? Coord{row, col} : Coord{col, row}),
              static_cast<float>(mn * 16 + k));
        }
      // The identity in the form of the GEMM's operands, which is known to be right.
      auto identity = swizzled(128, 64, 64);
      for (int32_t n = 0; n < 16; ++n)
        put(image, imageBytes + identity->offset({n, n}), 1);
      auto plain = encodeOperand(*identity, 1, 64);
      uint64_t tile =
          encoding->constant + (static_cast<uint64_t>(encoding->blocks[j] + encoding->steps[i]) >> 4);
      std::vector<float> out = run(image, encoding->major, testA, tile, plain->constant + (imageBytes >> 4));
      for (int32_t thread = 0; thread < threads; ++thread)
        for (int32_t e = 0; e < accumulators; ++e) {
          fragment::RowCol at = fragment::wgmmaD(thread, e);
          // A times identity is A [m, k = n]; identity times B is B [k = m, n].
          float want = testA         ? static_cast<float>(at.row * 16 + at.col)
                       : at.row < 16 ? static_cast<float>(at.col * 16 + at.row)
                                     : 0;
          wrong += out[static_cast<size_t>(thread * accumulators + e)] != want;
        }
    }
  WgmmaDescriptor d = decode(encoding->constant);
  printf("%s %s as %s, %s-major: constant %016llx, LBO %u, SBO %u, %zu blocks x %zu steps, %d wrong\n",
         wrong ? "FAIL" : "ok  ", print(layout).c_str(), testA ? "A" : "B",
         encoding->major == Major::K ? "K" : "MN", static_cast<unsigned long long>(encoding->constant),
         d.leading, d.stride, encoding->blocks.size(), encoding->steps.size(), wrong);
  return wrong != 0;
}

int main() {
  int failed = 0;
  for (bool testA : {true, false}) {
    for (int32_t span : {128, 64, 32})
      for (int32_t panels : {1, 2}) {
        failed += check(*swizzled(span, 128, panels * span / 2), 1, testA); // K-major
        // MN-major: [k, mn]; A needs 64 rows.
        int32_t mn = testA ? 128 : panels * span / 2;
        failed += check(*swizzled(span, 32, mn), 0, testA);
      }
    failed += check(*core8x8(64, 32), 1, testA);
    // Unswizzled MN-major: cores of eight k rows of eight mn, two orders of the cores.
    failed += check(*SharedLayout::make(2, {{16, 32, 64}, {2, 4, 8}}, {{0, 4, 128}, {1, 8, 512}}), 0, testA);
    failed += check(*SharedLayout::make(2, {{16, 32, 64}, {2, 4, 8}}, {{1, 8, 128}, {0, 4, 1024}}), 0, testA);
  }
  failed += check(*kdaKq(), 1, false) + check(*kdaZ(), 0, false) + check(*core8x8(16, 16), 1, false);
  // Rows that are no power of two, panels with a gap.
  failed += check(*swizzled(128, 192, 128), 1, true) + check(*swizzled(128, 64, 128, 2, 9216), 1, true);
  printf(failed ? "%d of the layouts are read wrongly\n" : "all layouts are read as described\n", failed);
  return failed != 0;
}
