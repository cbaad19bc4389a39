// A GEMM tile by TMA, wgmma and a staged store, at sizes that are no multiples of anything: values, no findings, and every fault
// that is planted by leaving out the line it is named after. Fences are written down here, as faults come after passes/Tile.
// REQUIRES: compiler
// DEFINE: %{sizes} = --arg=random:1:100x160 --arg=random:2:136x160 --arg=poison:100x136 --arg=3
// DEFINE: %{fault} = not k3-emulate %t.mlir --grid=3,1 %{sizes}

// RUN: k3-emulate %s --grid=3,1 %{sizes} --seeds=6 --output=%t.safetensors | FileCheck %s --check-prefix=CLEAN
// RUN: %python %S/Inputs/check_gemm.py %t.safetensors arg3 arg4 arg5
// CLEAN: kernel 'gemm': 6 schedules, 0 findings

// RUN: sed '/wait-full/d' %s > %t.mlir && %{fault} | FileCheck %s --check-prefix=WAITFULL
// WAITFULL: race: {{.*}}of '{{[ab]}}[

// RUN: sed '/wait-empty/d' %s > %t.mlir && %{fault} | FileCheck %s --check-prefix=WAITEMPTY
// WAITEMPTY: race: {{.*}}tile.map_load at {{.*}} and nothing orders the two

// The consumer asks for the phase behind the one it needs.
// RUN: sed '/first-cursor$/{s/q0/qz/;p;s/.*/%q0 = tile.advance %qz by 2 : !tile.cursor<2>/;}' %s > %t.mlir && %{fault} --seeds=1 | FileCheck %s --check-prefix=PHASE
// PHASE: barrier: tile.mbar_wait at {{.*}} by 'math' 0 of CTA {{.*}}: parity wait aliases: waits for phase 1 of 'full'[0], the barrier is in phase 0

// The slot goes back to the producer while its product is in flight.
// RUN: sed '/retire/d' %s > %t.mlir && %{fault} | FileCheck %s --check-prefix=RETIRE
// RETIRE: race: {{.*}}(wgmma group 1 of 'math' {{[01]}} of CTA {{.*}} read them before

// RUN: sed '/fence-store/d' %s > %t.mlir && %{fault} | FileCheck %s --check-prefix=FENCE
// FENCE: missing proxy fence: tile.map_store at {{.*}} reads bytes {{.*}} of 'staging[{{[01]}}]', tile.stmatrix at {{.*}} wrote them before with generic stores and no fence_proxy comes between

// RUN: sed '/sync-store/d' %s > %t.mlir && %{fault} | FileCheck %s --check-prefix=SYNC
// SYNC: race: tile.map_store at {{.*}} reads bytes {{.*}} of 'staging[

// Nobody computes columns 128 to 135.
// RUN: not k3-emulate %s --grid=2,1 %{sizes} --seeds=1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: unwritten value: kernel 'gemm' has not written byte 256 of its output 'argument 5'

// The staging tile is stored without having been filled.
// RUN: sed '/ \/\/ stage$/d' %s > %t.mlir && %{fault} --seeds=1 | FileCheck %s --check-prefix=STAGE
// STAGE: unwritten value: tile.map_store at {{.*}} an undefined value is stored to 'argument 5', it comes from memory that was never written

// RUN: sed '/arrive-empty/d' %s > %t.mlir && %{fault} --seeds=1 | FileCheck %s --check-prefix=DEADLOCK
// DEADLOCK: deadlock: tile.mbar_wait at {{.*}} by 'load' 0 of CTA {{.*}} waits for phase 0 of mbarrier 'empty'[0], which is in phase 0: 8 of 8 arrivals missing

// RUN: sed '/expect/s/24576/24064/' %s > %t.mlir && %{fault} --seeds=1 | FileCheck %s --check-prefix=BYTES
// BYTES: deadlock: {{.*}} of mbarrier 'full'[0], which is in phase 0: 0 of 1 arrivals missing, 512 bytes more than announced

// RUN: sed '/fence-registers/d' %s > %t.mlir && %{fault} --seeds=1 | FileCheck %s --check-prefix=REGISTERS
// REGISTERS: wgmma: tile.wgmma at {{.*}}: no wgmma_fence comes before the first product
// REGISTERS: wgmma: tile.wgmma at {{.*}} by 'math' {{[01]}} of CTA {{.*}}: the registers of the accumulator were written after the last wgmma_fence

// RUN: sed '/last-wait/s/wait 0/wait 1/' %s > %t.mlir && %{fault} --seeds=1 | FileCheck %s --check-prefix=LASTWAIT
// LASTWAIT: wgmma: tile.wgmma_wait at {{.*}}: yields a product of group 3, but 1 of 3 groups may still be in flight

// RUN: sed '/wait-store/d' %s > %t.mlir && %{fault} --seeds=1 | FileCheck %s --check-prefix=LIFETIME
// LIFETIME: lifetime: 'math' {{[01]}} of CTA {{.*}} ends without a bulk_wait for group 1

// The operands were written by the kernel ahead.
// RUN: k3-emulate %s --grid=3,1 %{sizes} --dependent
// RUN: sed '/pdl_wait/d' %s > %t.mlir && %{fault} --dependent --seeds=1 | FileCheck %s --check-prefix=PDL
// PDL: access before pdl_wait: tile.map_load at {{.*}} reads bytes {{.*}} of 'argument 3', {{.*}}earlier grid{{.*}} and pdl_wait has not been passed

#a = #tile.smem<sw128 128 64 2>
#b = #tile.smem<sw128 64 64 2>
#acc = #tile.layout<acc 64>
tile.kernel @gemm(%ta: !tile.map<128x64xbf16, swizzle 128> {tile.describes = 3 : i64}, %tb: !tile.map<64x64xbf16, swizzle 128> {tile.describes = 4 : i64},
                  %td: !tile.map<64x64xbf16, swizzle 128> {tile.describes = 5 : i64}, %x: !tile.view<?x160xbf16>,
                  %w: !tile.view<?x160xbf16> {tile.role = #tile.arg_role<constant>}, %y: !tile.view<?x136xbf16> {tile.role = #tile.arg_role<step_out>},
                  %nk: i32) {
  %A = tile.alloc "a" : !tile.shared<128x64xbf16, #a, stages 2>
  %B = tile.alloc "b" : !tile.shared<64x64xbf16, #b, stages 2>
  %S = tile.alloc "staging" : !tile.shared<64x64xbf16, #b, stages 2>
  %full = tile.mbar_alloc "full" : !tile.mbar<2, arrivals = 1>
  %empty = tile.mbar_alloc "empty" : !tile.mbar<2, arrivals = 8>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %tx = tile.cta_id
  %ty = tile.cta_id dim<y>
  %n0 = arith.muli %tx, %c64 : i32
  %m0 = arith.muli %ty, %c128 : i32
  tile.pdl_wait
  tile.roles {
    tile.role "load" warps 1 (%i) {
      tile.elect {
        %p0 = tile.cursor : !tile.cursor<2>
        %e = scf.for %k = %c0 to %nk step %c1 iter_args(%c = %p0) -> (!tile.cursor<2>) : i32 {
          tile.mbar_wait %empty[%c] producer : !tile.mbar<2, arrivals = 8>, !tile.cursor<2> // wait-empty
          tile.mbar_expect %full[%c] bytes 24576 : !tile.mbar<2, arrivals = 1>, !tile.cursor<2> // expect
          %kk = arith.muli %k, %c64 : i32
          %sa = tile.slot %A[%c] : !tile.shared<128x64xbf16, #a, stages 2>, !tile.cursor<2>
          %sb = tile.slot %B[%c] : !tile.shared<64x64xbf16, #b, stages 2>, !tile.cursor<2>
          tile.map_load %ta[%m0, %kk] -> %sa on %full[%c] : !tile.map<128x64xbf16, swizzle 128> -> !tile.shared<128x64xbf16, #a>, !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
          tile.map_load %tb[%n0, %kk] -> %sb on %full[%c] : !tile.map<64x64xbf16, swizzle 128> -> !tile.shared<64x64xbf16, #b>, !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
          %n = tile.advance %c : !tile.cursor<2>
          scf.yield %n : !tile.cursor<2>
        }
      }
    }
    tile.role "math" instances 2 warps 4 (%cw) {
      %q0 = tile.cursor : !tile.cursor<2> // first-cursor
      %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      tile.wgmma_fence // fence-registers
      tile.mbar_wait %full[%q0] : !tile.mbar<2, arrivals = 1>, !tile.cursor<2> // wait-full
      %sa = tile.slot %A[%q0] : !tile.shared<128x64xbf16, #a, stages 2>, !tile.cursor<2>
      %sb = tile.slot %B[%q0] : !tile.shared<64x64xbf16, #b, stages 2>, !tile.cursor<2>
      %a0 = tile.part %sa[%cw] dim 0 : !tile.shared<128x64xbf16, #a> -> !tile.shared<64x64xbf16, #b>
      %p0 = tile.wgmma %a0, %sb, %zero : !tile.shared<64x64xbf16, #b>, !tile.shared<64x64xbf16, #b>, tensor<64x64xf32, #acc> -> !tile.pending<tensor<64x64xf32, #acc>>
      tile.wgmma_commit
      %q1 = tile.advance %q0 : !tile.cursor<2>
      %p, %prev, %cur = scf.for %k = %c1 to %nk step %c1 iter_args(%pi = %p0, %old = %q0, %c = %q1)
          -> (!tile.pending<tensor<64x64xf32, #acc>>, !tile.cursor<2>, !tile.cursor<2>) : i32 {
        tile.mbar_wait %full[%c] : !tile.mbar<2, arrivals = 1>, !tile.cursor<2> // wait-full
        %la = tile.slot %A[%c] : !tile.shared<128x64xbf16, #a, stages 2>, !tile.cursor<2>
        %lb = tile.slot %B[%c] : !tile.shared<64x64xbf16, #b, stages 2>, !tile.cursor<2>
        %l0 = tile.part %la[%cw] dim 0 : !tile.shared<128x64xbf16, #a> -> !tile.shared<64x64xbf16, #b>
        %pn = tile.wgmma %l0, %lb, %pi : !tile.shared<64x64xbf16, #b>, !tile.shared<64x64xbf16, #b>, !tile.pending<tensor<64x64xf32, #acc>> -> !tile.pending<tensor<64x64xf32, #acc>>
        tile.wgmma_commit
        tile.wgmma_wait 1 // retire
        tile.mbar_arrive %empty[%old] : !tile.mbar<2, arrivals = 8>, !tile.cursor<2> // arrive-empty
        %n = tile.advance %c : !tile.cursor<2>
        scf.yield %pn, %c, %n : !tile.pending<tensor<64x64xf32, #acc>>, !tile.cursor<2>, !tile.cursor<2>
      }
      %r = tile.wgmma_wait 0 (%p : !tile.pending<tensor<64x64xf32, #acc>>) : tensor<64x64xf32, #acc> // last-wait
      %h = arith.truncf %r : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
      %stage = tile.slot %S[%cw] : !tile.shared<64x64xbf16, #b, stages 2>, i32
      tile.stmatrix %h -> %stage : tensor<64x64xbf16, #acc> -> !tile.shared<64x64xbf16, #b> // stage
      tile.fence_proxy<shared> // fence-store
      tile.team_sync // sync-store
      %rows = arith.muli %cw, %c64 : i32
      %m1 = arith.addi %m0, %rows : i32
      tile.elect {
        tile.map_store %stage -> %td[%m1, %n0] : !tile.shared<64x64xbf16, #b> -> !tile.map<64x64xbf16, swizzle 128>
        tile.bulk_commit
        tile.bulk_wait 0 // wait-store
      }
    }
  }
  tile.return
}
