// A whole GEMM through the pipeline: a copying warp, two warpgroups of products, an epilogue by staging.
// RUN: k3-opt %s --k3-tile-prepare=arch=h200 | FileCheck %s
// RUN: k3-opt %s --k3-tile-prepare=arch=sm_90a | k3-opt --pass-pipeline='builtin.module(tile.kernel(k3-tile-insert-fences{verify-only}))'
// Running it again changes nothing.
// RUN: k3-opt %s --k3-tile-prepare=arch=sm_90a > %t.once.mlir && k3-opt %t.once.mlir --k3-tile-prepare=arch=sm_90a | diff %t.once.mlir -

#a = #tile.smem<sw128 128 64 2>
#a64 = #tile.smem<sw128 64 64 2>
#b = #tile.smem<sw128 256 64 2>
#acc = #tile.layout<acc 256>
#acc64 = #tile.layout<acc 64>

// CHECK-LABEL: tile.kernel @gemm
// CHECK-SAME: shared_bytes = 229440 : i64, threads = 384 : i64
tile.kernel @gemm(%ta: !tile.map<128x64xbf16, swizzle 128> {tile.describes = 4 : i64}, %tb: !tile.map<256x64xbf16, swizzle 128> {tile.describes = 5 : i64},
                  %td: !tile.map<64x64xbf16, swizzle 128> {tile.describes = 6 : i64}, %nk: i32, %a_: !tile.view<?x7168xbf16>,
                  %b_: !tile.view<?x7168xbf16> {tile.role = #tile.arg_role<constant>}, %d_: !tile.view<?x7168xbf16> {tile.role = #tile.arg_role<step_out>}) {
  // CHECK: tile.alloc "a" {offset = 0 : i64}
  %A = tile.alloc "a" : !tile.shared<128x64xbf16, #a, stages 4>
  // CHECK: tile.alloc "b" {offset = 65536 : i64}
  %B = tile.alloc "b" : !tile.shared<256x64xbf16, #b, stages 4>
  // CHECK: tile.alloc "staging" {offset = 196608 : i64}
  %S = tile.alloc "staging" : !tile.shared<64x64xbf16, #a64, stages 4>
  // CHECK: tile.mbar_alloc "full" {offset = 229376 : i64}
  %full = tile.mbar_alloc "full" : !tile.mbar<4, arrivals = 1>
  // CHECK: tile.mbar_alloc "empty" {offset = 229408 : i64}
  %empty = tile.mbar_alloc "empty" : !tile.mbar<4, arrivals = 8>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  tile.roles {
    // CHECK: tile.role "load" warps 1 regs 24 at_warp 0
    tile.role "load" warps 1 regs 24 (%i) {
      tile.elect {
        tile.pdl_wait
        %p0 = tile.cursor : !tile.cursor<4>
        %e = scf.for %k = %c0 to %nk step %c1 iter_args(%c = %p0) -> (!tile.cursor<4>) : i32 {
          // CHECK-NOT: tile.fence_proxy
          tile.mbar_wait %empty[%c] producer : !tile.mbar<4, arrivals = 8>, !tile.cursor<4>
          tile.mbar_expect %full[%c] bytes 49152 : !tile.mbar<4, arrivals = 1>, !tile.cursor<4>
          %kk = arith.muli %k, %c64 : i32
          %sa = tile.slot %A[%c] : !tile.shared<128x64xbf16, #a, stages 4>, !tile.cursor<4>
          %sb = tile.slot %B[%c] : !tile.shared<256x64xbf16, #b, stages 4>, !tile.cursor<4>
          tile.map_load %ta[%c0, %kk] -> %sa on %full[%c] : !tile.map<128x64xbf16, swizzle 128> -> !tile.shared<128x64xbf16, #a>, !tile.mbar<4, arrivals = 1>, !tile.cursor<4>
          tile.map_load %tb[%c0, %kk] -> %sb on %full[%c] : !tile.map<256x64xbf16, swizzle 128> -> !tile.shared<256x64xbf16, #b>, !tile.mbar<4, arrivals = 1>, !tile.cursor<4>
          %n = tile.advance %c : !tile.cursor<4>
          scf.yield %n : !tile.cursor<4>
        }
      }
    }
    // CHECK: tile.role "math" instances 2 warps 4 regs 240 at_warp 4
    tile.role "math" instances 2 warps 4 regs 240 (%cw) {
      %q0 = tile.cursor : !tile.cursor<4>
      tile.mbar_wait %full[%q0] : !tile.mbar<4, arrivals = 1>, !tile.cursor<4>
      %sa = tile.slot %A[%q0] : !tile.shared<128x64xbf16, #a, stages 4>, !tile.cursor<4>
      %sb = tile.slot %B[%q0] : !tile.shared<256x64xbf16, #b, stages 4>, !tile.cursor<4>
      %a0 = tile.part %sa[%cw] dim 0 : !tile.shared<128x64xbf16, #a> -> !tile.shared<64x64xbf16, #a64>
      // CHECK: tile.wgmma_fence
      // CHECK-NEXT: tile.wgmma
      %p0 = tile.wgmma %a0, %sb : !tile.shared<64x64xbf16, #a64>, !tile.shared<256x64xbf16, #b> -> !tile.pending<tensor<64x256xf32, #acc>>
      tile.wgmma_commit
      %q1 = tile.advance %q0 : !tile.cursor<4>
      %p, %prev, %cur = scf.for %k = %c1 to %nk step %c1 iter_args(%pi = %p0, %old = %q0, %c = %q1)
          -> (!tile.pending<tensor<64x256xf32, #acc>>, !tile.cursor<4>, !tile.cursor<4>) : i32 {
        tile.mbar_wait %full[%c] : !tile.mbar<4, arrivals = 1>, !tile.cursor<4>
        %la = tile.slot %A[%c] : !tile.shared<128x64xbf16, #a, stages 4>, !tile.cursor<4>
        %lb = tile.slot %B[%c] : !tile.shared<256x64xbf16, #b, stages 4>, !tile.cursor<4>
        %l0 = tile.part %la[%cw] dim 0 : !tile.shared<128x64xbf16, #a> -> !tile.shared<64x64xbf16, #a64>
        // CHECK: tile.wgmma_fence
        // CHECK-NEXT: tile.wgmma
        %pn = tile.wgmma %l0, %lb, %pi : !tile.shared<64x64xbf16, #a64>, !tile.shared<256x64xbf16, #b>, !tile.pending<tensor<64x256xf32, #acc>> -> !tile.pending<tensor<64x256xf32, #acc>>
        tile.wgmma_commit
        tile.wgmma_wait 1
        tile.mbar_arrive %empty[%old] : !tile.mbar<4, arrivals = 8>, !tile.cursor<4>
        %n = tile.advance %c : !tile.cursor<4>
        scf.yield %pn, %c, %n : !tile.pending<tensor<64x256xf32, #acc>>, !tile.cursor<4>, !tile.cursor<4>
      }
      %r = tile.wgmma_wait 0 (%p : !tile.pending<tensor<64x256xf32, #acc>>) : tensor<64x256xf32, #acc>
      tile.mbar_arrive %empty[%prev] : !tile.mbar<4, arrivals = 8>, !tile.cursor<4>
      tile.pdl_wait
      %h = arith.truncf %r : tensor<64x256xf32, #acc> to tensor<64x256xbf16, #acc>
      %part = tile.slice %h dim 1 at 0 : tensor<64x256xbf16, #acc> -> tensor<64x64xbf16, #acc64>
      %two = arith.muli %cw, %c2 : i32
      %stage = tile.slot %S[%two] : !tile.shared<64x64xbf16, #a64, stages 4>, i32
      // CHECK: tile.stmatrix
      // CHECK-NEXT: tile.fence_proxy<shared>
      // CHECK-NEXT: tile.team_sync {id = 1 : i64}
      // CHECK-NEXT: tile.elect
      tile.stmatrix %part -> %stage : tensor<64x64xbf16, #acc64> -> !tile.shared<64x64xbf16, #a64>
      tile.team_sync
      tile.elect {
        tile.map_store %stage -> %td[%c0, %c0] : !tile.shared<64x64xbf16, #a64> -> !tile.map<64x64xbf16, swizzle 128>
        tile.bulk_commit
        tile.bulk_wait 0
      }
    }
  }
  tile.return
}
