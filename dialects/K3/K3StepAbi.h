//===- K3StepAbi.h - Names and extents of what programs are called with -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// @step and its variants, @copy_state and @sample have fixed arguments (K3Module.cpp verifies their types). Any other
// function is a graph of its own: its arguments are named by the argument attribute `k3.name`, and what counts its
// rows follows from the op that reads it.
//
//===----------------------------------------------------------------------===//

#ifndef K3_DIALECT_K3STEPABI_H
#define K3_DIALECT_K3STEPABI_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace k3 {

/// What dimension 0 of an argument counts.
enum class StepDim { Tokens, Sequences, SequencesPlusOne, LogitRows, Checkpoints, Slots, Pages };

/// "tokens", "cu_seqlens", ...; of a graph `k3.name` or "arg0", "arg1", ...
std::string argumentName(mlir::func::FuncOp function, unsigned index);

/// "logits" of a step, "ids" of @sample; of a graph the result attribute `k3.name` or "result0", ...
std::string resultName(mlir::func::FuncOp function, unsigned index);

/// Nothing where the argument's dimension 0 follows from no op and no ABI.
std::optional<StepDim> stepDimOf(mlir::func::FuncOp function, unsigned index);

/// True for @step, @step_decode and @step_ragged.
bool isStep(mlir::func::FuncOp function);

} // namespace k3

#endif // K3_DIALECT_K3STEPABI_H
