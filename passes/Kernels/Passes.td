//===- Passes.td - Kernels by hand, for tests -*- tablegen -*--------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_KERNELS
#define K3_PASSES_KERNELS

include "mlir/Pass/PassBase.td"

def BuildKernelPass : Pass<"k3-build-kernel", "::mlir::ModuleOp"> {
  let summary = "Appends one kernel of a family to the module";
  let description = [{
    For tests, the Emulator and a look at a kernel: builds the variant that serves `rows` on `target`, exactly as the lowering of
    a model would. The kernel's attribute `k3.launch` holds the plan: the arguments as (kind, operand) and the numbers of
    LaunchPlan.

    ```
    echo 'module {}' | k3-opt --k3-build-kernel="family=rms_norm d=7168 rows=129:8192 target=h200"
    ```

    Failures: those of the family, a family or an option that does not exist.
  }];
  let options = [
    Option<"family", "family", "std::string", /*default=*/"", "gemm, rms_norm or attn_res">,
    Option<"name", "name", "std::string", /*default=*/"", "the kernel's symbol; empty: the family">,
    Option<"target", "target", "std::string", /*default=*/"\"h200\"", "architecture or product">,
    Option<"rows", "rows", "std::string", /*default=*/"\"1:8192\"", "first:last rows that the variant serves">,
    Option<"n", "n", "int64_t", /*default=*/"0", "gemm: columns of y">,
    Option<"k", "k", "int64_t", /*default=*/"0", "gemm: columns of x">,
    Option<"epilogue", "epilogue", "std::string", /*default=*/"\"none\"", "gemm: none, residual, situ or gate">,
    Option<"d", "d", "int64_t", /*default=*/"0", "rms_norm, attn_res: elements of a row">,
    Option<"eps", "eps", "double", /*default=*/"1e-5", "rms_norm, attn_res: inside the root">,
    Option<"sources", "sources", "int64_t", /*default=*/"0", "attn_res: the banks and the prefix">,
    Option<"addsDelta", "adds-delta", "bool", /*default=*/"true", "attn_res: p = prefix + delta">,
    Option<"writesBank", "writes-bank", "bool", /*default=*/"false", "attn_res: p goes to a bank too">,
    Option<"norm", "norm", "bool", /*default=*/"true", "attn_res: y is normalised">,
  ];
  let dependentDialects = ["::k3::tile::TileDialect"];
}

#endif // K3_PASSES_KERNELS
