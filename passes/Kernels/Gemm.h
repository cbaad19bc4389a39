//===- Gemm.h - What the forms of the matrix product share ------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_KERNELS_GEMM_H
#define K3_PASSES_KERNELS_GEMM_H

#include "passes/Kernels/Builder.h"
#include "passes/Kernels/Schedules.h"

namespace k3::kernels {

/// The arguments of every form, and the arithmetic behind the product.
struct GemmBase {
  GemmBase(mlir::ModuleOp module, llvm::StringRef name, const GemmProblem &problem, const GemmSchedule &s, RowRange range,
           const arch::GpuTarget &target);

  bool glu() const { return problem.epilogue == GemmEpilogue::SituGlu; }
  bool hasExtra() const {
    return problem.epilogue == GemmEpilogue::ResidualAdd || problem.epilogue == GemmEpilogue::SigmoidGate;
  }
  /// f32 of y. \param product x w^T, for SituGlu of the gate. \param other bf16 of operand 3, or f32 of up.
  Tile finish(Tile product, std::optional<Tile> other);

  KernelBuilder k;
  const GemmProblem &problem;
  GemmSchedule s;
  RowRange range;
  View x, w, y, extra;
  Scalar rows;
};

/// What the producer of a ring does for one tile of y and one k-step.
struct Feed {
  llvm::function_ref<std::pair<Scalar, Scalar>(Scalar)> place; ///< First row and column of a tile.
  llvm::function_ref<void(Scalar, Scalar, Cursor)> copyW;       ///< From column n and k-step, into a slot.
  llvm::function_ref<void(Scalar, Scalar, Cursor)> copyX;       ///< From row m and k-step.
};

/// Tiles `first`, `first + step`, .. below `count` (none: `first` only), k-steps [from, to) of each, `slotBytes` a step. With `early` the weights of
/// the first slots are on their way before the kernels ahead have ended; every tile then has at least `ring.stages` steps and
/// `first` is below `count`.
void produce(KernelBuilder &k, const Ring &ring, int64_t slotBytes, bool early, Scalar first, std::optional<Scalar> count,
             Scalar step, Scalar from, Scalar to, const Feed &feed);

mlir::FailureOr<BuiltKernel> buildGemmWgmma(GemmBase &base);
mlir::FailureOr<BuiltKernel> buildGemmSplit(GemmBase &base);
mlir::FailureOr<BuiltKernel> buildGemmSkinny(GemmBase &base);
mlir::FailureOr<BuiltKernel> buildGemmSkinnyMma(GemmBase &base);
mlir::FailureOr<BuiltKernel> buildGemmMma(GemmBase &base);

} // namespace k3::kernels

#endif // K3_PASSES_KERNELS_GEMM_H
