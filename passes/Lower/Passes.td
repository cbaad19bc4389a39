//===- Passes.td - From tile kernels to NVVM -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_LOWER
#define K3_PASSES_LOWER

include "mlir/Pass/PassBase.td"

def LowerTileToNvvmPass : Pass<"k3-lower-tile-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Every tile.kernel becomes an llvm.func of the LLVM, NVVM and arith dialects";
  let description = [{
    Input: kernels after passes/Tile: `threads` and `shared_bytes` of the kernel, `offset` of tile.alloc and
    tile.mbar_alloc, `at_warp` of every role, `id` of every sync that has one (instance i of a role uses barrier
    id + i), fences and `keep`. What is missing is an error that names it.

    Output: one `llvm.func` with `nvvm.kernel` per kernel, ready for lib/Codegen; ops of llvm, nvvm and arith only.

    | tile | becomes |
    |---|---|
    | a tile | its registers, an SSA value each; 8- and 16-bit elements packed in register order, i1 one by one |
    | `!tile.pending` | one struct of f32 registers, as wgmma takes and returns it |
    | `!tile.shared`, `!tile.mbar` | the byte address in shared memory, i32 |
    | `!tile.cursor` | slot and parity, i32 each |
    | `!tile.view`, `!tile.map` | a pointer to global memory; to the 128 bytes of a kernel parameter |

    All threads run the prologue: one initialises the mbarriers, then the CTA (the cluster, where there is one)
    synchronises. Roles are branches on the warp's number, which is read so that it is seen to be uniform. Shared
    memory is one external array, aligned to 1024 bytes; no static shared memory may exist beside it.

    Preconditions that are not checked here: places and strides that are known at run time only are multiples of
    the vectors that the layout of a load or store allows; barriers, fences and budgets are right (passes/Tile).

    Refused, by the name of the op: math functions that have no exact code without a library and do not say
    `fastmath<afn>`, index scalars, layouts whose addresses are not a thread's address plus constants.

    ```mlir
    %y = arith.truncf %x : tensor<64x16xf32, #acc16> to tensor<64x16xbf16, #acc16>
    // becomes, for every two registers
    %p = nvvm.convert.f32x2.to.bf16x2 %x1, %x0 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
    ```
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_90a\"", "as lib/Arch names it">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::arith::ArithDialect"];
}

#endif // K3_PASSES_LOWER
