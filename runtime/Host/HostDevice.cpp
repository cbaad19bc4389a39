//===- HostDevice.cpp - The CPU of this process ---------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Host/HostDevice.h"

#include <algorithm>
#include <cblas.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sched.h>
#include <sys/mman.h>

using namespace k3;

/// Columns of one BLAS call. Fixed: the bits of a product must not depend on the number of threads.
static constexpr int64_t gemmPanel = 256;

unsigned k3::usableCpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return std::max(1u, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

HostDevice::HostDevice(unsigned threads) : pool(threads ? threads : usableCpus()), scratch(pool.size()) {
  openblas_set_num_threads(1);
}

HostDevice::~HostDevice() {
  for (Scratch &area : scratch)
    std::free(area.data);
}

Expected<DeviceMemory> HostDevice::allocate(uint64_t bytes) {
  // Anonymous pages are zero and take memory when they are first touched, so a large cache costs what is
  // used.
  void *data = mmap(nullptr, std::max<uint64_t>(bytes, 1), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED)
    return Status(Code::NoMemory,
                  "host: cannot map " + std::to_string(bytes) + " bytes: " + std::strerror(errno));
  return DeviceMemory{static_cast<std::byte *>(data), bytes};
}

void HostDevice::release(DeviceMemory memory) {
  if (memory.data)
    munmap(memory.data, std::max<uint64_t>(memory.bytes, 1));
}

Status HostDevice::loadKernels(const fb::PackageT &package, uint32_t target) {
  functions.assign(package.kernels.size(), nullptr);
  for (uint32_t index : package.targets[target]->images) {
    const fb::ImageT &source = *package.images[index];
    const fb::HostObjectT *object = source.code.AsHostObject();
    std::string where = "image " + std::to_string(index);
    if (!object)
      return unsupported(where + " of target '" + package.targets[target]->name +
                         "' is no host object, which is all that the host runs; use --device=cuda");
    K3_ASSIGN(HostImage image, HostImage::load(*object, where));
    for (size_t k = 0; k < package.kernels.size(); ++k) {
      if (package.kernels[k]->image != index)
        continue;
      functions[k] = image.find(package.kernels[k]->symbol);
      if (!functions[k])
        return badInput(where + ": the host object has no function '" + package.kernels[k]->symbol +
                        "', which kernel " + std::to_string(k) + " names");
    }
    images.push_back(std::move(image));
  }
  return Status::success();
}

Status HostDevice::copyIn(std::byte *destination, const void *source, uint64_t bytes) {
  if (bytes)
    std::memcpy(destination, source, bytes);
  return Status::success();
}

Status HostDevice::copyOut(void *destination, const std::byte *source, uint64_t bytes) {
  if (bytes)
    std::memcpy(destination, source, bytes);
  return Status::success();
}

Status HostDevice::copy(std::byte *destination, const std::byte *source, uint64_t bytes) {
  if (bytes)
    std::memmove(destination, source, bytes);
  return Status::success();
}

Status HostDevice::fill(std::byte *destination, uint8_t value, uint64_t bytes) {
  if (bytes)
    std::memset(destination, value, bytes);
  return Status::success();
}

Status HostDevice::reserveScratch(uint64_t bytes) {
  if (scratch[0].bytes >= bytes)
    return Status::success();
  uint64_t rounded = (bytes + 63) / 64 * 64;
  for (Scratch &area : scratch) {
    std::free(area.data);
    area.data = static_cast<std::byte *>(std::aligned_alloc(64, rounded));
    area.bytes = area.data ? rounded : 0;
    if (!area.data)
      return {Code::NoMemory, "host: no memory for " + std::to_string(bytes) + " bytes of kernel scratch"};
  }
  return Status::success();
}

Status HostDevice::launch(const LaunchRecord &record) {
  k3_grid_function function = functions[record.kernel];
  if (!function)
    return internalError("kernel " + std::to_string(record.kernel) + " is not of the loaded target");
  K3_TRY(reserveScratch(record.scratchBytes));
  static_assert(sizeof(DeviceArray) == sizeof(k3_grid_buffer) &&
                offsetof(DeviceArray, rows) == offsetof(k3_grid_buffer, rows) &&
                offsetof(DeviceArray, rowStride) == offsetof(k3_grid_buffer, row_stride));
  const auto *buffers = reinterpret_cast<const k3_grid_buffer *>(record.arrays.data());
  int64_t items = (record.units + record.grain - 1) / record.grain;
  pool.forEach(items, [&](unsigned worker, int64_t item) {
    k3_grid_args args{buffers, scratch[worker].data};
    int64_t begin = item * record.grain;
    function(&args, begin, std::min(begin + record.grain, record.units));
  });
  return Status::success();
}

Status HostDevice::gemm(const GemmRecord &record) {
  constexpr int64_t limit = std::numeric_limits<int>::max();
  if (record.m > limit || record.n > limit || record.k > limit || record.a.rowStride > limit ||
      record.b.rowStride > limit || record.c.rowStride > limit)
    return unsupported("host: matrix product with an extent or stride beyond 2^31");
  const auto *a = reinterpret_cast<const float *>(record.a.data);
  const auto *b = reinterpret_cast<const float *>(record.b.data);
  auto *c = reinterpret_cast<float *>(record.c.data);
  pool.forEach((record.n + gemmPanel - 1) / gemmPanel, [&](unsigned, int64_t panel) {
    int64_t column = panel * gemmPanel;
    int64_t width = std::min(gemmPanel, record.n - column);
    const float *bPanel = b + (record.transB ? column * record.b.rowStride : column);
    if (record.m == 1 && record.transB) { // a matrix-vector product reads b once, without repacking it
      cblas_sgemv(CblasRowMajor, CblasNoTrans, static_cast<int>(width), static_cast<int>(record.k),
                  record.alpha, bPanel, static_cast<int>(record.b.rowStride), a, 1, record.beta, c + column,
                  1);
      return;
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, record.transB ? CblasTrans : CblasNoTrans,
                static_cast<int>(record.m), static_cast<int>(width), static_cast<int>(record.k), record.alpha,
                a, static_cast<int>(record.a.rowStride), bPanel, static_cast<int>(record.b.rowStride),
                record.beta, c + column, static_cast<int>(record.c.rowStride));
  });
  return Status::success();
}
