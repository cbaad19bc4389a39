//===- Passes.td - Passes over host programs -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_EXEC
#define K3_PASSES_EXEC

include "mlir/Pass/PassBase.td"

def SchedulePass : Pass<"k3-exec-schedule", "::k3::exec::ProgramOp"> {
  let summary = "Every entry waits for the entries whose memory it needs, and for no more";
  let description = [{
    Input: a program whose entries stand in a correct sequential order, each on its stream. Waits that are there already
    are kept as requirements.
    Output: `after` lists such that any two entries that touch the same bytes, one of them writing, are ordered as they
    stand. What an entry's stream or another wait implies already is left out, so one stream has no waits at all.
    Bytes are compared as far as extents and offsets are known: columns of one matrix and members of one family are apart;
    what cannot be told apart is taken to be the same. The body of `exec.members` is scheduled for itself.

    ```mlir
    %0 = exec.launch @a(%x) "w" units [T] stream 0
    %1 = exec.launch @b(%x, %y) "rw" units [T] stream 1
    // becomes
    %1 = exec.launch @b(%x, %y) "rw" units [T] stream 1 after(%0)
    ```
    Failures: members in flight together that write the same bytes.
    Not done here: choosing streams, reordering.
  }];
}

def AssignArenaPass : Pass<"k3-exec-assign-arena", "::k3::exec::ProgramOp"> {
  let summary = "Intermediate values share one arena";
  let description = [{
    Input: a scheduled program with `exec.tensor`s; its bucket bounds every symbol of their extents.
    Output: one `exec.buffer arena "arena"`, each tensor an `exec.view` of it at a constant offset, 64-byte aligned and laid
    out for the bucket's upper end. Two tensors share bytes only if every access to one happens before every access to
    the other in the DAG, and no tap reads the first one later. Largest first, each at the lowest offset that is free. A
    tensor inside `exec.members` has a copy for each slot.

    ```mlir
    %x = exec.tensor "x" dims [T, 16] : f32
    // becomes
    %arena = exec.buffer arena "arena" bytes [1024]
    %x = exec.view %arena at [0] dims [T, 16] : !exec.buffer -> f32
    ```
    Failures: an extent without a bound; a tensor that is read before anything writes it.
  }];
}

def VerifyArenaPass : Pass<"k3-exec-verify-arena", "::k3::exec::ProgramOp"> {
  let summary = "Proof that no two values in the arena meet";
  let description = [{
    Input: a program after `k3-exec-assign-arena`. Changes nothing.
    Fails where two views of the arena overlap although neither has seen its last access when the other has its first,
    where a tapped view is overwritten before its tap, where a view leaves the arena, and where two entries touch the same
    bytes of any buffer, one of them writing, without an order between them. It trusts neither the placement nor the waits.
  }];
}

#endif // K3_PASSES_EXEC
