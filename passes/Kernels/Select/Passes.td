//===- Passes.td - Lowering to a GPU target -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_KERNELS_SELECT
#define K3_PASSES_KERNELS_SELECT

include "mlir/Pass/PassBase.td"

def GpuLowerToExecPass : Pass<"k3-kernels-lower-to-exec", "::mlir::ModuleOp"> {
  let summary = "Functions of core ops become programs of GPU launches, their kernels a module of tile kernels";
  let description = [{
    Input: functions whose bodies are core k3 ops and `arith.addf`, in bf16, over packed weights; @pack as
    `k3-graph-build-pack` leaves it.
    Output: `exec.program`s on the target, `exec.kernel` declarations with GPU code, and a nested module @gpu_kernels with one
    `tile.kernel` per distinct problem and range of rows. A function whose kernels differ between ranges of T becomes one program per
    range, named f.b0, f.b1, ... with disjoint buckets. A product whose only reader is an add, a SiTU-GLU or a sigmoid gate takes it as
    its epilogue.

    The launches have no shared memory and a block of the roles' warps yet: `k3-kernels-size-launches` sets both once passes/Tile has
    decided them.

    Failures, each naming the op: an op without a GPU kernel, an element type other than bf16, a packing that is not a plain copy.
  }];
  let options = [Option<"target", "target", "std::string", "\"h200\"", "a GPU of lib/Arch">];
  let dependentDialects = ["::k3::K3Dialect", "::k3::exec::ExecDialect", "::k3::tile::TileDialect", "::mlir::func::FuncDialect"];
}

def SizeLaunchesPass : Pass<"k3-kernels-size-launches", "::mlir::ModuleOp"> {
  let summary = "Every GPU launch has the threads and shared memory of its kernel";
  let description = [{
    Input: a module after `k3-kernels-lower-to-exec` whose tile kernels went through passes/Tile: they have `threads` and `shared_bytes`.
    Output: the same, with `block` and `smem` of every `exec.gpu_launch` set to them.
    Failures: a kernel without them.
  }];
}

#endif // K3_PASSES_KERNELS_SELECT
