//===- Kernels.h - The kernels that exist, and how each is launched --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family has one builder function per variant; a variant is picked by a row of the family's schedule table, keyed by shape
// class and architecture. What comes back is a `tile.kernel` in the caller's module and the plan of its launch, in terms that
// an exec program can write down: nothing here knows a concrete number of tokens.
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_KERNELS_KERNELS_H
#define K3_PASSES_KERNELS_KERNELS_H

#include "dialects/Tile/TileOps.h"
#include "lib/Arch/Gpu.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace k3::kernels {

/// One parameter of a kernel, in order. `operand` numbers the tensors of the family's operation (see the family).
struct KernelArg {
  enum Kind {
    View,   ///< The memory of an operand.
    Map,    ///< A tensor map of it, rows x columns; box and swizzle are those of the argument's type.
    Tokens, ///< i32: the number of rows of this launch.
  } kind;
  unsigned operand = 0;
};

/// grid.x = min(ceil(T / rowsPerUnit) x unitsPerRows, ctasPerSm x SM) rounded down to whole clusters; without `ctasPerSm`,
/// no bound.
struct LaunchPlan {
  int64_t rowsPerUnit = 1;
  int64_t unitsPerRows = 1;
  int64_t ctasPerSm = 0;
  bool dependent = true; ///< May start before the kernel ahead has ended (the kernel has a tile.pdl_wait).
};

struct BuiltKernel {
  tile::KernelOp kernel;
  std::vector<KernelArg> args;
  LaunchPlan plan;
};

/// A range of token counts that one variant serves; a family returns a partition of [1, max].
struct RowRange {
  int64_t first, last;
};

//===----------------------------------------------------------------------===//
// Families. Operands are row-major with `T` rows.
//===----------------------------------------------------------------------===//

enum class GemmEpilogue {
  None,        ///< y = x w^T
  ResidualAdd, ///< y = x w^T + r; operand 3 is r [T, N]
  SituGlu,     ///< w has 2 N rows: N of the gate, then N of up (two boxes of one slot); y = situ(gate) * up, NUMERICS.md "situ_glu"
  SigmoidGate, ///< y = o * sigmoid(x w^T); operand 3 is o [T, N]
};

/// y[T, N] = epilogue(x[T, K] w[N, K]^T), bf16 with f32 sums. Operands: 0 x, 1 w (constant), 2 y, 3 as the epilogue says.
struct GemmProblem {
  int64_t n, k;
  GemmEpilogue epilogue = GemmEpilogue::None;
  float situBeta = 4, situLinearBeta = 25; ///< SituGlu only; the names of k3.situ_glu.
};
std::vector<RowRange> gemmRanges(const GemmProblem &problem, int64_t maxRows, const arch::GpuTarget &target);
mlir::FailureOr<BuiltKernel> buildGemm(mlir::ModuleOp module, const std::string &name, const GemmProblem &problem, RowRange rows,
                                       const arch::GpuTarget &target);

/// y[T, D] = x rsqrt(mean x^2 + eps) w. Operands: 0 x, 1 w [D] (constant), 2 y.
struct RmsNormProblem {
  int64_t d;
  float eps;
};
std::vector<RowRange> rmsNormRanges(const RmsNormProblem &problem, int64_t maxRows, const arch::GpuTarget &target);
mlir::FailureOr<BuiltKernel> buildRmsNorm(mlir::ModuleOp module, const std::string &name, const RmsNormProblem &problem,
                                          RowRange rows, const arch::GpuTarget &target);

/// p = prefix + delta; logit_i = <v_i, c> rsqrt(mean v_i^2 + eps) over the sources v = banks.., p; x = sum softmax(logit)_i v_i;
/// y = x rsqrt(mean x^2 + eps) w. Operands: 0 prefix, 1 delta, 2 query c [D] (constant), 3 norm w [D] (constant), 4 p (out), 5 y (out),
/// 6 bank copy of p (out, with `writesBank`), then the banks, `sources` - 1 of them.
struct AttnResProblem {
  int64_t d, sources;
  float eps;
  bool addsDelta = true;   ///< Without it p is the prefix itself: operands 1 and 4 are not arguments.
  bool writesBank = false;
  bool norm = true;        ///< Without it y = x and operand 3 is not an argument.
};
std::vector<RowRange> attnResRanges(const AttnResProblem &problem, int64_t maxRows, const arch::GpuTarget &target);
mlir::FailureOr<BuiltKernel> buildAttnRes(mlir::ModuleOp module, const std::string &name, const AttnResProblem &problem,
                                          RowRange rows, const arch::GpuTarget &target);

} // namespace k3::kernels

#endif // K3_PASSES_KERNELS_KERNELS_H
