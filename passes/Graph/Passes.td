//===- Passes.td - Passes over the model graph ------------*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_GRAPH
#define K3_PASSES_GRAPH

include "mlir/Pass/PassBase.td"

def DecomposePass : Pass<"k3-graph-decompose", "::mlir::ModuleOp"> {
  let summary = "Layer ops become the ops they are made of, over packed weights";
  let description = [{
    Input: functions of layer-level and core k3 ops that name `k3.weight` or `k3.packed` symbols.
    Output: core ops only, every weight operand a `k3.packed`. Projections that read the same input are one product:
    q, k, v, g, f_a, b of KDA (rows padded to a multiple of 16), q_a and kv_a of MLA, gate and up of every GLU; w1 and w3
    of an expert family. Elements become the module's precision (MX stays MX); norm weights, convolutions, biases and
    decay parameters are f32 in every precision.
    The last op of a layer carries the layer op's location; expert ids and weights are named layer.{l}.expert_ids and
    .expert_weights, the normed head input final_hidden.

    ```mlir
    %z = k3.dense_ffn %x weights {gate = @g, up = @u, down = @d} betas 4.0, 25.0 : tensor<?x8xf32> -> tensor<?x8xf32>
    // becomes
    %a = k3.linear %x, @gate_up : tensor<?x8xf32> -> tensor<?x32xf32>
    %m = k3.situ_glu %a betas 4.0, 25.0 : tensor<?x32xf32> -> tensor<?x16xf32>
    %z = k3.linear %m, @d.packed : tensor<?x16xf32> -> tensor<?x8xf32>
    ```
    Not done here: fusion, sharding.
  }];
  let dependentDialects = ["::k3::K3Dialect", "::mlir::arith::ArithDialect"];
}

def InsertTapsPass : Pass<"k3-graph-insert-taps", "::mlir::ModuleOp"> {
  let summary = "Named points where a tensor can be read or replaced";
  let description = [{
    Puts a `k3.tap` behind every value of @step whose location name matches `regex` (whole name), and lists matching state
    taps in the function attribute `k3.state_taps`: layer.{l}.kda_state, layer.{l}.conv_state.{q,k,v}, layer.{l}.mla_latent.
    Runs before fusion, which stops at taps. A regex that matches nothing is an error that lists some names.
  }];
  let options = [Option<"regex", "regex", "std::string", "\"\"", "names to tap; empty: none">];
  let dependentDialects = ["::k3::K3Dialect"];
}

def FusePass : Pass<"k3-graph-fuse", "::mlir::func::FuncOp"> {
  let summary = "Residual adds and norms join the attention residual beside them";
  let description = [{
    `arith.addf` whose first reader is the partial sum of a `k3.attn_res` becomes its `plus`; a `k3.rms_norm` that is the only
    reader of the mix, with the same eps, becomes its `norm`. Both keep f32 bits: the sum is stored before it is mixed,
    the norm reads the f32 mix.

    ```mlir
    %p1 = arith.addf %p, %z : tensor<?x8xf32>
    %m = k3.attn_res [%b] %p1, @c eps 1.0e-5 : ...
    %x = k3.rms_norm %m, @w eps 1.0e-5 : ...
    // becomes
    %x, %p1 = k3.attn_res [%b] %p plus %z, @c norm @w eps 1.0e-5 : ...
    ```
  }];
  let dependentDialects = ["::k3::K3Dialect"];
}

def SpecialisePass : Pass<"k3-graph-specialise", "::mlir::ModuleOp"> {
  let summary = "Clones @step for decode and for ragged batches";
  let description = [{
    Output: @step_decode (attribute k3.variant = "decode": every sequence has exactly one new token, T = S) with the recurrent
    delta rule and absorbed MLA, and @step_ragged (k3.variant = "ragged"), which keeps everything. @step is erased.
  }];
  let dependentDialects = ["::k3::K3Dialect"];
}

def BuildPackPass : Pass<"k3-graph-build-pack", "::mlir::ModuleOp"> {
  let summary = "Outlines the regions of all packed weights into @pack";
  let description = [{
    Input: `k3.packed` with regions. Output: a function @pack that for each packed weight computes its value and hands it to
    `k3.store_packed`, one basic block, in symbol order; the regions stay as the definition of the type.
    Packed weights that no function names are erased first.
  }];
  let dependentDialects = ["::k3::K3Dialect", "::mlir::func::FuncDialect"];
}

#endif // K3_PASSES_GRAPH
