//===- GridAbi.h - How the runtime calls a host grid function ---*- C -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host kernel is a grid function `k(args, begin, end)` over a linear range of work units. Any partition of
// [0, units) into ranges, on any threads, gives the same bits: units never share an output element.
// The compiler emits calls of exactly this shape (passes/Host), the runtime makes them (runtime/Host).
//
//===----------------------------------------------------------------------===//

#ifndef K3_PACKAGE_GRIDABI_H
#define K3_PACKAGE_GRIDABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Version of everything in this file; stored in the package as HostObject.grid_abi.
#define K3_GRID_ABI 1

/// One buffer argument: a row-major array whose dimension 0 may be dynamic and strided. The extents of the other
/// dimensions are part of the kernel; within a row elements are contiguous.
typedef struct {
  void *data;
  int64_t rows;       /* extent of dimension 0 */
  int64_t row_stride; /* elements from one row to the next */
} k3_grid_buffer;

typedef struct {
  const k3_grid_buffer *buffers; /* in the order of the kernel's parameters */
  void *scratch;                 /* Launch.dyn_smem bytes, 64-byte aligned, private to the calling thread */
} k3_grid_args;

typedef void (*k3_grid_function)(const k3_grid_args *args, int64_t begin, int64_t end);

#ifdef __cplusplus
}
#endif

#endif // K3_PACKAGE_GRIDABI_H
