//===- Passes.td - Lowering to the host target -*- tablegen -*- -----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_HOST
#define K3_PASSES_HOST

include "mlir/Pass/PassBase.td"

def LowerToExecPass : Pass<"k3-host-lower-to-exec", "::mlir::ModuleOp"> {
  let summary = "Functions of core ops become programs of launches, their kernels a module of grid functions";
  let description = [{
    Input: functions whose bodies are core k3 ops, `arith.addf` and `k3.tap`, in f32, over packed weights; @pack as
    `k3-graph-build-pack` leaves it. The module names its limits in `k3.limits`.
    Output: an `exec.program` for each function (step variants, @copy_state, @sample, @pack; any other function becomes an
    `aux` program whose arguments and results are its io), `exec.kernel` declarations, and a nested module @host_kernels
    with one grid function per distinct kernel, so that equal layers share code. The functions are erased; weights,
    packed weights and state stay.

    Every product is an `exec.gemm`; every other op one or more launches. Values lie in `exec.tensor`s, parts of
    a `k3.split` and results of `k3.reshape` are views; what a function returns is written in place.

    Failures, each naming the op: an op without a host lowering, bf16 activations, a mesh axis above 1.
  }];
  let dependentDialects = ["::k3::K3Dialect", "::k3::exec::ExecDialect", "::mlir::func::FuncDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect", "::mlir::math::MathDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif // K3_PASSES_HOST
