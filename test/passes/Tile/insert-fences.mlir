// RUN: k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-insert-fences))' 2>/dev/null | FileCheck %s
// RUN: k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-insert-fences))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAY
// What was inserted is enough.
// RUN: k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-insert-fences,k3-tile-insert-fences{verify-only}))' -o /dev/null

#s = #tile.smem<sw128 64 64 2>
#row = #tile.smem<row_major 1 256 4>
#acc = #tile.layout<acc 64>
#wga = #tile.layout<wg_a 64>
#rows = #tile.layout<rows 4 256 2>

// Every writer fences before the sync by which the copying lane gets the tile; what a loop carries around is found as well.
// CHECK-LABEL: tile.kernel @staging
// SAY: remark: kernel 'staging': tile.fence_proxy<shared> missing between tile.stmatrix at insert-fences.mlir:[[#]]:9 and tile.map_store at insert-fences.mlir:[[#]]:11 (inserted)
// SAY-NOT: kernel 'staging'
tile.kernel @staging(%td: !tile.map<64x64xbf16, swizzle 128> {tile.describes = 1 : i64}, %d: !tile.view<?x512xbf16> {tile.role = #tile.arg_role<step_out>}, %n: i32) {
  %S = tile.alloc "s" : !tile.shared<64x64xbf16, #s>
  %plain = tile.alloc "plain" : !tile.shared<64x64xbf16, #s>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.roles {
    tile.role "math" warps 4 (%i) {
      %v = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
      scf.for %k = %c0 to %n step %c1 : i32 {
        // Nobody copies this one.
        // CHECK: tile.stmatrix
        // CHECK-NEXT: tile.team_sync
        tile.stmatrix %v -> %plain : tensor<64x64xbf16, #acc> -> !tile.shared<64x64xbf16, #s>
        tile.team_sync
        // CHECK-NEXT: tile.stmatrix
        // CHECK-NEXT: tile.fence_proxy<shared>
        // CHECK-NEXT: tile.team_sync
        tile.stmatrix %v -> %S : tensor<64x64xbf16, #acc> -> !tile.shared<64x64xbf16, #s>
        tile.team_sync
        // CHECK-NEXT: tile.elect
        tile.elect {
          tile.map_store %S -> %td[%c0, %c0] : !tile.shared<64x64xbf16, #s> -> !tile.map<64x64xbf16, swizzle 128>
          tile.bulk_commit
          tile.bulk_wait 0 read
        }
        tile.team_sync
      }
    }
  }
  tile.return
}

// A write in place: the consumers' stores come before the producer's next copy into the slot, so they fence before they give it back.
// CHECK-LABEL: tile.kernel @in_place
tile.kernel @in_place(%x: !tile.view<?x256xf32>, %n: i32) {
  %ring = tile.alloc "ring" : !tile.shared<1x256xf32, #row, stages 2>
  %full = tile.mbar_alloc "full" : !tile.mbar<2, arrivals = 1>
  %empty = tile.mbar_alloc "empty" : !tile.mbar<2, arrivals = 2>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.roles {
    tile.role "load" warps 1 (%i) {
      %p = tile.cursor : !tile.cursor<2>
      tile.elect {
        // CHECK: tile.mbar_wait {{.*}} producer
        // CHECK-NOT: tile.fence_proxy
        // CHECK: tile.bulk_load
        %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %p) -> (!tile.cursor<2>) : i32 {
          tile.mbar_wait %empty[%c] producer : !tile.mbar<2, arrivals = 2>, !tile.cursor<2>
          tile.mbar_expect %full[%c] bytes 1024 : !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
          %slot = tile.slot %ring[%c] : !tile.shared<1x256xf32, #row, stages 2>, !tile.cursor<2>
          tile.bulk_load %x[%k, %c0] -> %slot on %full[%c] : !tile.view<?x256xf32> -> !tile.shared<1x256xf32, #row>, !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
          %next = tile.advance %c : !tile.cursor<2>
          scf.yield %next : !tile.cursor<2>
        }
      }
    }
    tile.role "use" warps 2 (%i) {
      %p = tile.cursor : !tile.cursor<2>
      %v = arith.constant dense<1.0> : tensor<1x256xf32, #tile.layout<reg [[0, 1], [0, 2]] lane [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]] warp [[0, 128]]>>
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %p) -> (!tile.cursor<2>) : i32 {
        tile.mbar_wait %full[%c] : !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
        %slot = tile.slot %ring[%c] : !tile.shared<1x256xf32, #row, stages 2>, !tile.cursor<2>
        // CHECK: tile.store_shared
        // CHECK-NEXT: tile.fence_proxy<shared>
        // CHECK-NEXT: tile.mbar_arrive
        tile.store_shared %v -> %slot : tensor<1x256xf32, #tile.layout<reg [[0, 1], [0, 2]] lane [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]] warp [[0, 128]]>> -> !tile.shared<1x256xf32, #row>
        tile.mbar_arrive %empty[%c] : !tile.mbar<2, arrivals = 2>, !tile.cursor<2>
        %next = tile.advance %c : !tile.cursor<2>
        scf.yield %next : !tile.cursor<2>
      }
    }
  }
  tile.return
}

// A team that fences for itself behind its acquire needs nothing from the writers.
// CHECK-LABEL: tile.kernel @reader
tile.kernel @reader(%td: !tile.map<64x64xbf16, swizzle 128> {tile.describes = 1 : i64}, %d: !tile.view<?x512xbf16> {tile.role = #tile.arg_role<step_out>}) {
  %S = tile.alloc "s" : !tile.shared<64x64xbf16, #s>
  %c0 = arith.constant 0 : i32
  tile.roles {
    tile.role "math" warps 4 (%i) {
      %v = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
      // CHECK: tile.stmatrix
      // CHECK-NEXT: tile.team_sync
      // CHECK-NEXT: tile.fence_proxy<shared>
      // CHECK-NEXT: tile.elect
      tile.stmatrix %v -> %S : tensor<64x64xbf16, #acc> -> !tile.shared<64x64xbf16, #s>
      tile.team_sync
      tile.fence_proxy<shared>
      tile.elect {
        tile.map_store %S -> %td[%c0, %c0] : !tile.shared<64x64xbf16, #s> -> !tile.map<64x64xbf16, swizzle 128>
      }
    }
  }
  tile.return
}

// Bytes beside those that are copied need no fence, aliases of them do.
// CHECK-LABEL: tile.kernel @aliases
tile.kernel @aliases(%td: !tile.map<64x64xbf16, swizzle 128> {tile.describes = 1 : i64}, %d: !tile.view<?x512xbf16> {tile.role = #tile.arg_role<step_out>}) {
  %both = tile.alloc "both" : !tile.shared<64x64xbf16, #s, stages 2>
  %first = tile.alias %both : !tile.shared<64x64xbf16, #s, stages 2> -> !tile.shared<64x64xbf16, #s>
  %second = tile.alias %both at 8192 : !tile.shared<64x64xbf16, #s, stages 2> -> !tile.shared<64x64xbf16, #s>
  %copied = tile.alias %both : !tile.shared<64x64xbf16, #s, stages 2> -> !tile.shared<64x64xbf16, #s>
  %c0 = arith.constant 0 : i32
  tile.roles {
    tile.role "math" warps 4 (%i) {
      %v = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
      // CHECK: tile.stmatrix
      // CHECK-NEXT: tile.team_sync
      tile.stmatrix %v -> %second : tensor<64x64xbf16, #acc> -> !tile.shared<64x64xbf16, #s>
      tile.team_sync
      // CHECK-NEXT: tile.stmatrix
      // CHECK-NEXT: tile.fence_proxy<shared>
      tile.stmatrix %v -> %first : tensor<64x64xbf16, #acc> -> !tile.shared<64x64xbf16, #s>
      tile.team_sync
      tile.elect {
        tile.map_store %copied -> %td[%c0, %c0] : !tile.shared<64x64xbf16, #s> -> !tile.map<64x64xbf16, swizzle 128>
      }
    }
  }
  tile.return
}

// Another CTA's stores are fenced once, behind the acquire.
// CHECK-LABEL: tile.kernel @across
// SAY: remark: kernel 'across': tile.fence_proxy<global> missing between tile.await at {{.*}} and tile.bulk_load at {{.*}} (inserted)
tile.kernel @across(%x: !tile.view<?x256xf32> {tile.role = #tile.arg_role<step_out>}, %flag: !tile.view<16xi32>, %n: i32) attributes {resident = 2 : i64} {
  %row = tile.alloc "row" : !tile.shared<1x256xf32, #row>
  %full = tile.mbar_alloc "full" : !tile.mbar<1, arrivals = 1>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.roles {
    tile.role "both" warps 2 (%i) {
      %v = arith.constant dense<1.0> : tensor<256xf32, #rows>
      tile.store %v -> %x[%c0, %c0] : tensor<256xf32, #rows> -> !tile.view<?x256xf32>
      tile.signal %flag[%c0] add %c1 : !tile.view<16xi32>
      // CHECK: tile.await
      // CHECK-NEXT: tile.fence_proxy<global>
      tile.await %flag[%c0] ge %n : !tile.view<16xi32>
      %p = tile.cursor : !tile.cursor<1>
      tile.elect {
        tile.mbar_expect %full[%p] bytes 1024 : !tile.mbar<1, arrivals = 1>, !tile.cursor<1>
        tile.bulk_load %x[%c1, %c0] -> %row on %full[%p] : !tile.view<?x256xf32> -> !tile.shared<1x256xf32, #row>, !tile.mbar<1, arrivals = 1>, !tile.cursor<1>
      }
    }
  }
  tile.return
}

// Registers: a fence opens every batch, another one where an operand was made inside it; operand A stays alive until its wait.
// CHECK-LABEL: tile.kernel @registers
tile.kernel @registers() {
  %B = tile.alloc "b" : !tile.shared<64x64xbf16, #s>
  tile.roles {
    tile.role "math" warps 4 (%i) {
      %a = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
      // CHECK: tile.wgmma_fence
      // CHECK-NEXT: %[[P:.*]] = tile.wgmma %[[A:.*]], %
      %p = tile.wgmma %a, %B : tensor<64x64xbf16, #acc>, !tile.shared<64x64xbf16, #s> -> !tile.pending<tensor<64x64xf32, #acc>>
      %b = arith.negf %a : tensor<64x64xbf16, #acc>
      // CHECK: %[[B:.*]] = arith.negf
      // CHECK-NEXT: tile.wgmma_fence
      // CHECK-NEXT: %[[Q:.*]] = tile.wgmma
      %q = tile.wgmma %b, %B, %p : tensor<64x64xbf16, #acc>, !tile.shared<64x64xbf16, #s>, !tile.pending<tensor<64x64xf32, #acc>> -> !tile.pending<tensor<64x64xf32, #acc>>
      // CHECK-NEXT: %[[R:.*]] = tile.wgmma %[[A]],
      %r = tile.wgmma %a, %B, %q : tensor<64x64xbf16, #acc>, !tile.shared<64x64xbf16, #s>, !tile.pending<tensor<64x64xf32, #acc>> -> !tile.pending<tensor<64x64xf32, #acc>>
      tile.wgmma_commit
      // CHECK: tile.wgmma_wait 1{{$}}
      tile.wgmma_wait 1
      // CHECK: tile.wgmma_wait 0(%[[R]] : {{.*}}) keep(%[[A]], %[[B]] :
      %t = tile.wgmma_wait 0 (%r : !tile.pending<tensor<64x64xf32, #acc>>) : tensor<64x64xf32, #acc>
    }
  }
  tile.return
}
