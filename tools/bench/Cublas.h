//===- Cublas.h - cuBLAS and cuBLASLt, to be compared with ------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opened at run time; types and numbers are those of the cuBLAS reference. Products are y[t, n] = x[t, k] w[n, k]^T, bf16 with
// f32 sums, and go onto the stream that the library was opened for.
//
//===----------------------------------------------------------------------===//

#ifndef K3_TOOLS_BENCH_CUBLAS_H
#define K3_TOOLS_BENCH_CUBLAS_H

#include "runtime/Cuda/Cuda.h"

#include <array>

namespace k3::bench {

struct Product {
  const void *x = nullptr, *w = nullptr;
  void *y = nullptr;
  int64_t t = 0, n = 0, k = 0;
};

class Cublas {
public:
  /// `folder`: where the libraries are; empty: where the system looks. Fails (Unsupported) where there are none.
  static Expected<std::unique_ptr<Cublas>> open(const std::string &folder, cuda::Stream &stream, void *workspace,
                                                size_t workspaceBytes);
  ~Cublas();

  Status run(const Product &product);

  /// cuBLASLt's proposals for products of one size, best first by its own estimate; opaque.
  struct Algorithm {
    std::array<uint64_t, 8> data{};
  };
  struct Plan;
  Expected<std::shared_ptr<Plan>> plan(int64_t t, int64_t n, int64_t k, unsigned wanted);
  static const std::vector<Algorithm> &algorithms(const Plan &plan);
  Status run(const Plan &plan, const Algorithm &algorithm, const Product &product);

private:
  struct Library;
  explicit Cublas(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library;
};

} // namespace k3::bench

#endif // K3_TOOLS_BENCH_CUBLAS_H
