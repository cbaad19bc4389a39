//===- Passes.td - Passes over tile kernels -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_TILE
#define K3_PASSES_TILE

include "mlir/Pass/PassBase.td"

class Tile_Pass<string name> : Pass<name, "::k3::tile::KernelOp">;

def CheckArchPass : Tile_Pass<"k3-tile-check-arch"> {
  let summary = "Every op exists on the target, the cluster fits it";
  let description = [{
    Input: a kernel as built. Changes nothing. Every op's instruction families (`getRequiredFeatures`) are
    looked up in lib/Arch; a kind of op that the target lacks is reported once. The cluster fits the target (a
    remark where only some products launch it).

    Failures:
    `kernel 'gemm': tile.wgmma needs sm_90a, the target is sm_120a`
    `kernel 'gemm': clusters need sm_90a, ..., the target is sm_89`
    `kernel 'gemm': a cluster of 16 CTAs, sm_120a allows 8`
    Shared memory and registers: k3-tile-assign-shared, k3-tile-assign-warps.
  }];
  let options = [Option<"arch", "arch", "std::string", "\"\"", "architecture or product, as sm_90a or h200">];
}

def AssignWarpsPass : Tile_Pass<"k3-tile-assign-warps"> {
  let summary = "Every role has its warps";
  let description = [{
    Input: a kernel with roles. Roles that have an `at_warp` keep it. Output: `at_warp` of every role, in the
    order of the roles, and `threads` of the kernel. A role with `regs` starts at a warpgroup and is padded to
    whole ones, as all warps of one set the same budget; a role with wgmma starts at a warpgroup. Instance i
    of a role has the warps from at_warp + i x warps on.

    The budgets fit what the CTA is launched with: setmaxnreg moves registers between warpgroups, it makes
    none. At entry a thread has 65,536 / threads registers, rounded down to 8 and at most 256; warps without a
    budget keep them.

    ```mlir
    tile.role "load" warps 1 regs 24 (%i) { ... }
    tile.role "math" instances 2 warps 4 regs 240 (%i) { ... }
    // becomes, with threads = 384
    tile.role "load" warps 1 regs 24 at_warp 0 (%i) { ... }
    tile.role "math" instances 2 warps 4 regs 240 at_warp 4 (%i) { ... }
    ```
    Failures:
    `kernel 'kda_fwd': roles need 2 x 128 x 160 + 2 x 128 x 104 = 67584 registers, the pool is 512 x 128 = 65536; lower regs of 'build' to 96`
    `kernel 'gemm': role 'load' and role 'math' share a warpgroup but have different register budgets`
    `kernel 'gemm': roles need 36 warps (those with regs are padded to warpgroups), a CTA has at most 32`
    and first warps that overlap or begin inside a warpgroup.
  }];
}

def InsertFencesPass : Tile_Pass<"k3-tile-insert-fences"> {
  let summary = "What lanes wrote is fenced before copies and wgmma touch it";
  let description = [{
    Input: a kernel whose syncs, barriers and waits are all there. Fences that it has are taken into account.
    Output:
    - `tile.fence_proxy<shared>` between every generic write of shared memory and the sync or arrival by which
      it reaches an async access of those bytes: in the writing team, where all lanes pass. A team that fences
      for itself between its acquire and its access needs none from the writers. `tile.fence_proxy<global>`
      behind a `tile.await` or `tile.atomic_add` that lets a copy read what tile.store wrote in this kernel.
    - `tile.wgmma_fence` before every batch of wgmma (from a commit to the next) and before one that takes a
      register tile made since the last fence.
    - `keep` of the wait that retires a wgmma lists its operand A, if that is in registers and the wait stands
      in the same block.

    With `verify-only` nothing changes and every proxy fence, register fence (of an operand that was written)
    and `keep` that is missing is an error. Else inserted proxy fences are remarks, as is an operand A that is
    still in flight where its block ends.

    ```mlir
    tile.stmatrix %t -> %stage
    tile.team_sync
    tile.elect { tile.map_store %stage -> %td[%m, %n] }
    // becomes
    tile.stmatrix %t -> %stage
    tile.fence_proxy<shared>
    tile.team_sync
    tile.elect { tile.map_store %stage -> %td[%m, %n] }
    ```
    Failures, with verify-only:
    `kernel 'gemm': tile.fence_proxy<shared> missing between tile.stmatrix at gemm.mlir:40:5 and tile.map_store at gemm.mlir:43:7`
    `kernel 'gemm': tile.wgmma_fence missing between arith.truncf at L1 and tile.wgmma at L2, which takes it as operand A`
    `kernel 'gemm': keep missing: tile.wgmma at L1 reads its operand A until tile.wgmma_wait at L2`
    Not done: writes of one iteration that only another team's next iteration reads by a path without a sync;
    the Emulator sees those.
  }];
  let options = [Option<"verifyOnly", "verify-only", "bool", "false", "report what is missing, insert nothing">];
}

def AssignSharedPass : Tile_Pass<"k3-tile-assign-shared"> {
  let summary = "Every buffer, mbarrier and hardware barrier has its place";
  let description = [{
    Input: a kernel with roles. Output: `offset` of every `tile.alloc` and `tile.mbar_alloc` from the start of
    the CTA's shared memory (aligned 1024), `shared_bytes` of the kernel, and `id` of `tile.team_sync`,
    `tile.named_sync` and of reductions and conversions that exchange within a team of several warps. Buffers
    with large alignments come first, mbarriers (8 bytes each) last. Nothing shares bytes but aliases. An `id`
    is the first of as many as the role has instances: instance i uses id + i (`named_sync`: only with
    `per_instance`). All syncs of one role share theirs. 0 is the CTA-wide barrier; teams of one warp and
    exchanges across the cluster need none.

    Failures:
    `kernel 'gemm': shared memory 245824 B, sm_90a allows 232448 B (a 65536, b 131072, staging 49152, barriers 64)`
    `kernel 'gemm': 17 named barriers, a CTA has 15 beside its own (role 'build' 8, named_sync 'x' 9)`
  }];
  let options = [Option<"arch", "arch", "std::string", "\"\"", "architecture or product whose limit holds; empty: no limit">];
}

def CheckBarriersPass : Tile_Pass<"k3-tile-check-barriers"> {
  let summary = "Arrivals and bytes of barriers fit; products are taken and slots given back when their wgmma has ended";
  let description = [{
    Input: a kernel with roles. Changes nothing. Walks every role along one path, loops a few times, with
    cursors as numbers (RolePath.h), and compares:
    - the arrivals that all roles together make in a phase with those of the `!tile.mbar`: `per_warp` one per
      warp and instance, `per_team` and anything in `tile.elect` one per instance;
    - the bytes that a `tile.mbar_expect` announces with those of the copies on the same phase;
    - every product that a `tile.wgmma_wait` yields with the groups it leaves in flight;
    - every arrival at the one barrier that guards the refill of a buffer with the wgmma that still read the
      slot. What depends on a branch, on the number of the instance or on another CTA is not counted: a remark
      says which barrier and why, and the Emulator decides.

    Failures:
    `kernel 'gemm': mbarrier 'empty': 8 arrivals a phase expected, role 'math' (1 x 4 warps) makes 4`
    `kernel 'gemm': mbarrier 'full' is waited for, but nobody arrives`
    `kernel 'gemm': mbarrier 'full': phases expect 49152 B, the copies of one step bring 32768 B`
    `kernel 'gemm': copies complete on mbarrier 'full', but no tile.mbar_expect announces their bytes` (and the other way round)
    `kernel 'gemm': tile.wgmma_wait 1 yields a product with 0 later commits; wait 0 or commit another group`
    `kernel 'gemm': tile.wgmma_wait 0 yields a product that no tile.wgmma_commit has closed`
    `kernel 'gemm': slot of 'a' is released before the wait that retires its reader at gemm.mlir:40:5`
  }];
}

def CheckArgumentsPass : Tile_Pass<"k3-tile-check-arguments"> {
  let summary = "Arguments are used as their roles say, also before the kernels ahead have ended";
  let description = [{
    Input: a kernel. Changes nothing. A map has the role of the view that it describes.
    - `step_out` arguments are written, `constant` ones never; writing a `step_in` is a remark.
    - In a kernel with `tile.pdl_wait` nothing but constants is touched before it. A team may leave the wait
      to another one that it then synchronises with, so only what certainly comes before any wait or order is
      an error. A producer's `tile.mbar_wait` is no order: the first falls through.
    - `tile.pdl_launch` comes after the wait unless all accesses before the wait are to constants.
    - `tile.await` only in a kernel that says `resident`.

    Failures:
    `kernel 'gemm': argument 0 is step_in and read before tile.pdl_wait`
    `kernel 'gemm': argument 1 is constant, tile.store writes it`
    `kernel 'gemm': argument 2 is step_out, nothing writes it`
    `kernel 'gemm': argument 3 is constant, argument 4 that it maps is step_in`
    `kernel 'gemm': tile.pdl_launch before tile.pdl_wait, although tile.load at L touches more than constants before the wait`
    `kernel 'gemm': tile.await needs 'resident', the number of CTAs that wait for each other`
  }];
}

def EstimateRegistersPass : Tile_Pass<"k3-tile-estimate-registers"> {
  let summary = "A warning where a role seems to need more registers than it has";
  let description = [{
    Input: a kernel with `threads`. Changes nothing. Counts, per role and lane, the registers of all values
    live at one place: tiles as packed 32-bit registers, scalars one or two; slices, transposes and the like
    are no registers of their own, intermediates of an elementwise chain are 8 at most. Above the budget
    (`regs`, else 65,536 / threads) it warns at the widest place; `verbose` remarks on every role. An
    estimate: addresses and what the assembler keeps or rematerialises are not in it, ptxas is the authority.

    `warning: kernel 'gemm': role 'math' has about 262 registers live here, its budget is 240`
  }];
  let options = [Option<"verbose", "verbose", "bool", "false", "a remark for every role">];
}

#endif // K3_PASSES_TILE
